package tools

import (
	"fmt"
	"slices"

	"almanac/catalog"
)

// factFields are the facts of a protocol in their published order. example exists on l402 only.
var factFields = []string{
	"spec_url", "http_status_codes", "http_headers", "payment_rail", "networks",
	"facilitators", "client_libraries", "pay_flow", "notes", "example",
}

// protocols are the payment protocols, encoded fact by fact.
type protocols struct {
	ids  []string
	byID map[string]*protocol
}

type protocol struct {
	head   piece            // id, name and featured, with the opening brace
	fields map[string]piece // members, each with its leading comma
	whole  piece            // everything, closed

	evidence map[string]piece // of each fact that has some: the readings of its sources
}

func newProtocols(c *catalog.Catalog) *protocols {
	ps := &protocols{byID: make(map[string]*protocol)}
	for _, p := range c.Protocols().Protocols {
		ps.ids = append(ps.ids, p.ID)
		out := &protocol{
			head:   jsonPiece(fmt.Sprintf(`{"id":%s,"name":%s,"featured":%s`, encode(p.ID), encode(p.Name), encode(p.Featured))),
			fields: make(map[string]piece),
			whole:  jsonPiece(string(encode(p))),
		}
		out.addEvidence(c, p)
		for _, f := range p.Facts() {
			out.fields[f.Name] = jsonPiece(fmt.Sprintf(`,%q:%s`, f.Name, encode(factOf(f))))
		}
		ps.byID[p.ID] = out
	}
	return ps
}

// addEvidence encodes what was read for the facts of a protocol.
func (p *protocol) addEvidence(c *catalog.Catalog, facts *catalog.Protocol) {
	p.evidence = make(map[string]piece)
	e, ok := c.Evidence(catalog.HistoryPathID("protocol:" + facts.ID))
	if !ok {
		return
	}
	for _, m := range e.Members {
		p.evidence[m.Member] = jsonPiece(fmt.Sprintf(`{"protocol":%s,"fact":%s,"readings":%s}`, encode(facts.ID), encode(m.Member), encode(m.Readings)))
	}
}

// factOf returns a fact as it is published, which is null when the cited pages do not state it.
func factOf(f catalog.FactField) any {
	if f.Value == nil {
		return nil
	}
	return catalog.Fact[any]{Value: f.Value, Source: f.Source, VerifiedAt: f.VerifiedAt}
}

// pieces returns the protocol with some of its facts.
func (p *protocol) pieces(fields []string) []piece {
	if len(fields) == len(factFields) {
		return []piece{p.whole}
	}
	out := []piece{p.head}
	for _, name := range factFields {
		if slices.Contains(fields, name) && p.fields[name].json != nil {
			out = append(out, p.fields[name])
		}
	}
	return append(out, jsonPiece("}"))
}
