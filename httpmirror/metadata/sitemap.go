package metadata

import (
	"bytes"
	"encoding/xml"
	"fmt"

	"almanac/catalog"
)

// maxSitemap is the most addresses that one sitemap may hold (sitemaps.org, "Protocol").
const maxSitemap = 50_000

// SitemapParts returns over how many sitemaps a number of pages is spread.
func SitemapParts(pages int) int { return max(1, (pages+maxSitemap-1)/maxSitemap) }

// Sitemap returns the list of the pages at paths for search engines, or, when there are more of them than one sitemap may
// hold, the index of several.
func (r *Renderer) Sitemap(paths []string) []byte {
	parts := SitemapParts(len(paths))
	if parts == 1 {
		return r.sitemap("urlset", "url", paths)
	}
	index := make([]string, parts)
	for i := range index {
		index[i] = catalog.SitemapPartPath(fmt.Sprint(i + 1))
	}
	return r.sitemap("sitemapindex", "sitemap", index)
}

// SitemapPart returns one of several sitemaps, counted from 1.
func (r *Renderer) SitemapPart(paths []string, part int) []byte {
	return r.sitemap("urlset", "url", paths[(part-1)*maxSitemap:min(part*maxSitemap, len(paths))])
}

func (r *Renderer) sitemap(root, item string, paths []string) []byte {
	var x bytes.Buffer
	x.WriteString(xml.Header)
	fmt.Fprintf(&x, "<%s xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n", root)
	for _, p := range paths {
		fmt.Fprintf(&x, "<%s><loc>", item)
		xml.EscapeText(&x, []byte(r.site.URL(p))) // a bytes.Buffer does not fail
		fmt.Fprintf(&x, "</loc></%s>\n", item)
	}
	fmt.Fprintf(&x, "</%s>\n", root)
	return x.Bytes()
}
