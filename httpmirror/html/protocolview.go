package html

import (
	"strings"

	"almanac/catalog"
)

// A factView is a fact as the pages show it: its value by kind, with where and when it was read.
type factView struct {
	Name, Label string
	Stated      bool
	Source      string
	VerifiedAt  catalog.Date
	Evidence    string // path of the page of what was read for it; "": there is none
	Readings    catalog.MemberEvidence

	Text     string // spec_url, payment_rail, notes and example
	Link     string // the value is an address
	Code     bool   // the text is a listing
	Codes    []int
	Headers  []catalog.Header
	Networks []catalog.Network
	Links    []catalog.Library // facilitators and client libraries
	Steps    []string
}

// viewOf returns a field of a protocol as the pages show it.
func viewOf(f catalog.FactField) factView {
	v := factView{Name: f.Name, Label: f.Label, Stated: f.Value != nil, Source: f.Source, VerifiedAt: f.VerifiedAt}
	switch value := f.Value.(type) {
	case string:
		v.Text = value
		v.Code = f.Name == "example"
		if f.Name == "spec_url" {
			v.Link = value
		}
	case []int:
		v.Codes = value
	case []catalog.Header:
		v.Headers = value
	case []catalog.Network:
		v.Networks = value
	case []catalog.Link:
		for _, l := range value {
			v.Links = append(v.Links, catalog.Library{Name: l.Name, URL: &l.URL})
		}
	case []catalog.Library:
		v.Links = value
	case []string:
		v.Steps = value
	}
	return v
}

// networkNames returns the names of the networks.
func (f factView) networkNames() string {
	names := make([]string, len(f.Networks))
	for i, n := range f.Networks {
		names[i] = n.Name
	}
	return strings.Join(names, ", ")
}

// A protocolView is a protocol with its facts in order and by name.
type protocolView struct {
	*catalog.Protocol
	Path  string
	Facts []factView
}

// Fact returns the fact with a name.
func (v protocolView) Fact(name string) factView {
	for _, f := range v.Facts {
		if f.Name == name {
			return f
		}
	}
	return factView{Name: name}
}

// Short returns the name as tables have it.
func (v protocolView) Short() string { return shortName(v.ID, v.Name) }

func newProtocolView(p *catalog.Protocol) protocolView {
	v := protocolView{Protocol: p, Path: catalog.ProtocolPath(p.ID)}
	for _, f := range p.Facts() {
		v.Facts = append(v.Facts, viewOf(f))
	}
	return v
}

// A protocolPage is what the page of one protocol shows.
type protocolPage struct {
	ID            string
	Facts         []factView // of the facts document; none of other protocols
	Profile       *catalog.Profile
	Flow          *catalog.Flow
	Disagreements []catalog.Disagreement
	Tag           *catalog.Tag       // the tag of that name, if there is one
	Articles      []*catalog.Article // that are about it
	Questions     []string           // that its facts answer
}
