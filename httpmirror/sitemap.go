package httpmirror

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"

	"almanac/catalog"
	"almanac/httpmirror/file"
)

// sitemapLimit is the most addresses one sitemap may hold (sitemaps.org, "Protocol").
const sitemapLimit = 50_000

// sitemap adds the list of pages for search engines: one file, or an index of several when there
// are more pages than one may hold.
func (b *builder) sitemap() error {
	var pages []string
	for _, f := range b.sink.Listings() {
		if strings.HasPrefix(f.MediaType, "text/html") {
			pages = append(pages, f.Path)
		}
	}
	if len(pages) <= sitemapLimit {
		return b.add(catalog.SitemapPath, file.XML, b.sitemapXML("urlset", "url", pages))
	}
	var parts []string
	for start := 0; start < len(pages); start += sitemapLimit {
		path := fmt.Sprintf("/sitemap-%d.xml", len(parts)+1)
		part := pages[start:min(start+sitemapLimit, len(pages))]
		if err := b.add(path, file.XML, b.sitemapXML("urlset", "url", part)); err != nil {
			return err
		}
		parts = append(parts, path)
	}
	return b.add(catalog.SitemapPath, file.XML, b.sitemapXML("sitemapindex", "sitemap", parts))
}

func (b *builder) sitemapXML(root, item string, paths []string) []byte {
	var x bytes.Buffer
	x.WriteString(xml.Header)
	fmt.Fprintf(&x, "<%s xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n", root)
	for _, p := range paths {
		fmt.Fprintf(&x, "<%s><loc>", item)
		xml.EscapeText(&x, []byte(b.site.URL(p))) // a bytes.Buffer does not fail
		fmt.Fprintf(&x, "</loc></%s>\n", item)
	}
	fmt.Fprintf(&x, "</%s>\n", root)
	return x.Bytes()
}
