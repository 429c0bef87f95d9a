package index

import (
	"cmp"
	"strings"

	"almanac/catalog"
	"almanac/index/postings"
)

// The kinds of documents.
const (
	KindLibrary  = "library"
	KindArticle  = "article"
	KindDataset  = "dataset"
	KindProtocol = "protocol"
)

// Kinds are the kinds of documents, in the order of the facets.
var Kinds = []string{KindLibrary, KindProtocol, KindArticle, KindDataset}

// A source is a document before it is indexed: what it is found by, and what answers show of it.
type source struct {
	id     string          // as in the change feed: "lnd", "article:how-l402-works"
	kind   string          // one of Kinds
	change *catalog.Change // the other kinds
	names  []string        // ids and addresses that identify the document

	passages []Passage // of a kind other than library

	title, labels, text  string
	questions, addresses string

	tags []string
	date catalog.Date // of publication, "" when unknown
}

// texts returns the scored fields.
func (s *source) texts() [postings.Fields]string {
	return [postings.Fields]string{postings.Title: s.title, postings.Labels: s.labels, postings.Text: s.text, postings.Questions: s.questions, postings.Addresses: s.addresses}
}

// entrySource returns the source of a library entry, whose category has a label.
func entrySource(label string, e *catalog.Entry) *source {
	return &source{
		id: e.ID, kind: KindLibrary,
		title:  e.Title,
		labels: string(appendLabels(nil, label, e)),
		text:   e.Summary, addresses: e.URL,
		tags: e.Tags, date: e.Published(),
	}
}

// appendLabels appends what else a library entry is called.
func appendLabels(b []byte, label string, e *catalog.Entry) []byte {
	b = append(append(append(append(b, e.ID...), ", "...), e.Publisher...), ", "...)
	for _, list := range [][]string{e.Authors, e.Tags} {
		for i, s := range list {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = append(b, s...)
		}
		b = append(b, ", "...)
	}
	return append(append(append(b, cmp.Or(label, e.Category)...), ", "...), e.Type...)
}

// protocolSource returns the source of a protocol, with rows of a dataset that are about it.
func protocolSource(c *catalog.Catalog, p *catalog.Protocol, rows []Passage) *source {
	ch := &catalog.Change{
		ID: "protocol:" + p.ID, Kind: KindProtocol, Title: p.Name,
		URL: c.Site().URL(catalog.ProtocolPath(p.ID)), VerifiedAt: p.VerifiedAt(),
	}
	var facts, addresses strings.Builder
	for _, f := range p.Facts() {
		if f.Value != nil {
			facts.WriteString(f.Label + ": " + factText(f.Value) + "\n")
			addresses.WriteString(f.Source + " " + factAddresses(f.Value) + "\n")
		}
	}
	for _, p := range rows {
		facts.WriteString(p.Title + ": " + p.Text + "\n")
	}
	return &source{
		id: ch.ID, kind: KindProtocol, change: ch, names: []string{ch.ID, p.ID, ch.URL},
		passages: append(protocolPassages(c.Site(), p), rows...),
		title:    p.Name, labels: p.ID + ", protocol, protocol facts", text: facts.String(), addresses: addresses.String(),
	}
}

// factText returns the words of a fact's value, without addresses and contracts.
func factText(v any) string {
	var parts []string
	switch v := v.(type) {
	case []catalog.Network:
		for _, n := range v {
			parts = append(parts, joinSet(". ", n.Name, deref(n.CAIP2), deref(n.Asset)))
		}
	case []catalog.Link:
		for _, l := range v {
			parts = append(parts, l.Name)
		}
	case []catalog.Library:
		for _, l := range v {
			parts = append(parts, l.Name)
		}
	default:
		parts = factLines(v)
	}
	return strings.Join(parts, ". ")
}

// factAddresses returns the contracts and addresses in a fact's value.
func factAddresses(v any) string {
	var list []string
	switch v := v.(type) {
	case []catalog.Network:
		for _, n := range v {
			list = append(list, deref(n.Contract))
		}
	case []catalog.Link:
		for _, l := range v {
			list = append(list, l.URL)
		}
	case []catalog.Library:
		for _, l := range v {
			list = append(list, deref(l.URL))
		}
	}
	return strings.Join(list, " ")
}

func articleSource(c *catalog.Catalog, a *catalog.Article) *source {
	ch := &catalog.Change{
		ID: "article:" + a.ID, Kind: KindArticle, Title: a.Title,
		URL: c.Site().URL(catalog.ArticlePath(a.ID)), MDURL: c.Site().URL(catalog.ArticleMarkdownPath(a.ID)),
		DatePublished: a.DatePublished, VerifiedAt: a.VerifiedAt,
	}
	return &source{
		id: ch.ID, kind: KindArticle, change: ch, names: []string{ch.ID, a.ID, ch.URL, ch.MDURL},
		passages: articlePassages(c.Site(), a),
		title:    a.Title, labels: a.ID + ", article, " + strings.Join(a.Tags, ", "), text: a.Summary + "\n" + a.Body,
		tags: a.Tags, date: published(a.DatePublished),
	}
}

func datasetSource(c *catalog.Catalog, d *catalog.Dataset, choices *choices) *source {
	ch := &catalog.Change{
		ID: "dataset:" + d.ID, Kind: KindDataset, Title: d.Title,
		URL: c.Site().URL(catalog.DatasetPath(d.ID)), MDURL: c.Site().URL(catalog.DatasetReadmePath(d.ID)),
		DatePublished: d.DatePublished, VerifiedAt: d.VerifiedAt, Note: d.Note,
	}
	src := &source{
		id: ch.ID, kind: KindDataset, change: ch, names: []string{ch.ID, d.ID, ch.URL, ch.MDURL},
		passages: choices.without(datasetPassages(c.Site(), d)),
		title:    d.Title, labels: d.ID + ", dataset, " + strings.Join(d.Keywords, ", "),
		date: published(d.DatePublished),
	}
	var text, rows strings.Builder
	for _, p := range src.passages {
		if p.Kind == PassageRow {
			rows.WriteString(choices.words(p) + "\n") // found like addresses, so that they do not outweigh the text
		} else {
			text.WriteString(p.Title + " " + p.Text + "\n")
		}
	}
	src.text, src.addresses = text.String(), rows.String()
	return src
}

func published(d *catalog.Date) catalog.Date {
	if d == nil {
		return ""
	}
	return *d
}
