package tools

import (
	"encoding/json"
	"regexp"
	"strings"

	"go.almanac.example/catalog"
)

// citations returns how a record is cited, and of a protocol also its specification.
func (r *resources) citations(rec record, doc *document) []catalog.Citation {
	if e, ok := r.catalog.Entry(rec.id); ok {
		return []catalog.Citation{r.catalog.Citation(e)}
	}
	name := r.catalog.Identity().Name
	c := catalog.Citation{Key: name + "-" + citeKey.ReplaceAllString(rec.id, "-"), Title: doc.title, Publisher: name,
		Authors: []string{name}, URL: rec.address, Accessed: catalog.DateOf(r.catalog.Modified())}
	for _, b := range doc.blocks {
		c.Issued = max(c.Issued, b.verified)
	}
	p := r.protocols.find(strings.TrimPrefix(rec.id, "protocol:"))
	if rec.kind != kindProtocol || p == nil || p.values["spec_url"].Value == nil {
		return []catalog.Citation{c}
	}
	address, steward := plainText(encode(p.values["spec_url"].Value)), p.values["steward"]
	if e := r.entryAt(address); e != nil {
		return []catalog.Citation{c, r.catalog.Citation(e)}
	}
	by := plainText(steward.shortened())
	return []catalog.Citation{c, {Key: p.id + "-specification", Title: p.name + ": specification", Publisher: by, Authors: []string{by},
		URL: address, Accessed: p.values["spec_url"].VerifiedAt}}
}

var citeKey = regexp.MustCompile(`[^a-z0-9]+`)

// csl returns citations as CSL-JSON.
func csl(list []catalog.Citation) json.RawMessage {
	parts := func(d catalog.Date) any {
		day := d.Time()
		return map[string]any{"date-parts": [][]int{{day.Year(), int(day.Month()), day.Day()}}}
	}
	return encode(catalog.Convert(list, func(c catalog.Citation) members {
		item := members{{"id", c.Key}, {"type", "webpage"}, {"title", c.Title},
			{"author", catalog.Convert(c.Authors, func(a string) map[string]string { return map[string]string{"literal": a} })},
			{"publisher", c.Publisher}, {"URL", c.URL}}
		if c.Issued != "" {
			item = append(item, member{"issued", parts(c.Issued)})
		}
		if c.Accessed != "" {
			item = append(item, member{"accessed", parts(c.Accessed)})
		}
		return item
	}))
}
