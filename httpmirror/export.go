package httpmirror

import (
	"context"
	"net/http"
	"runtime"

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
	r := newRenderer(c, o, kinds(c, o))
	render := func(use func(*file.File) error) error { return r.renderAll(runtime.GOMAXPROCS(0), use) }
	return export.Write(ctx, dir, export.Options{Codings: codings, Modified: c.Modified()}, render)
}

// Hosting returns a server of the exported folder of a site that answers as this program does, within the limits of a
// host of files: it chooses no form by Accept, and sends no Link.
func Hosting(site catalog.Site, dir, host string) export.Hosting {
	h := make(http.Header)
	SetSecurityHeaders(h, site)
	h["Access-Control-Expose-Headers"] = exposedValue
	return export.Hosting{Host: host, Dir: dir, Headers: h, Cache: cacheControl, Immutable: immutable}
}
