package index

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"almanac/catalog"
	"almanac/index/postings"
	"almanac/index/text"
)

// A record is a document of the index. What a library entry is found by is made of the entry each time, since
// a large library has little else.
type record struct {
	entry     *catalog.Entry
	label     string  // of its category
	questions string  // that it answers
	other     *source // a document of another kind
}

// source returns what the document is found by.
func (r *record) source() *source {
	if r.other != nil {
		return r.other
	}
	s := entrySource(r.label, r.entry)
	s.questions = r.questions
	return s
}

func (r *record) kind() string {
	if r.other != nil {
		return r.other.kind
	}
	return KindLibrary
}

// change returns the document as the change feed has it, or nil for a library entry.
func (r *record) change() *catalog.Change {
	if r.other != nil {
		return r.other.change
	}
	return nil
}

// id and date are what records are sorted by.
func (r *record) id() string {
	if r.other != nil {
		return r.other.id
	}
	return r.entry.ID
}

// nameBits are the bits for which of its names a document is called by.
const nameBits = 3

// names returns the ids and addresses that name the document: as many as a namePlace can tell apart, at most.
func (r *record) names() []string {
	if r.other != nil {
		return r.other.names[:min(len(r.other.names), 1<<nameBits)]
	}
	return []string{r.entry.ID, r.entry.URL}
}

func (r *record) date() catalog.Date {
	if r.other != nil {
		return r.other.date
	}
	return r.entry.Published()
}

// verified returns the day on which the source of the document was read.
func (r *record) verified() catalog.Date {
	switch {
	case r.entry != nil:
		return r.entry.VerifiedAt
	case r.other.change != nil:
		return r.other.change.VerifiedAt
	}
	return ""
}

// facets returns the values of the document by facet.
func (r *record) facets() [facetCount][]string {
	if e := r.entry; e != nil {
		return [facetCount][]string{facetCategory: one(e.Category), facetTag: e.Tags, facetType: one(e.Type), facetKind: libraryKind}
	}
	s := r.other
	return [facetCount][]string{facetTag: s.tags, facetKind: one(s.kind)}
}

var libraryKind = []string{KindLibrary}

func one(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

// A recordList is what an index is built of.
type recordList []record

// sort puts newer documents first and unknown dates last, and then sorts by id. Documents with equal scores
// have this order.
func (l recordList) sort() {
	slices.SortFunc(l, func(a, b record) int { return a.compare(&b) })
}

// compare compares the places of records in a list.
func (r *record) compare(other *record) int {
	return cmp.Or(cmp.Compare(other.date(), r.date()), cmp.Compare(r.id(), other.id()))
}

// unchanged returns, by record, the number of the record in an older list that is in the same place of the order and found by the same
// texts, or postings.None.
func (l recordList) unchanged(before recordList) []uint32 {
	was := make([]uint32, len(l))
	at := 0
	for i := range l {
		was[i] = postings.None
		for at < len(before) && before[at].compare(&l[i]) < 0 {
			at++
		}
		if at < len(before) && before[at].compare(&l[i]) == 0 && before[at].hasTextsOf(&l[i]) {
			was[i] = uint32(at)
		}
	}
	return was
}

// hasTextsOf reports whether two records are found by the same texts.
func (r *record) hasTextsOf(other *record) bool {
	if r.entry != nil && r.entry == other.entry {
		return r.label == other.label && r.questions == other.questions
	}
	return r.source().texts() == other.source().texts()
}

// hash identifies the records, their order and the lexicon they are analysed with. bytes is the length of what is indexed of them.
func (l recordList) hash() (hash string, bytes int) {
	h := sha256.New()
	h.Write([]byte(text.Lexicon))
	var b, labels []byte
	for i := range l {
		b = b[:0]
		if r := &l[i]; r.other != nil {
			s := r.other
			b = appendParts(b, s.id, s.title, s.labels, s.text, s.questions, s.addresses, string(s.date))
		} else { // without making a source of it
			e := r.entry
			labels = appendLabels(labels[:0], r.label, e)
			b = appendParts(appendPart(appendParts(b, e.ID, e.Title), labels), e.Summary, r.questions, e.URL, string(r.date()))
		}
		h.Write(b)
		bytes += len(b)
	}
	return hex.EncodeToString(h.Sum(nil)), bytes
}

// appendParts appends texts so that no others give the same bytes.
func appendParts(b []byte, parts ...string) []byte {
	for _, p := range parts {
		b = appendPart(b, p)
	}
	return b
}

func appendPart[T string | []byte](b []byte, part T) []byte {
	return append(append(strconv.AppendInt(b, int64(len(part)), 10), ':'), part...)
}

// documents are records as package postings reads them.
type documents struct {
	records recordList
	hash    string
}

// Len implements postings.Documents.
func (d *documents) Len() int { return len(d.records) }

// Texts implements postings.Documents.
func (d *documents) Texts(i int) [postings.Fields]string { return d.records[i].source().texts() }

// Hash implements postings.Documents.
func (d *documents) Hash() string { return d.hash }

// newRecords returns the documents of a catalog, sorted.
func newRecords(c *catalog.Catalog) recordList {
	list := make(recordList, 0, len(c.Entries())+64)
	labels := categoryLabels(c)
	questions := func(id string) string { return strings.Join(c.Questions(id), "\n") }
	for _, e := range c.Entries() {
		list = append(list, record{entry: e, label: labels[e.Category], questions: questions(e.ID)})
	}
	add := func(s *source) {
		s.questions = questions(s.id)
		list = append(list, record{other: s})
	}
	choices := newChoices(c)
	for _, p := range c.Protocols().Protocols {
		add(protocolSource(c, p, choices.move(p.ID)))
	}
	for _, a := range c.Articles() {
		add(articleSource(c, a))
	}
	for _, d := range c.Datasets() {
		add(datasetSource(c, d, choices))
	}
	list.sort()
	return list
}

func categoryLabels(c *catalog.Catalog) map[string]string {
	labels := make(map[string]string)
	for _, k := range c.Categories() {
		labels[k.ID] = k.Label
	}
	return labels
}
