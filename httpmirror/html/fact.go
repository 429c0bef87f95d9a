package html

import (
	"slices"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/metadata"
	"go.almanac.example/httpmirror/phrase"
)

// maxDescription is the longest description of a page, in characters.
const maxDescription = 300

// Fact returns the page of one fact about a protocol.
func (p *Pages) Fact(d *catalog.FactDocument) Page {
	name := p.name(d.Protocol)
	text := name + ", " + lower(d.Label) + ": " + d.Text
	if runes := []rune(text); len(runes) > maxDescription {
		text = string(runes[:maxDescription-1]) + "…"
	}
	read := d.VerifiedAt
	for _, q := range d.Quotes {
		read = max(read, q.VerifiedAt) // the newest reading counts
	}
	var facts []string
	if len(d.History) > 0 && d.History[0].Date > read {
		facts = []string{"Wording edited on " + phrase.LongDay(d.History[0].Date)}
	}
	return Page{
		Narrow:      true,
		Facts:       facts,
		Title:       name + ": " + lower(d.Label),
		Description: text,
		Crumbs:      []Link{{Label: "Protocols", Path: catalog.ProtocolsPath}, {Label: name, Path: catalog.ProtocolPath(d.Protocol)}},
		Verified:    phrase.OneDay(read),
		Cited:       true,
		Source:      d.Source,
		LD: []any{metadata.LD(p.cat, "ld-work", metadata.Work{Type: "TechArticle", Title: name + ": " + lower(d.Label), Summary: text,
			Path: catalog.FactPath(d.Protocol + "/" + d.Field), VerifiedAt: d.VerifiedAt, Cited: []string{d.Source}})},
		content: factContent(p, d),
	}
}

// readingQuotes returns the words of readings.
func readingQuotes(readings []catalog.ClassedReading) []catalog.FactQuote {
	return catalog.Convert(readings, func(r catalog.ClassedReading) catalog.FactQuote {
		return catalog.FactQuote{Holds: r.Holds, Quote: r.Quote, URL: r.URL, Reading: &r, Note: r.Note}
	})
}

// otherwise returns the words of the readings that say otherwise than a record.
func otherwise(readings []catalog.ClassedReading) []catalog.FactQuote {
	return slices.DeleteFunc(readingQuotes(readings), func(q catalog.FactQuote) bool { return q.Holds })
}

// factPath returns the path of the page of a fact; if nothing is stated, that of the place that says so.
func (p *Pages) factPath(protocol, field string) string {
	id := catalog.FactID(protocol, field)
	if !p.cat.HasFact(id) {
		return catalog.ProtocolPath(protocol) + "#" + catalog.FieldAlias(field)
	}
	return catalog.FactPath(id)
}

// lower returns a label within a sentence: with a small letter at its beginning unless it is an abbreviation.
func lower(label string) string {
	if len(label) > 1 && label[1] >= 'A' && label[1] <= 'Z' {
		return label
	}
	return string(label[0]|0x20) + label[1:]
}
