package html

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/metadata"
	"go.almanac.example/httpmirror/phrase"
)

// Protocols returns the comparison of the protocols.
func (p *Pages) Protocols() Page {
	list := p.cat.Protocols().Protocols
	protocols := phrase.Count(len(p.cat.ProtocolPageIDs()), "protocol", "protocols")
	return Page{
		Title:       "Payment protocols",
		Description: protocols + " by which machines pay: status codes, headers, rail, networks and flow, each fact with its source and date.",
		Lede:        protocols + " that machines use to request and make payments. Each has a page with its facts, their sources and dates.",
		Verified:    phrase.SpanOf(list, func(pr *catalog.Protocol) catalog.Date { return pr.VerifiedAt() }),
		LD:          []any{metadata.LD(p.cat, "ld-facts", nil)},
		content:     protocolsContent(p.cat.Profiles(), p.has),
	}
}

// Protocol returns the page of a protocol.
func (p *Pages) Protocol(id string, tag *catalog.Tag, articles []*catalog.Article) Page {
	data := protocolPage{ID: id, Tag: tag, Articles: articles, Answers: p.answers("protocol:" + id), News: p.cat.NewsAbout(id),
		Disagreements: p.cat.Disagreements(id), Upgrades: p.cat.Upgrades(id)}
	name := p.cat.ProtocolName(id)
	if pr, ok := p.cat.Profile(id); ok {
		name = pr.Name
	}
	pg := Page{
		Title:       name + ", checked facts",
		Heading:     name,
		Description: name + ": status codes, headers, payment rail, networks, libraries and flow, each fact with its source and the day it was read.",
		Crumbs:      []Link{{Label: "Protocols", Path: catalog.ProtocolsPath}},
	}
	data.Ways = slices.DeleteFunc(slices.Clone(p.cat.PayWays()), func(w catalog.PayWay) bool { return w.Protocol != id })
	data.Payers = slices.DeleteFunc(slices.Clone(p.cat.Clients()), func(k *catalog.Client) bool {
		return !slices.ContainsFunc(data.Ways, func(w catalog.PayWay) bool { return paidBy(w, []*catalog.Client{k}) })
	})
	var verified phrase.Span
	data.Exchanges, data.ExchangeNote = p.cat.Exchanges(id), p.cat.ExchangeNote(id)
	if f, ok := p.cat.Flow(id); ok {
		data.Flow = f
		verified.Add(f.VerifiedAt())
	}
	data.Record = p.record(id, data.Flow != nil)
	if pr, ok := p.cat.Profile(id); ok {
		data.Profile = pr
		pg.Lede, pg.Description = pr.Name+" is "+pr.Summary+".", pr.Sentence()
		verified.Add(pr.VerifiedAt())
		data.Pairs = p.pairs(id)
	}
	data.Strip = p.strip(data)
	data.Read = make(map[string]catalog.Date)
	for _, f := range data.Record {
		verified.Add(f.VerifiedAt)
		data.Read[f.Source] = max(data.Read[f.Source], f.VerifiedAt)
	}
	delete(data.Read, "") // of what is not stated
	pg.LD = []any{metadata.LD(p.cat, "ld-work", metadata.Work{Type: "TechArticle", Title: pg.Title, Summary: pg.Description,
		Path: catalog.ProtocolPath(id), VerifiedAt: verified.Last, Cited: slices.Sorted(maps.Keys(data.Read))})}
	pg.Verified, pg.content = verified, protocolContent(p, data)
	return pg
}

// record returns everything that is stated about a protocol, without the pay flow where it is drawn.
func (p *Pages) record(id string, drawn bool) (list []recordField) {
	var evidence []catalog.ClassedMemberEvidence
	if e, ok := p.cat.Evidence(catalog.HistoryPathID("protocol:" + id)); ok {
		evidence = p.cat.ClassedEvidence(e)
	}
	for _, f := range p.cat.ProtocolFields(id) {
		if drawn && f.Name == "pay_flow" || f.Value == nil && f.Topic == "" {
			continue
		}
		f.Group = cmp.Or(f.Group, map[string]string{"spec_url": "Specification", "payment_rail": "Price and payment", "networks": "Price and payment"}[f.Name], "Implementation")
		field := recordField{ProfileField: f}
		for _, m := range evidence {
			if m.Member == f.Name {
				field.Otherwise = otherwise(m.Readings)
			}
		}
		list = append(list, field)
	}
	slices.SortStableFunc(list, func(a, b recordField) int {
		return slices.Index(recordGroups, a.Group) - slices.Index(recordGroups, b.Group)
	})
	return list
}

// stripFields are the fields of the strip at the top of the page of a protocol.
var stripFields = [][2]string{
	{"payment_rail", "Pays with"}, {"fees", "Fees"}, {"refund", "Refunds"}, {"account_needed", "Account needed"}, {"status", "Status"}, {"steward", "Steward"},
}

// strip returns the answers that most readers look for, each with the page of its fact.
func (p *Pages) strip(d protocolPage) (list []stripFact) {
	if d.Profile == nil {
		return nil
	}
	for _, s := range stripFields {
		for _, f := range d.Record {
			if f.Name == s[0] {
				text := cmp.Or(f.Short, f.Text(), "not stated")
				if s[0] != "steward" || f.Value == nil { // a name
					text = phrase.Sentence(text)
				}
				list = append(list, stripFact{s[1], text, p.factPath(d.ID, f.Name)})
			}
		}
	}
	if len(d.Ways) > 0 {
		text := strconv.Itoa(len(d.Payers)) + " of " + phrase.Count(len(p.cat.Clients()), "client", "clients")
		path := catalog.ClientsPath
		if len(d.Payers) > 0 {
			path = "#payers"
		}
		list = append(list, stripFact{"Who can pay", text, path})
	}
	return list
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

// networkNames returns the names of networks.
func networkNames(networks []catalog.Network) string {
	return strings.Join(catalog.Convert(networks, func(n catalog.Network) string { return n.Name }), ", ")
}

// A protocolPage is the data of the page of one protocol.
type protocolPage struct {
	ID            string
	Strip         []stripFact
	Record        []recordField
	Read          map[string]catalog.Date // the files that the record rests on, with the day of the last reading
	Profile       *catalog.Profile
	Flow          *catalog.Flow
	News          []*catalog.NewsItem
	Disagreements []catalog.Disagreement
	Upgrades      []catalog.Upgrade
	Tag           *catalog.Tag       // the tag of that name, if there is one
	Articles      []*catalog.Article // that are about it
	Answers       []catalog.Link     // to the questions that its facts answer
	Exchanges     []catalog.Exchange // programs that pay with it
	ExchangeNote  string
	Pairs         []Link            // to comparisons
	Ways          []catalog.PayWay  // in which clients pay it
	Payers        []*catalog.Client // that do
}

// A recordField is a field of a protocol as its page shows it.
type recordField struct {
	catalog.ProfileField
	Otherwise []catalog.FactQuote // the words of sources that say something else
}

// A stripFact is an answer in the strip, with the address of its value.
type stripFact struct{ Label, Text, Path string }

// foldedNetworks is the number of networks above which a page shows their names and folds the rest.
const foldedNetworks = 8

// evidenceAnchor returns the anchor of a member on the page of its evidence, in characters that ids allow.
func evidenceAnchor(member string) string {
	return strings.NewReplacer("@", "-", ".", "-").Replace(member)
}

// anchorOf returns the name of the place of a heading.
func anchorOf(label string) string { return strings.ReplaceAll(strings.ToLower(label), " ", "-") }

// name returns the short name of a protocol, which is the same on every page.
func (p *Pages) name(id string) string {
	name := p.cat.ProtocolName(id)
	if pr, ok := p.cat.Profile(id); ok {
		name = pr.Name
	}
	return shortName(id, name)
}

// shortName returns the abbreviation that a name has in brackets when that is the id, and otherwise the name without
// what stands in brackets.
func shortName(id, name string) string {
	short, rest, _ := strings.Cut(name, " (")
	if abbreviation := strings.TrimSuffix(rest, ")"); strings.EqualFold(abbreviation, id) {
		return abbreviation
	}
	return short
}
