package tools

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/phrase"
)

// A citation is how a record is cited: of a library entry, its source; of any other, our page about it.
type citation struct {
	key, title, publisher, url string
	authors                    []string
	issued                     catalog.Date // "" if not known
	accessed                   catalog.Date // the day it was read
}

func (r *resources) citation(rec record, doc *document) citation {
	name := r.catalog.Identity().Name
	c := citation{key: name + "-" + citeKey.ReplaceAllString(rec.id, "-"), title: doc.title, publisher: name,
		authors: []string{name}, url: rec.address, accessed: catalog.DateOf(r.catalog.Modified())}
	for _, b := range doc.blocks {
		c.issued = max(c.issued, b.verified)
	}
	if e, ok := r.catalog.Entry(rec.id); ok {
		c = citation{e.ID, e.Title, e.Publisher, e.URL, e.Authors, e.Published(), e.VerifiedAt}
		if len(c.authors) == 0 {
			c.authors = []string{e.Publisher}
		}
	}
	return c
}

var arXiv = regexp.MustCompile(`^https://arxiv\.org/abs/((\d\d)\d\d\.\d+)`)

var citeKey = regexp.MustCompile(`[^a-z0-9]+`)

func (c citation) bibTeX() string {
	authors := catalog.Convert(c.authors, func(a string) string { return "{" + phrase.BibTeX.Replace(a) + "}" })
	date := fmt.Sprintf("  year = {n.d.},\n  note = {Undated; read %s},\n", c.accessed)
	if c.issued != "" {
		date = fmt.Sprintf("  year = {%d},\n  date = {%s},\n", c.issued.Time().Year(), c.issued)
	}
	if m := arXiv.FindStringSubmatch(c.url); m != nil { // whose numbers begin with the year and the month
		date = fmt.Sprintf("  year = {20%s},\n  eprint = {%s},\n  eprinttype = {arxiv},\n", m[2], m[1])
	}
	return fmt.Sprintf("@misc{%s,\n  author = {%s},\n  title = {%s},\n  publisher = {%s},\n%s  url = {%s},\n  urldate = {%s}\n}\n",
		c.key, strings.Join(authors, " and "), phrase.BibTeX.Replace(c.title), phrase.BibTeX.Replace(c.publisher), date, c.url, c.accessed)
}

// csl returns the citation as CSL-JSON.
func (c citation) csl() json.RawMessage {
	parts := func(d catalog.Date) any {
		day := d.Time()
		return map[string]any{"date-parts": [][]int{{day.Year(), int(day.Month()), day.Day()}}}
	}
	item := members{{"id", c.key}, {"type", "webpage"}, {"title", c.title},
		{"author", catalog.Convert(c.authors, func(a string) map[string]string { return map[string]string{"literal": a} })},
		{"publisher", c.publisher}, {"URL", c.url}}
	if c.issued != "" {
		item = append(item, member{"issued", parts(c.issued)})
	}
	if c.accessed != "" {
		item = append(item, member{"accessed", parts(c.accessed)})
	}
	return encode([]any{item})
}
