package httpmirror

import (
	"slices"

	"almanac/catalog"
	"almanac/httpmirror/file"
	"almanac/httpmirror/html"
	"almanac/httpmirror/markdown"
	"almanac/httpmirror/metadata"
	"almanac/httpmirror/phrase"
)

// protocolKinds are the protocol facts, and the documents of each protocol.
func protocolKinds() []*kind {
	return []*kind{protocolsKind(), protocolKind(), compareKind(), pairKind(), chooseKind(), flowKind(), versionsKind(),
		clientsKind(), vectorKind(), explainKind()}
}

// clientsKind is the measured clients.
func clientsKind() *kind {
	return &kind{
		name: "clients", title: "Which client pays which 402", summary: "The measured clients", tag: "facts",
		description: "Paying clients, each run against the same 402 responses: which pay, refuse, stop or pay wrongly, with version and day.",
		only:        having((*catalog.Catalog).Clients),
		day:         sharedDay((*catalog.Catalog).ClientsDay),
		forms: singleForms("clients", "clients",
			paths{catalog.ClientsJSONPath, catalog.ClientsPath},
			(*catalog.Catalog).ClientsDocument, (*html.Pages).Clients),
		resource: "library://clients",
		llms: llmsLine("Facts", "Which client pays which 402",
			"paying clients of L402, MPP and x402, each run against the same 402 responses: result, version and day"),
	}
}

// vectorKind is the answers with which the clients were measured.
func vectorKind() *kind {
	return &kind{
		name: "vector", title: "Test vector", summary: "A 402 response for tests", tag: "facts", open: true,
		description: "A 402 response with which clients were measured, and its clauses.",
		ids:         idsOf((*catalog.Catalog).Shapes, func(s *catalog.Shape) string { return s.ID }),
		day:         sharedDay((*catalog.Catalog).ClientsDay),
		forms:       []form{documentForm("vector", catalog.VectorPath("{shape}"), "vector", (*catalog.Catalog).Vector)},
	}
}

// explainKind is the form that explains a 402, which the server answers.
func explainKind() *kind {
	return &kind{
		name: "explain", title: "Explain a 402", summary: "How to have a 402 explained", tag: "facts",
		description: "How to have a 402, an invoice, a macaroon, a credential or a receipt explained.",
		only:        having((*catalog.Catalog).ProtocolPageIDs),
		day:         sharedDay((*catalog.Catalog).ExplainDay),
		forms: singleForms("explain", "explain",
			paths{catalog.ExplainJSONPath, catalog.ExplainPath},
			(*catalog.Catalog).Explain, (*html.Pages).Explain),
		llms: llmsLine("Interfaces", "Explain a 402",
			"POST a 402, an invoice, a macaroon, a credential or a receipt, and get its meaning, free"),
	}
}

// compareKind is the profiles of the protocols side by side.
func compareKind() *kind {
	return &kind{
		name: "protocolChoices", title: "Payment protocols side by side", summary: "The values by which to choose a protocol", tag: "facts",
		description: "Payment protocols side by side: the values by which to choose, each with its source, a quote and its date.",
		only:        having((*catalog.Catalog).Profiles),
		day:         sharedDay((*catalog.Catalog).ProfilesDay),
		forms: singleForms("protocolChoices", "protocol-choices",
			paths{catalog.ChoicesJSONPath, catalog.ComparePath},
			(*catalog.Catalog).Choices, (*html.Pages).Compare),
		resource: "library://protocol-choices",
		llms: llmsLine("Facts", "Payment protocols side by side",
			"status, rail, price, proof, refunds, accounts and transports of each protocol, each value with its source and date"),
	}
}

// pairKind is the profiles of two protocols side by side.
func pairKind() *kind {
	return &kind{
		name: "protocolPair", title: "Two payment protocols side by side", summary: "Two protocols side by side", tag: "facts",
		description: "Two payment protocols side by side, each value with its source.",
		ids:         (*catalog.Catalog).PairIDs,
		open:        true,
		day:         sharedDay((*catalog.Catalog).ProfilesDay),
		picture:     true,
		forms: []form{pageForm("protocolPair", catalog.PairPath("{pair}"), func(r *renderer, id string) html.Page {
			return r.html.Pair(r.cat.Pair(id))
		})},
		also: func(string) []file.Alternate { // of all protocols
			return []file.Alternate{{Label: "JSON", Type: file.BareType(file.JSON), Path: catalog.ChoicesJSONPath},
				{Label: "Markdown", Type: file.BareType(file.Markdown), Path: catalog.MarkdownPath(catalog.ComparePath)}}
		},
	}
}

// chooseKind is which protocols fit which needs.
func chooseKind() *kind {
	return &kind{
		name: "protocolChooser", title: "Choose a payment protocol", summary: "Which payment protocols fit which needs", tag: "facts",
		description: "Which payment protocols match your needs and why, each reason with its source.",
		only:        having((*catalog.Catalog).Profiles),
		day:         sharedDay((*catalog.Catalog).ProfilesDay),
		forms: singleForms("protocolChooser", "protocol-chooser",
			paths{catalog.ChooserJSONPath, catalog.ChoosePath},
			(*catalog.Catalog).Chooser, (*html.Pages).Choose),
		resource: "library://protocol-chooser",
		llms: llmsLine("Facts", "Choose a payment protocol",
			"which protocols fit what an agent can pay with and what else is needed, and why, with sources"),
	}
}

// flowKind is the sequence diagrams as files of their own.
func flowKind() *kind {
	return &kind{
		name: "flowPicture", title: "Sequence diagram", summary: "The sequence diagram of a protocol", tag: "facts", open: true,
		ids: (*catalog.Catalog).FlowIDs,
		forms: []form{rawForm("flowPicture", catalog.FlowPicturePath("{protocol}"), file.SVG, func(r *renderer, id string) ([]byte, error) {
			return r.html.Rooted(html.FlowPicture(found((*catalog.Catalog).Flow)(r.cat, id))), nil
		})},
	}
}

func protocolsKind() *kind {
	forms := namePage("protocolsPage", singleForms("protocolFacts", "protocol-facts",
		paths{catalog.ProtocolsJSONPath, catalog.ProtocolsPath},
		(*catalog.Catalog).Protocols, (*html.Pages).Protocols))
	forms[1].path = catalog.ProtocolsMarkdownPath
	return &kind{
		name: "protocolFacts", title: "Protocol facts", summary: "The protocol facts", tag: "facts",
		description: "Every checked fact about every payment protocol, each with its source and date.",
		only:        having((*catalog.Catalog).ProtocolPageIDs),
		day:         sharedDay((*catalog.Catalog).ProtocolsDay),
		forms:       forms,
		navigation:  "Protocols",
		resource:    "library://protocol-facts",
		llms: func(r *renderer, _ string) metadata.LLMLine {
			return metadata.LLMLine{Section: "Facts", Label: "Protocol facts", Text: "status codes, headers, rails, networks and flows of " +
				phrase.Spelled(r.cat.Protocols().Count, "payment protocol", "payment protocols") + ", each fact with its source and date"}
		},
		full: 1,
	}
}

func protocolKind() *kind {
	return &kind{
		name: "protocol", title: "Protocol", summary: "One protocol", tag: "facts",
		description: "The checked facts about one payment protocol, the values by which to choose it, and the messages of a payment, each with its source and date.",
		ids:         (*catalog.Catalog).ProtocolPageIDs,
		day:         (*catalog.Catalog).ProtocolPageDay,
		record:      recordOf("protocol"),
		picture:     true,
		also:        feeds(catalog.ProtocolAtomPath, catalog.ProtocolJSONFeedPath),
		forms: []form{
			pageForm("protocolPage", catalog.ProtocolPath("{protocol}"), func(r *renderer, id string) html.Page {
				tag, articles := r.aboutProtocol(id)
				return r.html.Protocol(id, tag, articles)
			}),
			documentForm("protocol", catalog.ProtocolJSONPath("{protocol}"), "protocol", (*catalog.Catalog).ProtocolDocument),
			markdownForm("protocolMarkdown", catalog.MarkdownPath(catalog.ProtocolPath("{protocol}")), func(r *renderer, id string) []byte {
				tag, articles := r.aboutProtocol(id)
				return r.markdown.Document("protocol",
					markdown.Protocol{ProtocolDocument: r.cat.ProtocolDocument(id), ID: id, Tag: tag, Articles: articles})
			}),
		},
		resource: "library://protocol/{id}",
		llms: func(r *renderer, id string) metadata.LLMLine {
			text := "the facts about this protocol alone"
			if p, ok := r.cat.Profile(id); ok {
				text = p.Summary
			}
			return metadata.LLMLine{Section: "Facts", Label: r.cat.ProtocolName(id), Text: text}
		},
	}
}

// versionsKind is the facts of the earlier versions of a protocol, which its page has too.
func versionsKind() *kind {
	return &kind{
		name: "versions", title: "Earlier versions", summary: "The facts of the earlier versions of a protocol", tag: "facts",
		description: "The facts about earlier versions of one payment protocol, with the days of each version and a quote for each fact.",
		ids:         (*catalog.Catalog).VersionedIDs,
		open:        true,
		day:         (*catalog.Catalog).ProtocolPageDay,
		forms: []form{documentForm("versions", catalog.VersionsJSONPath("{protocol}"), "versions",
			found((*catalog.Catalog).VersionDocument))},
	}
}

// aboutProtocol returns the tag of a protocol, if there is one, and the articles about it.
func (r *renderer) aboutProtocol(id string) (*catalog.Tag, []*catalog.Article) {
	var tag *catalog.Tag
	if t, ok := r.cat.Tag(id); ok {
		tag = &t
	}
	var articles []*catalog.Article
	for _, a := range r.cat.Articles() {
		if slices.Contains(a.Protocols, id) {
			articles = append(articles, a)
		}
	}
	return tag, articles
}
