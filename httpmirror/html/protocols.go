package html

import (
	"strings"

	"almanac/catalog"
	"almanac/httpmirror/metadata"
	"almanac/httpmirror/phrase"
)

// A factView is a fact as the pages show it: its value by kind, with where and when it was read.
type factView struct {
	Name, Label string
	Stated      bool
	Source      string
	VerifiedAt  catalog.Date

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

// Short returns the abbreviation that the name has in brackets when that is the id, and otherwise the name without what
// stands in brackets.
func (v protocolView) Short() string {
	name, rest, _ := strings.Cut(v.Name, " (")
	if abbreviation := strings.TrimSuffix(rest, ")"); strings.EqualFold(abbreviation, v.ID) {
		return abbreviation
	}
	return name
}

func newProtocolView(p *catalog.Protocol) protocolView {
	v := protocolView{Protocol: p, Path: catalog.ProtocolPath(p.ID)}
	for _, f := range p.Facts() {
		v.Facts = append(v.Facts, viewOf(f))
	}
	return v
}

// Protocols returns the comparison of the protocols.
func (p *Pages) Protocols() Page {
	var views []protocolView
	var verified phrase.Span
	for _, pr := range p.cat.Protocols().Protocols {
		views = append(views, newProtocolView(pr))
		verified.Add(pr.VerifiedAt())
	}
	return Page{
		Title:       "Payment protocols compared",
		Description: "Nine protocols by which machines pay, side by side: status codes, headers, rail, networks and flow, each fact with its source and date.",
		Lede:        "Nine protocols by which a machine can be asked for money and pay it. Below each fact stand the page it was read on and the day; what the cited pages do not state is left open.",
		Verified:    verified,
		LD:          []any{metadata.FactsLD(p.cat, verified.Last)},
		content:     protocolsContent(views),
	}
}

// A protocolPage is what the page of one protocol shows.
type protocolPage struct {
	protocolView
	Tag       *catalog.Tag       // the tag of that name, if there is one
	Articles  []*catalog.Article // that are about it
	Questions []string           // that its facts answer
}

// Protocol returns the page of the facts about a protocol.
func (p *Pages) Protocol(pr *catalog.Protocol, tag *catalog.Tag, articles []*catalog.Article) Page {
	v := newProtocolView(pr)
	return Page{
		Title:       v.Name + ", checked facts",
		Heading:     v.Name,
		Description: v.Name + ": status codes, headers, payment rail, networks, libraries and flow, each fact with its source and the day it was read.",
		Crumbs:      []Link{{Label: "Protocols", Path: catalog.ProtocolsPath}},
		Verified:    phrase.OneDay(v.VerifiedAt()),
		content:     protocolContent(protocolPage{v, tag, articles, p.cat.Questions("protocol:" + pr.ID)}),
	}
}
