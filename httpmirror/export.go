package httpmirror

import (
	"context"
	"net/http"

	"almanac/catalog"
	"almanac/httpmirror/export"
	"almanac/httpmirror/file"
)

// Export renders the site of a catalog into a folder, so that any static host can serve it: see export.Write. codings
// names the compressed forms to write beside each file.
func Export(ctx context.Context, c *catalog.Catalog, o Options, dir string, codings ...string) (export.Stats, error) {
	o, err := o.complete()
	if err != nil {
		return export.Stats{}, err
	}
	r := newRenderer(c, o, kinds(c, o), keepAll)
	return export.Write(ctx, dir, export.Options{Codings: codings, Modified: c.Modified()}, exported{r, r.plan()})
}

// Check renders every file of the site of a catalog, keeps none, and returns the first that cannot be rendered.
func Check(c *catalog.Catalog, o Options) error {
	o, err := o.complete()
	if err != nil {
		return err
	}
	return newRenderer(c, o, kinds(c, o), keepAll).check()
}

func (r *renderer) check() error { return r.run(r.plan(), func(int, *file.File) error { return nil }) }

// exported is a site as an export takes it.
type exported struct {
	*renderer
	plan *plan
}

// Len implements export.Site.
func (x exported) Len() int { return x.plan.len + 1 }

// Path implements export.Site.
func (x exported) Path(n int) string {
	if n == x.plan.len {
		return catalog.ManifestPath
	}
	return x.plan.task(n).path()
}

// Render implements export.Site.
func (x exported) Render(put func(n int, f *file.File) error) error { return x.run(x.plan, put) }

// Hosting returns what serves the exported folder of a site as this program serves the site, but for what a host of files cannot do: it
// chooses no form by Accept, and sends no Link.
func Hosting(site catalog.Site, dir, host string) export.Hosting {
	h := make(http.Header)
	SetSecurityHeaders(h, site)
	h["Access-Control-Expose-Headers"] = exposedValue
	return export.Hosting{Host: host, Dir: dir, Headers: h, Cache: cacheControl, Immutable: immutable}
}
