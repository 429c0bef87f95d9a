package html

import (
	"almanac/catalog"
	"almanac/httpmirror/metadata"
	"almanac/httpmirror/phrase"
)

// Protocols returns the comparison of the protocols.
func (p *Pages) Protocols() Page {
	var views []protocolView
	var verified phrase.Span
	for _, pr := range p.cat.Protocols().Protocols {
		views = append(views, newProtocolView(pr))
		verified.Add(pr.VerifiedAt())
	}
	protocols := phrase.Sentence(phrase.Spelled(len(views), "protocol", "protocols"))
	return Page{
		Title:       "Payment protocols compared",
		Description: protocols + " by which machines pay, side by side: status codes, headers, rail, networks and flow, each fact with its source and date.",
		Lede:        protocols + " by which a machine can be asked for money and pay it. Below each fact stand the page it was read on and the day; what the cited pages do not state is left open.",
		Verified:    verified,
		LD:          []any{metadata.FactsLD(p.cat, verified.Last)},
		content:     protocolsContent(views, p.cat.Profiles()),
	}
}

// Protocol returns the page of a protocol.
func (p *Pages) Protocol(id string, tag *catalog.Tag, articles []*catalog.Article) Page {
	data := protocolPage{ID: id, Tag: tag, Articles: articles, Questions: p.cat.Questions("protocol:" + id), Disagreements: p.cat.Disagreements(id)}
	name := p.cat.ProtocolName(id)
	pg := Page{
		Title:       name + ", checked facts",
		Heading:     name,
		Description: name + ": status codes, headers, payment rail, networks, libraries and flow, each fact with its source and the day it was read.",
		Crumbs:      []Link{{Label: "Protocols", Path: catalog.ProtocolsPath}},
	}
	var verified phrase.Span
	if pr, ok := p.cat.Protocol(id); ok {
		data.Facts = p.withEvidence(newProtocolView(pr)).Facts
		verified.Add(pr.VerifiedAt())
	}
	if f, ok := p.cat.Flow(id); ok {
		data.Flow = f
		verified.Add(f.VerifiedAt())
	}
	if pr, ok := p.cat.Profile(id); ok {
		data.Profile = pr
		pg.Lede = pr.Sentence()
		pg.Description = pg.Lede
		verified.Add(pr.VerifiedAt())
	}
	pg.Verified, pg.content = verified, protocolContent(data)
	return pg
}

// withEvidence returns a view whose facts lead to what was read for them.
func (p *Pages) withEvidence(v protocolView) protocolView {
	id := catalog.HistoryPathID("protocol:" + v.ID)
	e, ok := p.cat.Evidence(id)
	if !ok {
		return v
	}
	for i := range v.Facts {
		f := &v.Facts[i]
		if m, ok := e.Member(f.Name); ok && f.Stated {
			f.Evidence, f.Readings = catalog.EvidencePath(id), m
		}
	}
	return v
}
