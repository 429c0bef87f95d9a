package httpmirror

import (
	"context"

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
	return export.Write(ctx, dir, export.Options{Codings: codings, Modified: c.Modified()}, func(sink *file.Sink) error {
		return newRenderer(c, o, kinds(c, o)).run(sink)
	})
}
