package catalog

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// A FactDocument is one fact about a protocol with its evidence, its history and the same of other protocols.
type FactDocument struct {
	Head
	Protocol    string        `json:"protocol"`
	Name        string        `json:"name"` // of the protocol
	Field       string        `json:"field"`
	Label       string        `json:"label"`
	Value       any           `json:"value"`
	Text        string        `json:"text"` // the value as one line
	Source      string        `json:"source"`
	VerifiedAt  Date          `json:"verified_at"`
	HTMLURL     string        `json:"html_url"`
	ProtocolURL string        `json:"protocol_url"`
	Quotes      []FactQuote   `json:"quotes"` // those that the fact follows first
	History     []FactChange  `json:"history"`
	Versions    []FactVersion `json:"versions"` // of earlier versions of the protocol, oldest first
	Others      []OtherFact   `json:"others"`   // of the other protocols, in their order

	ProfileField `json:"-"`
}

// A FactQuote is the words of a source about a fact.
type FactQuote struct {
	Holds      bool    `json:"holds"` // false: the source says something else
	Quote      string  `json:"quote"`
	URL        string  `json:"url"`
	Copy       string  `json:"copy"` // which copy was read
	VerifiedAt Date    `json:"verified_at"`
	Note       *string `json:"note"`

	Reading *ClassedReading `json:"-"` // nil if it is of a profile
}

// A FactChange is an edit of the value of a fact.
type FactChange struct {
	Date Date            `json:"date"`
	Old  json.RawMessage `json:"old"`
	New  json.RawMessage `json:"new"`
}

// A FactVersion is the fact as an earlier version of the protocol had it.
type FactVersion struct {
	Version string `json:"version"`
	Text    string `json:"text"`
	Source  string `json:"source"`
	URL     string `json:"html_url"`
}

// An OtherFact is the same fact of another protocol. Without a value, its text is empty.
type OtherFact struct {
	Protocol string `json:"protocol"`
	Name     string `json:"name"`
	Text     string `json:"text"`
	URL      string `json:"html_url"` // of that fact, or of the protocol
}

// FactID returns the id of the fact about a protocol that a field states, under either of its names, as addresses have it.
func FactID(protocol, field string) string { return protocol + "/" + FieldAlias(field) }

// FactIDs returns the id of every fact that is stated about a protocol.
func (c *Catalog) FactIDs() (ids []string) {
	for _, id := range c.ProtocolPageIDs() {
		for _, f := range c.ProtocolFields(id) {
			if f.Value != nil {
				ids = append(ids, FactID(id, f.Name))
			}
		}
	}
	return ids
}

// HasFact reports whether there is a fact with an id.
func (c *Catalog) HasFact(id string) bool {
	protocol, field, ok := strings.Cut(id, "/")
	return ok && c.protocolField(protocol, field).Value != nil
}

func (c *Catalog) protocolField(protocol, field string) ProfileField {
	f, _ := find(c.ProtocolFields(protocol), func(f ProfileField) bool { return f.Name == field })
	return f
}

// Fact returns the document of a fact, whose id is one of FactIDs.
func (c *Catalog) Fact(id string) *FactDocument {
	protocol, field, _ := strings.Cut(id, "/")
	f := c.protocolField(protocol, field)
	doc := &FactDocument{
		Head: c.head("fact", c.ProtocolPageDay(protocol)), Protocol: protocol, Name: c.ProtocolName(protocol), Field: field,
		Label: f.Label, Value: f.Value, Text: f.Text(), Source: f.Source, VerifiedAt: f.VerifiedAt,
		HTMLURL: c.Site().URL(FactPath(id)), ProtocolURL: c.Site().URL(ProtocolPath(protocol)),
		Quotes: []FactQuote{}, History: []FactChange{}, Versions: []FactVersion{}, Others: []OtherFact{}, ProfileField: f,
	}
	doc.addQuotes(c)
	doc.addHistory(c)
	for _, v := range c.Versions(protocol) {
		for _, was := range v.Facts.Facts() {
			if was.Name == field && was.Value != nil {
				doc.Versions = append(doc.Versions, FactVersion{v.Version, was.Text(), was.Source,
					c.Site().URL(VersionPath(protocol, v.Version))})
			}
		}
	}
	for _, other := range c.ProtocolPageIDs() {
		if other == protocol {
			continue
		}
		o, path := c.protocolField(other, field), ProtocolPath(other)
		if o.Value != nil {
			path = FactPath(FactID(other, field))
		}
		doc.Others = append(doc.Others, OtherFact{other, c.ProtocolName(other), cmp.Or(o.Short, o.Text()), c.Site().URL(path)})
	}
	return doc
}

// addQuotes adds the words of the sources: the readings of the fact, and that of the field of the profile.
func (d *FactDocument) addQuotes(c *Catalog) {
	record := kindProtocol + ":" + d.Protocol
	for _, r := range c.classed(c.sourceAddresses(record)(d.Field), c.Readings(record, d.Field)) {
		d.Quotes = append(d.Quotes, FactQuote{r.Holds, r.Quote, r.URL, r.Copy, r.ReadAt, r.Note, &r})
	}
	p, ok := c.Profile(d.Protocol)
	if !ok {
		return
	}
	for _, f := range p.Fields() {
		if FieldAlias(f.Name) == d.Field && f.Quote != "" {
			d.Quotes = append(d.Quotes, FactQuote{true, f.Quote, f.Source, f.Read, f.VerifiedAt, nil, nil})
		}
	}
}

// addHistory adds the edits of the value, newest first.
func (d *FactDocument) addHistory(c *Catalog) {
	for _, kind := range []string{kindProtocol, "profile"} {
		for _, e := range c.history.byRecord[kind+":"+d.Protocol] {
			for _, m := range e.Members {
				name, isValue := strings.CutSuffix(m.Name, ".value")
				if isValue && FieldAlias(name) == d.Field && e.Change == "edited" {
					d.History = append(d.History, FactChange{e.Day, m.Old, m.New})
				}
			}
		}
	}
	slices.SortStableFunc(d.History, func(a, b FactChange) int { return strings.Compare(string(b.Date), string(a.Date)) })
}
