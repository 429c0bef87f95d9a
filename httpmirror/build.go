package httpmirror

import (
	"fmt"

	"almanac/catalog"
	"almanac/httpmirror/file"
)

// A builder renders the files of a catalog and adds each to a sink.
type builder struct {
	cat  *catalog.Catalog
	site catalog.Site
	o    Options

	sink *file.Sink

	sections map[*catalog.Entry][]byte // each entry in Markdown, while there is need of it

	// dayPage renders the page of a day of the change feed. It is set by the page kind and
	// serves days without changes, which are no files.
	dayPage func(*catalog.ChangeList) ([]byte, error)
}

func newBuilder(c *catalog.Catalog, o Options, sink *file.Sink) *builder {
	return &builder{cat: c, site: c.Site(), o: o, sink: sink}
}

// run renders every kind of file. What lists the others comes last.
func (b *builder) run() error {
	for _, kind := range []struct {
		name   string
		render func() error
	}{
		{"JSON documents", b.jsonFiles},
		{"Markdown files", b.markdownFiles},
		{"pages", b.htmlFiles},
		{"datasets", b.datasetFiles},
		{"feeds", b.feeds},
		{"discovery", b.discovery},
		{"DCAT catalogue", b.dcatCatalog},
		{"OpenAPI", b.openapi},
		{"sitemap", b.sitemap},
		{"manifest", b.manifest},
	} {
		if err := kind.render(); err != nil {
			return fmt.Errorf("%s: %w", kind.name, err)
		}
	}
	return nil
}

// add hands a file on. It may be called from several goroutines.
func (b *builder) add(path, mediaType string, body []byte, alternates ...file.Alternate) error {
	return b.sink.Add(path, mediaType, body, alternates...)
}
