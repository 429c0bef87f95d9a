package mcpserver

import (
	"context"
	"fmt"
	"io"

	"go.almanac.example/catalog"
	"go.almanac.example/index"
	"go.almanac.example/internal/rpc"
	"go.almanac.example/tools"
)

// RunStdio answers a host that started this program, on its input and output, with the tools that Server has over HTTP,
// until the host leaves or ctx ends. It opens no socket. A session begins, as that of the library id, while load reads
// the data; an error of load ends it. note is added to the instructions. Of the options, Version, Log, Deadline, Now and
// Explain apply; nothing is sold.
func RunStdio(ctx context.Context, in io.ReadCloser, out io.Writer, id catalog.Identity, site catalog.Site, o Options, note string,
	load func() (*catalog.Catalog, tools.ResourceFiles, error)) error {
	o = o.withDefaults()
	o.Paid = nil
	e := newEngine(id, site, o, note)
	host, stop := context.WithCancel(ctx)
	defer stop()
	loaded := make(chan error, 1)
	go func() {
		c, documents, err := load()
		var x *index.Index
		if err == nil {
			x, err = index.New(c, index.Options{})
		}
		if err == nil {
			e.load(tools.New(c, x, documents, tools.Options{Now: o.Now, Explain: o.Explain}))
		} else {
			close(e.loaded) // requests that wait are answered
			stop()
		}
		loaded <- err
	}()
	lines := &rpc.Lines{In: in, Out: out, Ready: e.loaded}
	err := e.server.Run(host, lines)
	select {
	case err := <-loaded: // also of a host that left at once
		if err != nil {
			return fmt.Errorf("load the data: %w", err)
		}
	case <-ctx.Done():
	}
	if err != nil && host.Err() == nil {
		return fmt.Errorf("serve the host: %w", err)
	}
	if n := lines.Dropped(); n > 0 && ctx.Err() == nil {
		return fmt.Errorf("serve the host: its input ended, and %d requests were not answered in time", n)
	}
	return nil
}
