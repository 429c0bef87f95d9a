package load

import (
	"maps"
	"slices"

	"almanac/nearest"
)

func sortedKeys[M ~map[string]V, V any](m M) []string { return slices.Sorted(maps.Keys(m)) }

// A set is a set of ids.
type set map[string]bool

// didYouMean returns the id of the set that is nearest to one that is not in it, as the end of a clause, or "".
func (s set) didYouMean(id string) string { return nearest.DidYouMean(id, sortedKeys(s), 1) }

func idsOf[T any](records []T, id func(T) string) set {
	ids := make(set, len(records))
	for _, r := range records {
		ids[id(r)] = true
	}
	return ids
}
