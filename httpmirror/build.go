package httpmirror

import (
	"net/http"
	"time"

	"almanac/catalog"
	"almanac/httpmirror/file"
	"almanac/problem"
)

// Build returns the site of a catalog. It renders nothing: files are rendered when they are asked for.
func Build(c *catalog.Catalog, o Options) (*Mirror, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	return build(c, o, kinds(c, o)), nil
}

// build returns the site of some kinds of documents.
func build(c *catalog.Catalog, o Options, kinds []*kind) *Mirror {
	m := &Mirror{
		modified: c.Modified().Truncate(time.Second),
		byDay:    c.ModifiedByDay(),
		cat:      c,
		options:  o,
		renderer: newRenderer(c, o, kinds, 0),
		problems: problem.Writer{Base: c.Site().ProblemBase(), Log: o.Log},
	}
	m.unchangedSince = m.modified
	if m.byDay {
		m.unchangedSince = m.modified.AddDate(0, 0, 1)
	}
	m.policyValue = []string{contentSecurityPolicy(c.Site())}
	m.modifiedValue = []string{m.modified.Format(http.TimeFormat)}
	cache := o.Cache
	if cache == nil {
		cache = file.NewCache(file.DefaultSize())
	}
	m.rendered = newRendered(cache, func() *renderer { return newRenderer(c, o, kinds, keepSome) })
	return m
}

// How much renderers of all files keep of what several of them show, in bytes.
const (
	keepAll  = 48 << 20
	keepSome = 12 << 20 // while requests are served
)
