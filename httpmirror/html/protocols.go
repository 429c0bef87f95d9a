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
	return Page{
		Title:       "Payment protocols compared",
		Description: "Nine protocols by which machines pay, side by side: status codes, headers, rail, networks and flow, each fact with its source and date.",
		Lede:        "Nine protocols by which a machine can be asked for money and pay it. Below each fact stand the page it was read on and the day; what the cited pages do not state is left open.",
		Verified:    verified,
		LD:          []any{metadata.FactsLD(p.cat, verified.Last)},
		content:     protocolsContent(views),
	}
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
