package index

import (
	"strings"

	"almanac/catalog"
)

// names are the ids and addresses that identify documents, in the form of normalName.
type names struct {
	first map[string]uint32   // the only document with a name, as a rule
	more  map[string][]uint32 // the others
	pages string              // what the addresses of the pages of entries begin with
}

func newNames(records recordList, site catalog.Site) names {
	n := names{make(map[string]uint32, 2*len(records)), make(map[string][]uint32), normalName(site.URL(catalog.EntryPath("")))}
	n.pages = strings.TrimRight(n.pages, "/") + "/"
	for doc := range records {
		if r := &records[doc]; r.entry != nil {
			n.add(r.entry.ID, uint32(doc))
			n.add(r.entry.URL, uint32(doc))
		} else {
			for _, name := range r.other.names {
				n.add(name, uint32(doc))
			}
		}
	}
	return n
}

func (n *names) add(name string, doc uint32) {
	name = normalName(name)
	if _, ok := n.first[name]; ok {
		n.more[name] = append(n.more[name], doc)
	} else {
		n.first[name] = doc
	}
}

// find returns the documents that a text names, also by the address of an entry's page.
func (n *names) find(text string, records recordList) []uint32 {
	name := normalName(text)
	if doc, ok := n.first[name]; ok {
		return append([]uint32{doc}, n.more[name]...)
	}
	if id, ok := strings.CutPrefix(name, n.pages); ok {
		if doc, ok := n.first[id]; ok && records[doc].entry != nil {
			return []uint32{doc}
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
