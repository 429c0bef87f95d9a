package index

import (
	"fmt"
	"slices"
	"strings"

	"go.almanac.example/catalog"
)

// protocolPassages returns the facts of a protocol, and the readings and releases of its profile. It may have only one
// of the two.
func protocolPassages(c *catalog.Catalog, id string) []Passage {
	summary := Passage{Kind: PassageSummary, URL: c.Site().URL(catalog.ProtocolPath(id))}
	var facts []Passage
	if p, ok := c.Protocol(id); ok {
		summary.Title, summary.Text, summary.VerifiedAt = p.Name, p.Name+": checked facts.", p.VerifiedAt()
		for _, f := range p.Facts() {
			if f.Value == nil {
				continue
			}
			fact := Passage{Kind: PassageFact, Title: f.Label, URL: summary.URL + "#" + f.Name, Source: f.Source,
				VerifiedAt: f.VerifiedAt, topic: f.Topic, addresses: " " + f.Source}
			sep := factSeparator(f.Name)
			if sep == "; " {
				fact.lead = factLead(p.Name, f.Label)
			}
			facts = fact.appendParts(facts, strings.Join(FactParts(f.Value), sep), sep)
		}
	}
	if p, ok := c.Profile(id); ok {
		summary.Title, summary.Text, summary.VerifiedAt = p.Name, p.Sentence(), p.VerifiedAt()
		facts = append(append(facts, profilePassages(c, p)...), silentPassages(c, p)...)
	}
	return slices.Concat([]Passage{summary}, facts, payerPassages(c, id, summary.Title))
}

// silentPassages say of the fields of a profile, and of its facts, that the sources do not state them: another fact is no
// answer.
func silentPassages(c *catalog.Catalog, p *catalog.Profile) (list []Passage) {
	_, hasFacts := c.Protocol(p.ID)
	for _, f := range c.ProtocolFields(p.ID) {
		isFact := f.Group == ""
		if f.Value != nil || isFact && !hasFacts || f.Topic == "" || f.Topic == "example" { // few have notes and an example
			continue
		}
		lead, name := factLead(p.Name, f.Label), strings.ReplaceAll(f.Name, "_", " ")
		list = append(list, Passage{Kind: PassageFact, Title: f.Label, Text: lead + "not stated in the pages we read.",
			URL: c.Site().URL(catalog.ProtocolPath(p.ID)) + "#" + f.Name, VerifiedAt: p.VerifiedAt(), lead: lead, topic: f.Topic, bare: lead + name, silent: true,
			asked: "does " + p.ID + " have " + name + ", " + f.Label + ", " + f.About})
	}
	return list
}

// payerPassages say which clients pay a protocol, as they were measured.
func payerPassages(c *catalog.Catalog, id, name string) (list []Passage) {
	parts := catalog.Convert(c.Payers(id), func(k catalog.Payer) string {
		return fmt.Sprintf("%s %s (%s, %d of %d)", k.Name, k.Version, k.Way, k.Pays, k.Measured)
	})
	clients := Passage{Kind: PassageFact, Title: "Paying clients", URL: c.Site().URL(catalog.ClientsPath), VerifiedAt: c.ClientsDay(),
		lead: name + ", clients that paid it in our tests: ", topic: "implementations", asked: "which clients pay " + id}
	return clients.appendParts(nil, strings.Join(parts, "; "), "; ")
}

// profilePassages returns the readings and releases of a profile as sentences.
func profilePassages(c *catalog.Catalog, p *catalog.Profile) []Passage {
	page := c.Site().URL(catalog.ProtocolPath(p.ID))
	var list []Passage
	for _, f := range p.Fields() {
		if f.Value == nil {
			continue
		}
		fact := Passage{Kind: PassageFact, Title: f.Label, URL: page + "#choice-" + f.Name, Source: f.Source,
			VerifiedAt: f.VerifiedAt, lead: factLead(p.Name, f.Label), topic: f.Topic}
		list = fact.appendParts(list, strings.Join(FactParts(f.Value), "; "), "; ")
	}
	for _, e := range p.Events {
		release := p.Name + " " + e.Version
		if strings.HasPrefix(e.Version, p.Name) {
			release = e.Version
		}
		text := fmt.Sprintf("%s was published on %s: %s.", release, e.Date, strings.TrimSuffix(e.Text, "."))
		for _, text := range chunks(text, " ", maxPassage) {
			list = append(list, Passage{Kind: PassageFact, Title: "Release " + e.Version, Text: text, URL: page,
				Source: e.Source, VerifiedAt: e.VerifiedAt, topic: "dates"})
		}
	}
	return list
}

// factLead returns the beginning of a sentence that says a fact: "x402, networks: ". Abbreviations keep their capitals.
func factLead(name, label string) string {
	if label[1] >= 'a' {
		label = strings.ToLower(label[:1]) + label[1:]
	}
	return name + ", " + label + ": "
}

// factSeparator returns the text between the parts of a fact: whole sentences, and a text of the wire, have lines.
func factSeparator(field string) string {
	switch field {
	case "notes", "example", "pay_flow":
		return "\n"
	}
	return "; "
}

// FactParts returns the parts of a fact's value as text.
func FactParts(v any) []string {
	var parts []string
	switch v := v.(type) {
	case []int:
		codes := strings.Trim(fmt.Sprint(v), "[]")
		parts = []string{strings.ReplaceAll(codes, " ", ", ")}
	case []catalog.Header:
		parts = catalog.Convert(v, func(h catalog.Header) string { return fmt.Sprintf("%s (%s): %s", h.Name, h.Direction, h.Role) })
	case []catalog.Network:
		for _, n := range v {
			details := []string{deref(n.CAIP2), deref(n.Asset), deref(n.Contract)}
			details = slices.DeleteFunc(details, func(s string) bool { return s == "" })
			parts = append(parts, named(n.Name, strings.Join(details, ", ")))
		}
	case []catalog.Link:
		parts = catalog.Convert(v, func(l catalog.Link) string { return named(l.Name, l.URL) })
	case []catalog.Library:
		parts = catalog.Convert(v, func(l catalog.Library) string { return named(l.Name, deref(l.URL)) })
	case []string:
		parts = v
	default:
		parts = []string{fmt.Sprint(v)}
	}
	return parts
}

// named returns a name with its details in parentheses, if it has any.
func named(name, details string) string {
	if details == "" {
		return name
	}
	return name + " (" + details + ")"
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
