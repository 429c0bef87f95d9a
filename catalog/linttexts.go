package catalog

import (
	"regexp"
	"slices"
	"strings"

	"almanac/nearest"
)

// Links of a Markdown text to the pages of records. A link begins at the root, so that it holds on
// every host.
var (
	entryLink    = regexp.MustCompile(`\]\(/library/entry/([^)/#?]*)/?[^)]*\)`)
	protocolLink = regexp.MustCompile(`\]\(/protocols/([^)/#?]+)/?[^)]*\)`)
	articleLink  = regexp.MustCompile(`\]\(/articles/([^)/#?]+)/?[^)]*\)`)
	datasetLink  = regexp.MustCompile(`\]\(/datasets/([^)/#?]+)/?[^)]*\)`)
	tagLink      = regexp.MustCompile(`\]\(/tags/([^)/#?]+)/?[^)]*\)`)
)

// lintText looks at a Markdown text: its headings, and its links to records, which can be known to exist.
func (c *Catalog) lintText(at linter, body string) {
	if strings.TrimSpace(body) == "" {
		return // that the file cannot be read or is empty has been told
	}
	at.visibleLines("text", body)
	fenced := false
	for i, line := range strings.Split(body, "\n") {
		switch {
		case strings.HasPrefix(line, "```"):
			fenced = !fenced
		case !fenced && strings.HasPrefix(line, "# "):
			at.add("headings", "line %d is a heading of the first level; the title is in the record, so begin with ##", i+1)
		}
	}
	if fenced {
		at.add("code", "a block of code is not closed; end it with ```")
	}
	for _, kind := range []struct {
		pattern *regexp.Regexp
		path    string
		has     func(id string) bool
		words   func() []string
	}{
		{entryLink, "/library/entry/", has(c.Entry), func() []string { return sortedKeys(c.byID) }},
		{protocolLink, "/protocols/", has(c.Protocol), func() []string { return ProtocolIDs }},
		{articleLink, "/articles/", has(c.Article), func() []string { return idsOf(c.articles, func(a *Article) string { return a.ID }) }},
		{datasetLink, "/datasets/", has(c.Dataset), func() []string { return idsOf(c.datasets, func(d *Dataset) string { return d.ID }) }},
		{tagLink, "/tags/", has(c.TagList), func() []string { return sortedKeys(c.byTag) }},
	} {
		for _, m := range kind.pattern.FindAllStringSubmatch(body, -1) {
			if id := strings.TrimSuffix(m[1], ".md"); !kind.has(id) {
				at.add("link", "%s%s/ is no page of this site%s", kind.path, m[1], nearest.DidYouMean(id, kind.words(), 1))
			}
		}
	}
}

// has makes a look-up a question.
func has[T any](find func(string) (T, bool)) func(string) bool {
	return func(id string) bool { _, ok := find(id); return ok }
}

// grounds gives the records that a text links to and that exist, each once.
func (c *Catalog) grounds(body string, pattern *regexp.Regexp) []string {
	var ids []string
	for _, m := range pattern.FindAllStringSubmatch(body, -1) {
		_, isEntry := c.byID[m[1]]
		if (isEntry || slices.Contains(ProtocolIDs, m[1])) && !slices.Contains(ids, m[1]) {
			ids = append(ids, m[1])
		}
	}
	return ids
}

func idsOf[T any](records []T, id func(T) string) []string {
	ids := make([]string, len(records))
	for i, r := range records {
		ids[i] = id(r)
	}
	return ids
}
