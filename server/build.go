package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"almanac/catalog"
	"almanac/httpmirror"
	"almanac/index"
	"almanac/mcpserver"
	"almanac/ops"
	"almanac/problem"
)

// A builder builds snapshots from the parts that all of them share.
type builder struct {
	cfg      *Config
	site     catalog.Site
	payments *payments
	problems problem.Writer
	metrics  *ops.Metrics
	calls    *mcpserver.Admission // of all snapshots
}

// load reads the data and builds a snapshot of it, until ctx ends. before is the snapshot in use; nil: none.
func (b *builder) load(ctx context.Context, before *snapshot, state catalog.Payments) (*snapshot, error) {
	if before == nil {
		before = new(snapshot)
	}
	cat, err := b.cfg.Source.Load(b.site, state)
	if err != nil {
		return nil, err
	}
	s := &snapshot{catalog: cat, mirror: new(liveMirror)}
	if err := b.build(ctx, s, before); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// manyEntries is from how many entries on the finder is made before somebody asks for it. For 100,000 it takes seconds,
// for the curated library some milliseconds.
const manyEntries = 10_000

// build builds the mirror, the index and the handler of a snapshot.
func (b *builder) build(ctx context.Context, s, before *snapshot) error {
	m, err := httpmirror.Build(s.catalog, httpmirror.Options{Version: b.cfg.Version, Log: b.cfg.Log, Contact: b.cfg.SecurityContact})
	if err != nil {
		return fmt.Errorf("build the mirror: %w", err)
	}
	s.mirror.p.Store(m)
	options := b.cfg.Index
	options.Log = b.cfg.Log
	if s.search, err = index.Reload(before.search, s.catalog, options); err != nil {
		return fmt.Errorf("build the index: %w", err)
	}
	if len(s.catalog.Entries()) >= manyEntries {
		if _, err := m.Finder(); err != nil {
			return fmt.Errorf("build the finder: %w", err)
		}
	}
	s.handler, err = b.handler(s)
	return err
}

// observeCall counts a call to the tool server, and adds its method and tool to the access log, never its arguments.
func (b *builder) observeCall(w http.ResponseWriter, c mcpserver.Call) {
	b.metrics.ToolCalled(c.Method, c.Tool, c.Outcome())
	ops.Annotate(w, slog.String("rpc", c.Method), slog.String("tool", c.Tool), slog.String("outcome", c.Outcome()))
}
