package httpmirror

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"almanac/catalog"
	"almanac/httpmirror/file"
	"almanac/problem"
)

// Build renders every file of the catalog's site.
func Build(c *catalog.Catalog, o Options) (*Mirror, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	return build(c, o, kinds(c, o))
}

// build renders every file of some kinds of documents.
func build(c *catalog.Catalog, o Options, kinds []*kind) (m *Mirror, err error) {
	m = &Mirror{
		files:    make(map[string]*file.File),
		modified: c.Modified().Truncate(time.Second),
		cat:      c,
		options:  o,
		renderer: newRenderer(c, o, kinds),
		problems: problem.Writer{Base: c.Site().ProblemBase(), Log: o.Log},
	}
	m.byDay, m.unchangedSince = c.ModifiedByDay(), m.modified
	if m.byDay {
		m.unchangedSince = m.modified.AddDate(0, 0, 1)
	}
	m.policyValue = []string{contentSecurityPolicy(c.Site())}
	m.modifiedValue = []string{m.modified.Format(http.TimeFormat)}
	var mu sync.Mutex
	sink := file.NewSink(func(f *file.File) error {
		f.Body = bytes.Clone(f.Body)
		f.Prepare()
		mu.Lock()
		defer mu.Unlock()
		m.files[f.Path] = f
		return nil
	})
	if err := m.renderer.run(sink); err != nil {
		return nil, fmt.Errorf("render the mirror: %w", err)
	}
	if m.finder, err = m.renderer.finder(); err != nil {
		return nil, fmt.Errorf("render the mirror: %w", err)
	}
	m.paths = slices.Sorted(maps.Keys(m.files))
	return m, nil
}
