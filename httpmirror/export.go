package httpmirror

import (
	"context"
	"net/http"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/export"
	"go.almanac.example/httpmirror/file"
)

// Export renders the site of a catalog into a folder, so that any static host can serve it: see export.Write. codings
// names the compressed forms to write beside each file.
func Export(ctx context.Context, c *catalog.Catalog, o Options, dir string, codings ...string) (export.Stats, error) {
	r, err := rendererOf(c, o)
	if err != nil {
		return export.Stats{}, err
	}
	render := func(use func(*file.File) error) error { return r.renderAll(runtime.GOMAXPROCS(0), use) }
	return export.Write(ctx, dir, c.Modified(), codings, render)
}

// Hosting returns a server of the exported folder of a site that answers as this program does, within the limits of a
// host of files: it chooses no form by Accept and names no other form in Link.
func Hosting(site catalog.Site, dir, host string) export.Hosting {
	h := make(http.Header)
	SetSecurityHeaders(h, site)
	h["Access-Control-Expose-Headers"] = exposedValue
	hosting := export.Hosting{Host: host, Dir: dir, Headers: h, Cache: cacheControl, Immutable: immutable}
	for _, m := range moved {
		hosting.Moved = append(hosting.Moved, export.MovedRule{Pattern: m.from.String(), To: m.to})
	}
	for _, k := range slices.Concat(contentKinds, siteKinds) {
		for _, f := range k.forms {
			if f.schema != "" {
				hosting.Schemas = append(hosting.Schemas, schemaRule(f))
			}
		}
	}
	fixed := func(r export.SchemaRule) int { return len(strings.ReplaceAll(r.Pattern, "[^/]+", "")) }
	slices.SortStableFunc(hosting.Schemas, func(a, b export.SchemaRule) int { return fixed(a) - fixed(b) })
	return hosting
}

// schemaRule returns the rule that gives the files of a form their Link. Rules of longer patterns are the more
// specific.
func schemaRule(f form) export.SchemaRule {
	before, variable, after := expression(f.path)
	pattern := "^" + regexp.QuoteMeta(before)
	if variable != "" {
		pattern += "[^/]+" + strings.Repeat("/[^/]+", strings.Count(variable, "}/{")) + regexp.QuoteMeta(after)
	}
	return export.SchemaRule{Pattern: pattern + "$", Link: file.SchemaLink(f.schemaPath())}
}
