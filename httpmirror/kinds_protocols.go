package httpmirror

import (
	"slices"

	"almanac/catalog"
	"almanac/httpmirror/html"
	"almanac/httpmirror/markdown"
	"almanac/httpmirror/metadata"
	"almanac/httpmirror/phrase"
)

// protocolKinds are the protocol facts, and what is published about each protocol.
func protocolKinds() []*kind {
	return []*kind{protocolsKind(), protocolKind()}
}

func protocolsKind() *kind {
	return &kind{
		name: "protocolFacts", title: "Protocol facts", summary: "The protocol facts", tag: "facts",
		description: "Every checked fact about every payment protocol, each with its source and date.",
		day:         whole((*catalog.Catalog).ProtocolsDay),
		forms: []form{
			jsonForm("protocolFacts", catalog.ProtocolsJSONPath, "protocol-facts", func(r *renderer, _ string) (any, error) { return r.cat.Protocols(), nil }),
			markdownForm("protocolFactsMarkdown", catalog.ProtocolsMarkdownPath, func(r *renderer, w *markdown.Writer, _ string) error {
				r.markdown.Protocols(w)
				return nil
			}),
			pageForm("protocolsPage", catalog.ProtocolsPath, func(r *renderer, _ string) (html.Page, error) { return r.html.Protocols(), nil }),
		},
		navigation: "Protocols",
		resource:   "library://protocol-facts",
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
		description: "The checked facts about one payment protocol, what one needs to know to choose it, and the messages of a payment, each with its source and date.",
		ids:         (*catalog.Catalog).ProtocolPageIDs,
		day:         (*catalog.Catalog).ProtocolPageDay,
		record:      of("protocol"),
		also:        feeds(catalog.ProtocolAtomPath, catalog.ProtocolJSONFeedPath),
		forms: []form{
			pageForm("protocolPage", catalog.ProtocolPath("{protocol}"), func(r *renderer, id string) (html.Page, error) {
				tag, articles := r.aboutProtocol(id)
				return r.html.Protocol(id, tag, articles), nil
			}),
			jsonForm("protocol", catalog.ProtocolJSONPath("{protocol}"), "protocol", func(r *renderer, id string) (any, error) {
				return r.cat.ProtocolDocument(id), nil
			}),
			markdownForm("protocolMarkdown", catalog.ProtocolMarkdownPath("{protocol}"), func(r *renderer, w *markdown.Writer, id string) error {
				tag, articles := r.aboutProtocol(id)
				r.markdown.Protocol(w, id, tag, articles)
				return nil
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

// aboutProtocol returns the tag of a protocol, if there is one, and the articles about it.
func (r *renderer) aboutProtocol(id string) (*catalog.Tag, []*catalog.Article) {
	var tag *catalog.Tag
	if t, ok := findTag(r.cat, id); ok {
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
