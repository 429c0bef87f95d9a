package html

import (
	"slices"
	"strings"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/metadata"
	"go.almanac.example/httpmirror/phrase"
)

// Protocols returns the comparison of the protocols.
func (p *Pages) Protocols() Page {
	list := p.cat.Protocols().Protocols
	protocols := phrase.Sentence(phrase.Spelled(len(p.cat.ProtocolPageIDs()), "protocol", "protocols"))
	return Page{
		Title:       "Payment protocols compared",
		Description: protocols + " by which machines pay, side by side: status codes, headers, rail, networks and flow, each fact with its source and date.",
		Lede:        protocols + " that machines use to request and make payments. Each fact shows its source and date.",
		Verified:    phrase.SpanOf(list, func(pr *catalog.Protocol) catalog.Date { return pr.VerifiedAt() }),
		LD:          []any{metadata.LD(p.cat, "ld-facts", nil)},
		content:     protocolsContent(list, p.cat.Profiles(), p.has),
	}
}

// Protocol returns the page of a protocol.
func (p *Pages) Protocol(id string, tag *catalog.Tag, articles []*catalog.Article) Page {
	data := protocolPage{ID: id, Tag: tag, Articles: articles, Questions: p.cat.Questions("protocol:" + id),
		Disagreements: p.cat.Disagreements(id), Payers: p.cat.Payers(id), Changed: p.changedFields("protocol:"+id, "profile:"+id)}
	name := p.cat.ProtocolName(id)
	pg := Page{
		Title:       name + ", checked facts",
		Heading:     name,
		Description: name + ": status codes, headers, payment rail, networks, libraries and flow, each fact with its source and the day it was read.",
		Crumbs:      []Link{{Label: "Protocols", Path: catalog.ProtocolsPath}},
	}
	var verified phrase.Span
	if pr, ok := p.cat.Protocol(id); ok {
		data.Facts = p.facts(pr)
		verified.Add(pr.VerifiedAt())
	}
	data.Versions = p.versions(id)
	data.Exchanges, data.ExchangeNote = p.cat.Exchanges(id), p.cat.ExchangeNote()
	if f, ok := p.cat.Flow(id); ok {
		data.Flow = f
		verified.Add(f.VerifiedAt())
	}
	if pr, ok := p.cat.Profile(id); ok {
		data.Profile = pr
		pg.Lede = pr.Sentence()
		pg.Description = pg.Lede
		verified.Add(pr.VerifiedAt())
		data.Pairs = p.pairs(id)
	}
	data.Notes = newNotes(&data)
	data.Box = factsOfBox(data, verified)
	var cited []string
	for _, n := range data.Notes.list {
		cited = append(cited, n.Address)
	}
	pg.LD = []any{metadata.LD(p.cat, "ld-work", metadata.Work{Type: "TechArticle", Title: pg.Title, Summary: pg.Description,
		Path: catalog.ProtocolPath(id), VerifiedAt: verified.Last, Cited: cited})}
	pg.Verified, pg.content = verified, protocolContent(data)
	return pg
}

// boxFields are the fields of the fact box.
var boxFields = []string{"status", "version", "steward", "rail", "status_codes", "account_needed", "licence",
	"reference_implementations", "latest_release"}

// factsOfBox returns the answers that most readers look for, each with the place of its value.
func factsOfBox(d protocolPage, verified phrase.Span) (list []boxFact) {
	if d.Profile == nil {
		return nil
	}
	for _, name := range boxFields {
		if f := d.Profile.Field(name); f.Value != nil {
			list = append(list, boxFact{f.Label, f.Short, "#choice-" + name})
		}
	}
	return append(list, boxFact{"Last read", string(verified.Last), "#sources"})
}

// pairs returns links to the comparisons of a protocol with some others of its kind.
func (p *Pages) pairs(id string) (links []Link) {
	for _, pair := range p.cat.PairIDs() {
		this, other := p.cat.Pair(pair)
		if other.ID == id {
			this, other = other, this
		}
		if this.ID == id && this.Kind == other.Kind {
			links = append(links, Link{Label: "vs " + shortName(other.ID, other.Name), Path: catalog.PairPath(pair)})
		}
	}
	return append(links, Link{Label: "All protocols", Path: catalog.ComparePath})
}

// changedFields returns the newest day on which the value of each field of some records was edited, by the record, a
// dot and the field.
func (p *Pages) changedFields(records ...string) map[string]catalog.Date {
	days := make(map[string]catalog.Date)
	for _, record := range records {
		doc, ok := p.cat.RecordHistory(catalog.HistoryPathID(record))
		if !ok {
			continue
		}
		for _, e := range doc.Events {
			for _, m := range e.Members {
				if field, ok := strings.CutSuffix(m.Name, ".value"); ok && e.Change == "edited" && m.Old != nil {
					days[record+"."+field] = max(days[record+"."+field], e.Date)
				}
			}
		}
	}
	return days
}

// facts returns the facts about a protocol, which link to their evidence.
func (p *Pages) facts(pr *catalog.Protocol) (list []factView) {
	id := catalog.HistoryPathID("protocol:" + pr.ID)
	e, hasEvidence := p.cat.Evidence(id)
	for _, f := range pr.Facts() {
		view := factView{FactField: f}
		if hasEvidence && f.Value != nil {
			if m, ok := e.Member(f.Name); ok {
				view.Evidence, view.Readings = catalog.EvidencePath(id), m
			}
		}
		list = append(list, view)
	}
	return list
}

// A versionView is an earlier version of a protocol with the facts that are stated for it.
type versionView struct {
	catalog.ProtocolVersion
	Facts []factView
}

// versions returns the earlier versions of a protocol, whose facts link to their evidence.
func (p *Pages) versions(id string) (list []versionView) {
	evidence := catalog.EvidencePath(catalog.HistoryPathID("protocol:"+id)) + "#"
	for _, v := range p.cat.Versions(id) {
		view := versionView{ProtocolVersion: v}
		for _, f := range v.Facts.Facts() {
			if f.Value != nil {
				view.Facts = append(view.Facts,
					factView{FactField: f, Evidence: evidence + evidenceAnchor(f.Name+"@"+v.Version)})
			}
		}
		list = append(list, view)
	}
	return list
}

// A factView is a fact as the pages show it.
type factView struct {
	catalog.FactField
	Evidence string // path of the page of what was read for it; "": there is none
	Readings catalog.MemberEvidence
}

// networkNames returns the names of networks.
func networkNames(networks []catalog.Network) string {
	return strings.Join(catalog.Convert(networks, func(n catalog.Network) string { return n.Name }), ", ")
}

// factOf returns the fact with a name among those of a protocol, which all have it.
func factOf(facts []catalog.FactField, name string) catalog.FactField {
	return facts[slices.IndexFunc(facts, func(f catalog.FactField) bool { return f.Name == name })]
}

// A protocolPage is the data of the page of one protocol.
type protocolPage struct {
	ID            string
	Box           []boxFact
	Facts         []factView // of the facts document; none of other protocols
	Profile       *catalog.Profile
	Flow          *catalog.Flow
	Disagreements []catalog.Disagreement
	Versions      []versionView      // earlier ones, oldest first
	Tag           *catalog.Tag       // the tag of that name, if there is one
	Articles      []*catalog.Article // that are about it
	Questions     []string           // that its facts answer
	Exchanges     []catalog.Exchange // programs that pay this service
	ExchangeNote  string
	Pairs         []Link // to comparisons
	Notes         *notes
	Changed       map[string]catalog.Date // see changedFields
	Payers        []catalog.Payer
}

// A boxFact is an answer in the fact box, with the address of its value.
type boxFact struct{ Label, Text, Path string }

// foldedNetworks is the number of networks above which a page shows their names and folds the rest.
const foldedNetworks = 8

// states reports whether a fact of the page states the field of the profile.
func (d protocolPage) states(f catalog.FieldName) bool {
	return slices.ContainsFunc(d.Facts, func(fact factView) bool { return fact.Name == f.Fact() && fact.Value != nil })
}

// choiceOf returns the field of the profile that a fact states, or "".
func (d protocolPage) choiceOf(fact string) string {
	if d.Profile != nil {
		for _, f := range d.Profile.Fields() {
			if f.Fact() == fact && d.states(f.FieldName) {
				return f.Name
			}
		}
	}
	return ""
}

// contents returns links to the sections of the page.
func (d protocolPage) contents() (links []Link) {
	add := func(has bool, anchor, label string) {
		if has {
			links = append(links, Link{Label: label, Path: "#" + anchor})
		}
	}
	add(d.Flow != nil, "flow", "How a payment runs")
	add(len(d.Exchanges) > 0, "code", "A payment in code")
	for _, f := range d.Facts {
		add(f.Name != "pay_flow" || d.Flow == nil, f.Name, f.Label)
	}
	add(d.Profile != nil, "choosing", "Profile")
	add(d.Profile != nil && len(d.Profile.Events) > 0, "timeline", "Release timeline")
	add(len(d.Payers) > 0, "payers", "Clients that pay this")
	add(len(d.Disagreements) > 0, "disagreements", "Where the sources disagree")
	add(len(d.Versions) > 0, "versions", "Earlier versions")
	add(len(d.Notes.list) > 0, "sources", "Sources")
	return links
}

// evidenceAnchor returns the anchor of a member on the page of its evidence, in characters that ids allow.
func evidenceAnchor(member string) string {
	return strings.NewReplacer("@", "-", ".", "-").Replace(member)
}

// anchorOf returns the name of the place of a heading.
func anchorOf(label string) string { return strings.ReplaceAll(strings.ToLower(label), " ", "-") }

// shortName returns the abbreviation that a name has in brackets when that is the id, and otherwise the name without
// what stands in brackets.
func shortName(id, name string) string {
	short, rest, _ := strings.Cut(name, " (")
	if abbreviation := strings.TrimSuffix(rest, ")"); strings.EqualFold(abbreviation, id) {
		return abbreviation
	}
	return short
}
