package tools

import (
	"encoding/json"
	"regexp"

	"go.almanac.example/catalog"
)

// citation returns how a record is cited.
func (r *resources) citation(rec record, doc *document) catalog.Citation {
	name := r.catalog.Identity().Name
	c := catalog.Citation{Key: name + "-" + citeKey.ReplaceAllString(rec.id, "-"), Title: doc.title, Publisher: name,
		Authors: []string{name}, URL: rec.address, Accessed: catalog.DateOf(r.catalog.Modified())}
	for _, b := range doc.blocks {
		c.Issued = max(c.Issued, b.verified)
	}
	if e, ok := r.catalog.Entry(rec.id); ok {
		return r.catalog.Citation(e)
	}
	return c
}

var citeKey = regexp.MustCompile(`[^a-z0-9]+`)

// csl returns a citation as CSL-JSON.
func csl(c catalog.Citation) json.RawMessage {
	parts := func(d catalog.Date) any {
		day := d.Time()
		return map[string]any{"date-parts": [][]int{{day.Year(), int(day.Month()), day.Day()}}}
	}
	item := members{{"id", c.Key}, {"type", "webpage"}, {"title", c.Title},
		{"author", catalog.Convert(c.Authors, func(a string) map[string]string { return map[string]string{"literal": a} })},
		{"publisher", c.Publisher}, {"URL", c.URL}}
	if c.Issued != "" {
		item = append(item, member{"issued", parts(c.Issued)})
	}
	if c.Accessed != "" {
		item = append(item, member{"accessed", parts(c.Accessed)})
	}
	return encode([]any{item})
}
