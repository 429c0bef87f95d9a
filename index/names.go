package index

import (
	"hash/maphash"
	"math/bits"
	"strings"

	"almanac/catalog"
)

// names are the ids and addresses that identify documents, in the form of normalName. They are in a hash table with open addressing, at most half
// full, whose places lead to the records: a large library has hundreds of thousands of names, and a map of them would take several times as much.
type names struct {
	records recordList
	pages   string // what the addresses of the pages of entries begin with
	seed    maphash.Seed
	places  []namePlace
}

// A namePlace is a document and which of its names it is, plus one; 0 where there is none.
type namePlace uint32

func (p namePlace) doc() uint32 { return uint32(p-1) >> nameBits }

// in returns the name, in the form of normalName.
func (p namePlace) in(records recordList) string {
	return normalName(records[p.doc()].names()[(p-1)&(1<<nameBits-1)])
}

func newNames(records recordList, site catalog.Site) names {
	count := 0
	for doc := range records {
		count += len(records[doc].names())
	}
	n := names{
		records: records, pages: strings.TrimRight(normalName(site.URL(catalog.EntryPath(""))), "/") + "/",
		seed: maphash.MakeSeed(), places: make([]namePlace, 1<<bits.Len(uint(2*count))),
	}
	for doc := range records {
		for i, name := range records[doc].names() {
			at := n.first(normalName(name))
			for n.places[at] != 0 {
				at = n.next(at)
			}
			n.places[at] = namePlace(doc<<nameBits|i) + 1
		}
	}
	return n
}

// first returns where a name is looked for first, and next where after a place.
func (n *names) first(name string) uint64 {
	return maphash.String(n.seed, name) & uint64(len(n.places)-1)
}

func (n *names) next(at uint64) uint64 { return (at + 1) & uint64(len(n.places)-1) }

// called returns the documents with a name: one, as a rule.
func (n *names) called(name string) (docs []uint32) {
	for at := n.first(name); n.places[at] != 0; at = n.next(at) {
		if p := n.places[at]; p.in(n.records) == name {
			docs = append(docs, p.doc())
		}
	}
	return docs
}

// find returns the documents that a text names, also by the address of an entry's page.
func (n *names) find(text string) []uint32 {
	name := normalName(text)
	if docs := n.called(name); docs != nil {
		return docs
	}
	if id, ok := strings.CutPrefix(name, n.pages); ok {
		if docs := n.called(id); docs != nil && n.records[docs[0]].entry != nil {
			return docs[:1]
		}
	}
	return nil
}

// normalName returns the form in which ids and addresses are compared: lower case, without scheme,
// www., fragment and final slash.
func normalName(s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	s = strings.TrimPrefix(strings.TrimPrefix(s, "https://"), "http://")
	s, _, _ = strings.Cut(strings.TrimPrefix(s, "www."), "#")
	return strings.TrimSuffix(s, "/")
}
