package httpmirror

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"almanac/catalog"
	"almanac/httpmirror/file"
	"almanac/problem"
)

// Build returns the site of a catalog.
func Build(c *catalog.Catalog, o Options) (*Mirror, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	return build(c, o, kinds(c, o))
}

// build returns the site of some kinds of documents.
func build(c *catalog.Catalog, o Options, kinds []*kind) (m *Mirror, err error) {
	m = &Mirror{
		modified: c.Modified().Truncate(time.Second),
		cat:      c,
		options:  o,
		problems: problem.Writer{Base: c.Site().ProblemBase(), Log: o.Log},
	}
	m.byDay, m.unchangedSince = c.ModifiedByDay(), m.modified
	if m.byDay {
		m.unchangedSince = m.modified.AddDate(0, 0, 1)
	}
	m.policyValue = []string{contentSecurityPolicy(c.Site())}
	m.modifiedValue = []string{m.modified.Format(http.TimeFormat)}
	cache := o.Cache
	if cache == nil {
		cache = file.NewCache(file.DefaultSize())
	}
	m.renderer = newRenderer(c, o, kinds, keepAll)
	m.files, err = m.renderer.inMemory(cache.Max() / 2) // the other half is for compressed forms
	if errors.Is(err, errTooLarge) {
		m.renderer = newRenderer(c, o, kinds, 0)
		m.rendered = newRendered(cache, func() *renderer { return newRenderer(c, o, kinds, keepSome) })
	} else if err != nil {
		return nil, fmt.Errorf("render the mirror: %w", err)
	}
	if m.finder, err = m.renderer.finder(); err != nil {
		return nil, fmt.Errorf("render the mirror: %w", err)
	}
	return m, nil
}

// How much renderers of all files keep of what several of them show, in bytes.
const (
	keepAll  = 48 << 20
	keepSome = 12 << 20 // while requests are served
)

// errTooLarge says that the files of a site do not fit into memory.
var errTooLarge = errors.New("the files do not fit into memory")

// minAverage is a length that files exceed on average, in bytes.
const minAverage = 2 << 10

// inMemory renders every file, or fails with errTooLarge when they take more than max bytes.
func (r *renderer) inMemory(max int64) (map[string]*file.File, error) {
	p := r.plan()
	if int64(p.len)*minAverage > max {
		return nil, errTooLarge
	}
	var mu sync.Mutex
	files, size := make(map[string]*file.File, p.len+1), int64(0)
	err := r.run(p, func(_ int, f *file.File) error {
		f = forKeeping(f)
		mu.Lock()
		defer mu.Unlock()
		files[f.Path] = f
		if size += f.Size(); size > max {
			return errTooLarge
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return files, nil
}
