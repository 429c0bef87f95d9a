package tools

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"almanac/nearest"
)

// names are the ids of records, prepared to find those that someone who wrote another one may have
// meant. Callers make up many ids, so that finding the nearest has to be cheap.
type names struct {
	ids    []string
	byWord func() []nameWord // of all ids, sorted
}

// A nameWord is one word of an id.
type nameWord struct {
	id       uint32 // in names.ids
	from, to uint16
}

// text returns the word.
func (w nameWord) text(ids []string) string { return ids[w.id][w.from:w.to] }

const (
	maxName     = 160 // bytes of an id that anything is near to
	minNameWord = 3
	maxMatches  = 1_000 // of one word
)

func newNames(ids []string) *names {
	return &names{ids: ids, byWord: sync.OnceValue(func() []nameWord { return nameWords(ids) })}
}

func nameWords(ids []string) []nameWord {
	var list []nameWord
	for i, id := range ids {
		from := 0
		for word := range strings.SplitSeq(id, "-") {
			if len(word) >= minNameWord {
				list = append(list, nameWord{uint32(i), uint16(from), uint16(from + len(word))})
			}
			from += len(word) + len("-")
		}
	}
	slices.SortFunc(list, func(a, b nameWord) int {
		return cmp.Or(strings.Compare(a.text(ids), b.text(ids)), cmp.Compare(a.id, b.id))
	})
	return slices.Clip(list)
}

// nearest returns up to three ids.
func (ns *names) nearest(id string) []string {
	if len(id) > maxName {
		return []string{}
	}
	if near := nearest.Words(id, ns.ids, 3); len(near) > 0 {
		return near
	}
	return ns.sharingWords(id)
}

// sharingWords returns the ids that have most in common with the words of an invented one, which
// often names the subject in another order or with another ending.
func (ns *names) sharingWords(id string) []string {
	shared := make(map[uint32]int) // letters by id
	words := ns.byWord()
	for word := range strings.SplitSeq(strings.ToLower(id), "-") {
		if len(word) < minNameWord {
			continue
		}
		from, _ := slices.BinarySearchFunc(words, word,
			func(w nameWord, word string) int { return strings.Compare(w.text(ns.ids), word) })
		last := -1
		for _, w := range words[from:min(from+maxMatches, len(words))] {
			if !strings.HasPrefix(w.text(ns.ids), word) {
				break
			}
			if int(w.id) != last {
				shared[w.id] += len(word)
			}
			last = int(w.id)
		}
	}
	most := 0
	for _, n := range shared {
		most = max(most, n)
	}
	best := []uint32{}
	for i, n := range shared {
		if n == most {
			best = append(best, i)
		}
	}
	slices.Sort(best)
	found := []string{}
	for _, i := range best[:min(3, len(best))] {
		found = append(found, ns.ids[i])
	}
	return found
}
