package catalog

import (
	"hash/maphash"
	"math/bits"
)

// An entryTable finds entries by their ids. It is a hash table with open addressing, at most half full: a third of the memory of a map, and
// nothing in it that the garbage collector must follow.
type entryTable struct {
	entries []*Entry
	seed    maphash.Seed
	places  []uint32 // in entries, plus one; 0 where there is none
}

func newEntryTable(entries []*Entry) entryTable {
	t := entryTable{entries, maphash.MakeSeed(), make([]uint32, 1<<bits.Len(uint(2*len(entries))))}
	for i, e := range entries {
		at := t.first(e.ID)
		for t.places[at] != 0 {
			at = t.next(at)
		}
		t.places[at] = uint32(i + 1)
	}
	return t
}

// find returns the entry with an id.
func (t *entryTable) find(id string) (*Entry, bool) {
	for at := t.first(id); t.places[at] != 0; at = t.next(at) {
		if e := t.entries[t.places[at]-1]; e.ID == id {
			return e, true
		}
	}
	return nil, false
}

// first returns where an id is looked for first, and next where after a place.
func (t *entryTable) first(id string) uint64 {
	return maphash.String(t.seed, id) & uint64(len(t.places)-1)
}

func (t *entryTable) next(at uint64) uint64 { return (at + 1) & uint64(len(t.places)-1) }
