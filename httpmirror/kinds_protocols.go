package httpmirror

import (
	"slices"
	"strings"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/file"
	"go.almanac.example/httpmirror/html"
	"go.almanac.example/httpmirror/markdown"
	"go.almanac.example/httpmirror/metadata"
	"go.almanac.example/httpmirror/phrase"
)

// protocolKinds are the protocol facts, and the documents of each protocol.
var protocolKinds = []*kind{
	{
		name: "protocolFacts", title: "Protocol facts",
		description: "Every checked fact about every payment protocol, each with its source and date.",
		only:        having((*catalog.Catalog).ProtocolPageIDs),
		day:         sharedDay((*catalog.Catalog).ProtocolsDay),
		forms: singleForms("protocolFacts", "protocol-facts",
			paths{json: catalog.ProtocolsJSONPath, markdown: catalog.ProtocolsMarkdownPath, page: catalog.ProtocolsPath},
			(*catalog.Catalog).Protocols, (*html.Pages).Protocols),
		navigation: "Protocols",
		resource:   "library://protocol-facts",
		llms: func(r *renderer, _ string) metadata.LLMLine {
			return metadata.LLMLine{Section: "Facts", Label: "Protocol facts", Text: "status codes, headers, rails, networks and flows of " +
				phrase.Count(r.cat.Protocols().Count, "payment protocol", "payment protocols") + ", each fact with its source and date"}
		},
		full: 1,
	},
	{
		name: "protocol", title: "Protocol",
		description: "The checked facts about one payment protocol, the values by which to choose it, and the messages of a payment, each with its source and date.",
		ids:         (*catalog.Catalog).ProtocolPageIDs,
		day:         (*catalog.Catalog).ProtocolPageDay,
		record:      "protocol.{id}",
		picture:     true,
		also:        feeds("edits of these facts", catalog.ProtocolAtomPath, catalog.ProtocolJSONFeedPath),
		forms: recordForms("protocol", "protocol",
			paths{json: catalog.ProtocolJSONPath("{protocol}"), page: catalog.ProtocolPath("{protocol}")}, (*renderer).protocol,
			func(_ *renderer, p markdown.Protocol) any { return p.ProtocolDocument },
			func(p *html.Pages, d markdown.Protocol) html.Page { return p.Protocol(d.ID, d.Tag, d.Articles) }),
		resource: "library://protocol/{id}",
		llms: func(r *renderer, id string) metadata.LLMLine {
			text := "the facts about this protocol alone"
			if p, ok := r.cat.Profile(id); ok {
				text = p.Summary
			}
			return metadata.LLMLine{Section: "Facts", Label: r.cat.ProtocolName(id), Text: text}
		},
	},
	{
		name: "protocolFact", title: "Fact",
		description: "One fact about a payment protocol: value, quotes, history, and the same of other protocols.",
		ids:         (*catalog.Catalog).FactIDs,
		has:         (*catalog.Catalog).HasFact,
		day:         factDay,
		pictured:    pictureOfProtocol,
		forms: documentForms("protocolFact", "fact",
			paths{json: catalog.FactJSONPath("{protocol}/{field}"), page: catalog.FactPath("{protocol}/{field}")},
			(*catalog.Catalog).Fact, (*html.Pages).Fact),
	},
	{
		name: "upgrade", title: "Upgrade",
		description: "What changed between two versions of a payment protocol, fact by fact, with quotes of both.",
		ids:         (*catalog.Catalog).UpgradeIDs,
		has:         hasRecord((*catalog.Catalog).Upgrade),
		day:         factDay,
		pictured:    pictureOfProtocol,
		forms: []form{pageForm(catalog.UpgradePath("{protocol}/{upgrade}"), func(r *renderer, id string) html.Page {
			return r.html.Upgrade(found((*catalog.Catalog).Upgrade)(r.cat, id))
		})},
		also: func(_ *catalog.Catalog, id string) []file.Alternate { // of all versions
			return wider(catalog.VersionsJSONPath(protocolOf(id)), catalog.ProtocolPath(protocolOf(id)))
		},
	},
	{
		name: "protocolChoices", title: "Compare payment protocols",
		description: "Payment protocols side by side: the values by which to choose, each with its source, a quote and its date.",
		only:        having((*catalog.Catalog).Profiles),
		day:         sharedDay((*catalog.Catalog).ProfilesDay),
		picture:     true,
		forms: singleForms("protocolChoices", "protocol-choices",
			paths{json: catalog.ChoicesJSONPath, page: catalog.ComparePath},
			(*catalog.Catalog).Choices, (*html.Pages).Compare),
		navigation: "Compare",
		resource:   "library://protocol-choices",
		llms: llmsLine("Facts", "Compare payment protocols",
			"status, rail, price, proof, refunds, accounts and transports of each protocol, each value with its source and date"),
	},
	{
		name: "protocolPair", title: "Two payment protocols compared",
		description: "Two payment protocols side by side, each value with its source.",
		ids:         (*catalog.Catalog).PairIDs,
		day:         sharedDay((*catalog.Catalog).ProfilesDay),
		pictured:    func(*catalog.Catalog, string) string { return catalog.ComparePath },
		forms: []form{pageForm(catalog.PairPath("{pair}"), func(r *renderer, id string) html.Page {
			return r.html.Pair(r.cat.Pair(id))
		})},
		also: func(*catalog.Catalog, string) []file.Alternate { // of all protocols
			return wider(catalog.ChoicesJSONPath, catalog.ComparePath)
		},
	},
	{
		name: "protocolChooser", title: "Choose a payment protocol",
		description: "Which payment protocols match your needs and why, each reason with its source.",
		only:        having((*catalog.Catalog).Profiles),
		day:         sharedDay((*catalog.Catalog).ProfilesDay),
		forms: singleForms("protocolChooser", "protocol-chooser",
			paths{json: catalog.ChooserJSONPath, page: catalog.ChoosePath},
			(*catalog.Catalog).Chooser, (*html.Pages).Choose),
		resource: "library://protocol-chooser",
		llms: llmsLine("Facts", "Choose a payment protocol",
			"which protocols fit what an agent can pay with and what else is needed, and why, with sources"),
	},
	// The page of the protocol has them too.
	{
		name: "versions", title: "Earlier versions",
		description: "The facts about earlier versions of one payment protocol, with the days of each version and a quote for each fact.",
		ids:         (*catalog.Catalog).VersionedIDs,
		day:         (*catalog.Catalog).ProtocolPageDay,
		forms: []form{documentForm(catalog.VersionsJSONPath("{protocol}"), "versions",
			found((*catalog.Catalog).VersionDocument))},
	},
	{
		name: "clients", title: "Clients",
		description: "Paying clients, run against many forms of a 402: which pay, refuse, stop or pay wrongly, with version and day.",
		only:        having((*catalog.Catalog).Clients),
		day:         sharedDay((*catalog.Catalog).ClientsDay),
		forms: singleForms("clients", "clients",
			paths{json: catalog.ClientsJSONPath, page: catalog.ClientsPath},
			(*catalog.Catalog).ClientsDocument, (*html.Pages).Clients),
		navigation: "Clients",
		resource:   "library://clients",
		llms: llmsLine("Facts", "Clients",
			"paying clients of L402, MPP and x402, run against many forms of a 402: result, version and day"),
	},
	{
		name: "vector", title: "Test vector",
		description: "A 402 response with which clients were measured, and its clauses.",
		ids:         idsOf((*catalog.Catalog).Shapes, func(s *catalog.Shape) string { return s.ID }),
		day:         sharedDay((*catalog.Catalog).ClientsDay),
		forms:       []form{documentForm(catalog.VectorPath("{shape}"), "vector", (*catalog.Catalog).Vector)},
	},
	// The server answers the form.
	{
		name: "explain", title: "Explain a 402",
		description: "How to have a 402, an invoice, a macaroon, a credential or a receipt explained.",
		only:        having((*catalog.Catalog).ProtocolPageIDs),
		day:         sharedDay((*catalog.Catalog).ExplainDay),
		forms: singleForms("explain", "explain",
			paths{json: catalog.ExplainJSONPath, page: catalog.ExplainPath},
			(*catalog.Catalog).Explain, (*html.Pages).Explain),
		navigation: "Explain",
		llms: llmsLine("Interfaces", "Explain a 402",
			"POST a 402, an invoice, a macaroon, a credential or a receipt, and get its meaning, free"),
	},
}

// factDay returns the day of a document about a protocol whose id begins with that of the protocol.
func factDay(c *catalog.Catalog, id string) catalog.Date { return c.ProtocolPageDay(protocolOf(id)) }

// pictureOfProtocol returns the page of the protocol with which an id begins.
func pictureOfProtocol(_ *catalog.Catalog, id string) string {
	return catalog.ProtocolPath(protocolOf(id))
}

func protocolOf(id string) string { return id[:strings.Index(id, "/")] }

// protocol returns the document of a protocol with its tag, if there is one, and the articles about it.
func (r *renderer) protocol(id string) markdown.Protocol {
	d := markdown.Protocol{ProtocolDocument: r.cat.ProtocolDocument(id), ID: id}
	if t, ok := r.cat.Tag(id); ok {
		d.Tag = &t
	}
	for _, a := range r.cat.Articles() {
		if slices.Contains(a.Protocols, id) {
			d.Articles = append(d.Articles, a)
		}
	}
	return d
}

// wider returns the JSON and the Markdown of a page that has more as the alternates of one without these forms.
func wider(json, page string) []file.Alternate {
	return []file.Alternate{{Label: "JSON", Type: file.BareType(file.JSON), Path: json},
		{Label: "Markdown", Type: file.BareType(file.Markdown), Path: catalog.MarkdownPath(page)}}
}
