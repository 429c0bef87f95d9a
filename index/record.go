package index

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"go.almanac.example/catalog"
	"go.almanac.example/index/find"
	"go.almanac.example/index/postings"
	"go.almanac.example/index/text"
)

// The kinds of documents.
const (
	KindLibrary  = "library"
	KindArticle  = "article"
	KindDataset  = "dataset"
	KindProtocol = "protocol"
)

// kindEntry is the kind of library entries in the free search.
const kindEntry = "entry"

// Kinds are the kinds of documents.
var Kinds = []string{KindLibrary, KindProtocol, KindArticle, KindDataset}

// A record is a document of the catalogue with its passages.
type record struct {
	find.Record
	entry     *catalog.Entry
	change    *catalog.Change // the other kinds; nil for a page of the site, which only the free search finds
	labels    string          // other names
	class     string          // the label of its category, and its type
	people    []string        // who wrote it
	names     []string        // ids and addresses that identify it
	called    []string        // its curated questions, each of which finds it if it is the query
	tags      []string
	date      catalog.Date // of publication, "" when unknown
	passages  []Passage
	topics    text.Topics // of the passages
	questions []string    // by passage: the curated questions that it answers
}

// verified returns the day on which the source of the document, which is no page, was read.
func (r *record) verified() catalog.Date {
	if r.entry != nil {
		return r.entry.VerifiedAt
	}
	return r.change.VerifiedAt
}

// searchKind returns the kind of the record in answers of Search.
func (r *record) searchKind() string {
	if r.entry != nil {
		return KindLibrary
	}
	return r.Kind
}

// isPage reports whether only the free search finds the record.
func (r *record) isPage() bool { return r.entry == nil && r.change == nil }

// A recordList has the documents of an index.
type recordList []record

// sort puts newer documents first and unknown dates last, and then sorts by id. Documents with equal scores
// have this order. Pages of the site are last of all.
func (l recordList) sort() {
	rank := func(r *record) int {
		if r.isPage() {
			return 1
		}
		return 0
	}
	slices.SortFunc(l, func(a, b record) int {
		return cmp.Or(cmp.Compare(rank(&a), rank(&b)), cmp.Compare(b.date, a.date), cmp.Compare(a.ID, b.ID))
	})
}

// documents are the passages of records as package postings reads them.
type documents struct {
	records recordList
	first   []uint32      // by record: its first passage; one more at the end
	of      []uint32      // by passage: its record
	topics  []text.Topics // by passage: its subject
}

func newDocuments(a *text.Analyzer, records recordList) *documents {
	d := &documents{records: records, first: make([]uint32, 1, len(records)+1)}
	for i := range records {
		r := &records[i]
		for _, p := range r.passages {
			topic := a.Topic(p.topic)
			d.of, d.topics, r.topics = append(d.of, uint32(i)), append(d.topics, topic), r.topics|topic
		}
		d.first = append(d.first, uint32(len(d.of)))
	}
	return d
}

// Len implements postings.Documents.
func (d *documents) Len() int { return len(d.of) }

// Records implements postings.Documents.
func (d *documents) Records() int { return len(d.records) }

// Passage implements postings.Documents.
func (d *documents) Passage(i int) (int, [postings.Fields]string) {
	r := &d.records[d.of[i]]
	at := i - int(d.first[d.of[i]])
	p := &r.passages[at]
	var texts [postings.Fields]string
	texts[postings.Text] = cmp.Or(p.bare, p.Text)
	if p.Kind != PassageSummary && p.Kind != PassageRow { // which have their titles in them
		texts[postings.Text] = p.Title + ". " + texts[postings.Text]
	}
	texts[postings.Lead] = p.Title
	if p.Kind == PassageSummary {
		texts[postings.Lead] = r.Line
	}
	texts[postings.Addresses] = p.addresses
	if at < len(r.questions) {
		texts[postings.Questions] = r.questions[at]
	}
	if at == 0 {
		texts[postings.Title], texts[postings.Labels], texts[postings.Class] = r.Title, r.labels, r.class
		texts[postings.People] = strings.Join(r.people, ", ")
	}
	return int(d.of[i]), texts
}

// newRecords returns the documents of a catalog, sorted.
func newRecords(c *catalog.Catalog, a *text.Analyzer) recordList {
	list := make(recordList, 0, len(c.Entries())+64)
	site := c.Site()
	for _, e := range c.Entries() {
		category, _ := c.Category(e.Category)
		list = append(list, entryRecord(site, category.Label, e, c.Statements(e.ID)))
	}
	list = append(list, protocolRecords(c)...)
	for _, at := range c.Articles() {
		list = append(list, record{
			change: &catalog.Change{
				ID: "article:" + at.ID, Kind: KindArticle, Title: at.Title,
				URL: site.URL(catalog.ArticlePath(at.ID)), MDURL: site.URL(catalog.MarkdownPath(catalog.ArticlePath(at.ID))),
				DatePublished: at.DatePublished, VerifiedAt: at.VerifiedAt,
			},
			names: []string{at.ID}, labels: at.ID + ", article, " + strings.Join(at.Tags,
				", "), tags: at.Tags, passages: articlePassages(site, at),
		})
	}
	for _, d := range c.Datasets() {
		list = append(list, record{
			change: &catalog.Change{
				ID: "dataset:" + d.ID, Kind: KindDataset, Title: d.Title,
				URL: site.URL(catalog.DatasetPath(d.ID)), MDURL: site.URL(catalog.DatasetReadmePath(d.ID)),
				DatePublished: d.DatePublished, VerifiedAt: d.VerifiedAt, Note: d.Note,
			},
			names: []string{d.ID}, labels: d.ID + ", dataset, " + strings.Join(d.Keywords,
				", "), passages: datasetPassages(c, d),
		})
	}
	list = append(list, pageRecords(c)...)
	for i := range list {
		r := &list[i]
		if ch := r.change; ch != nil {
			r.Record = find.Record{ID: ch.ID, Kind: ch.Kind, Title: ch.Title,
				Line: find.Line(r.passages[0].Text), Path: strings.TrimPrefix(ch.URL, site.Base), URL: ch.URL}
			r.names = append(r.names, ch.ID, ch.URL)
			if ch.MDURL != "" {
				r.names = append(r.names, ch.MDURL)
			}
			if ch.DatePublished != nil {
				r.date = *ch.DatePublished
			}
		}
		r.called = c.Questions(r.ID)
		r.questions = pointQuestions(a, r.passages, c.Questions(r.ID))
		for n := range r.passages {
			p := &r.passages[n]
			p.asked = cmp.Or(c.PassageQuestion(r.ID, p.Text), p.asked)
			if p.Kind == PassageSection {
				if topics, _ := a.Asked(a.Words(nil, p.asked)); topics&a.Topic("comparison") != 0 {
					p.topic = "comparison"
				}
			}
		}
	}
	list.sort()
	return list
}

// protocolRecords returns the records of all protocols: those with facts, each followed by its earlier versions, and
// those of which only the choices are known.
func protocolRecords(c *catalog.Catalog) (list []record) {
	newRecord := func(id, name string, day catalog.Date, labels string, passages []Passage) record {
		return record{
			change: &catalog.Change{ID: "protocol:" + id, Kind: KindProtocol, Title: name,
				URL: c.Site().URL(catalog.ProtocolPath(id)), VerifiedAt: day},
			labels: id + ", " + labels, passages: passages,
		}
	}
	for _, p := range c.Protocols().Protocols {
		r := newRecord(p.ID, p.Name, p.VerifiedAt(), "protocol, protocol facts", protocolPassages(c, p.ID))
		r.names = []string{p.ID}
		list = append(append(list, r), versionRecords(c, p.ID)...)
	}
	for _, p := range c.Profiles() {
		if _, hasFacts := c.Protocol(p.ID); hasFacts {
			continue
		}
		r := newRecord(p.ID, p.Name, p.VerifiedAt(), "protocol", protocolPassages(c, p.ID))
		if _, isEntry := c.Entry(p.ID); !isEntry { // whose id alone is its own
			r.names = []string{p.ID}
		}
		list = append(list, r)
	}
	return list
}

// entryRecord returns the record of a library entry, whose category has a label.
func entryRecord(s catalog.Site, label string, e *catalog.Entry, statements []catalog.Statement) record {
	labels := append([]string{e.ID, e.Publisher}, e.Tags...)
	return record{
		Record: find.Record{ID: e.ID, Kind: kindEntry, Title: e.Title, Line: find.Line(e.Summary),
			Path: catalog.EntryPath(e.ID), URL: e.URL},
		entry: e, date: e.Published(), tags: e.Tags,
		labels: strings.Join(labels, ", "), class: cmp.Or(label, e.Category) + ", " + e.Type, people: e.Authors,
		names: []string{e.ID, e.URL}, passages: entryPassages(s, e, statements),
	}
}

// pointQuestions returns, by passage, the questions that it answers best of all passages of its record: the one with
// most of their words, the rarer ones counting more.
func pointQuestions(a *text.Analyzer, passages []Passage, questions []string) []string {
	if len(questions) == 0 {
		return nil
	}
	pointed := make([]string, len(passages))
	asked, in := make([][]text.Word, len(questions)), make(map[string]map[int]bool) // by stem: the passages with it
	for i, q := range questions {
		asked[i] = slices.DeleteFunc(a.Words(nil, q), func(w text.Word) bool { return w.Stop })
		for _, w := range asked[i] {
			in[w.Stem] = make(map[int]bool)
		}
	}
	var ws []text.Word
	for i, p := range passages {
		ws = a.Words(a.Words(ws[:0], p.Title), p.Text)
		for _, w := range ws {
			if set := in[w.Stem]; set != nil {
				set[i] = true
			}
		}
	}
	for n, q := range questions {
		best, most := 0, 0.0
		for i := range passages {
			score := 0.0
			for _, w := range asked[n] {
				if in[w.Stem][i] {
					score += math.Log1p(float64(len(passages)) / float64(len(in[w.Stem])))
				}
			}
			if score > most*1.01 {
				best, most = i, score
			}
		}
		pointed[best] += q + "\n"
	}
	return pointed
}
