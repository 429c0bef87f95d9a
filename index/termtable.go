package index

import "math/bits"

// A passageTerm says how often the title of a passage has a term; its text may have it too.
type passageTerm struct{ passage, inTitle uint16 }

// addPassage adds the terms of a passage to the places of terms.
func addPassage(at map[uint64][]passageTerm, passage uint16, title, text []uint64) {
	add := func(hash uint64, inTitle uint16) {
		list := at[hash]
		if len(list) == 0 || list[len(list)-1].passage != passage {
			list = append(list, passageTerm{passage: passage})
		}
		list[len(list)-1].inTitle += inTitle
		at[hash] = list
	}
	for _, hash := range title {
		add(hash, 1)
	}
	for _, hash := range text {
		add(hash, 0)
	}
}

// A termTable returns the passages that have a term. It is a hash table with open addressing, which takes a
// third of the time of a map.
type termTable struct {
	slots []termSlot // a power of two, at most half of it used
	terms []passageTerm
}

type termSlot struct {
	hash     uint64
	from, to uint32 // in terms; 0 if the slot is free
}

func newTermTable(at map[uint64][]passageTerm) termTable {
	t := termTable{slots: make([]termSlot, 1<<bits.Len(uint(2*len(at))))}
	for hash, list := range at {
		i := hash & uint64(len(t.slots)-1)
		for t.slots[i].to != 0 {
			i = (i + 1) & uint64(len(t.slots)-1)
		}
		from := uint32(len(t.terms))
		t.terms = append(t.terms, list...)
		t.slots[i] = termSlot{hash, from, uint32(len(t.terms))}
	}
	return t
}

// find returns the passages that have a term, given its hash.
func (t *termTable) find(hash uint64) []passageTerm {
	mask := uint64(len(t.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		slot := &t.slots[i]
		if slot.to == 0 {
			return nil
		}
		if slot.hash == hash {
			return t.terms[slot.from:slot.to]
		}
	}
}
