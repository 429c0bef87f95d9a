package tools

import (
	"cmp"
	"slices"
	"strings"

	"almanac/nearest"
)

// names are the ids of records, prepared to find those that someone who wrote another one may have
// meant. Callers make up many ids, so that finding the nearest has to be cheap.
type names struct {
	ids    []string
	byWord []nameWord // of all ids, sorted
	near   *nearest.Vocabulary
}

// A nameWord is one word of an id.
type nameWord struct {
	word string
	id   int // in names.ids
}

const (
	maxName     = 160 // bytes of an id that anything is near to
	minNameWord = 3
	maxMatches  = 1_000 // of one word
)

func newNames(ids []string) *names {
	ns := &names{ids: ids, near: nearest.NewVocabulary(ids)}
	for i, id := range ids {
		for word := range strings.SplitSeq(id, "-") {
			if len(word) >= minNameWord {
				ns.byWord = append(ns.byWord, nameWord{word, i})
			}
		}
	}
	slices.SortFunc(ns.byWord, func(a, b nameWord) int {
		return cmp.Or(strings.Compare(a.word, b.word), cmp.Compare(a.id, b.id))
	})
	return ns
}

// nearest returns up to three ids.
func (ns *names) nearest(id string) []string {
	if len(id) > maxName {
		return []string{}
	}
	if near := ns.near.Words(id, 3); len(near) > 0 {
		return near
	}
	return ns.sharingWords(id)
}

// sharingWords returns the ids that have most in common with the words of an invented one, which
// often names the subject in another order or with another ending.
func (ns *names) sharingWords(id string) []string {
	shared := make(map[int]int) // letters by id
	for word := range strings.SplitSeq(strings.ToLower(id), "-") {
		if len(word) < minNameWord {
			continue
		}
		from, _ := slices.BinarySearchFunc(ns.byWord, word, func(w nameWord, word string) int { return strings.Compare(w.word, word) })
		last := -1
		for _, w := range ns.byWord[from:min(from+maxMatches, len(ns.byWord))] {
			if !strings.HasPrefix(w.word, word) {
				break
			}
			if w.id != last {
				shared[w.id] += len(word)
			}
			last = w.id
		}
	}
	most := 0
	for _, n := range shared {
		most = max(most, n)
	}
	best := []int{}
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
