package html

import (
	"slices"

	"almanac/catalog"
)

// arrange returns the actors of a flow in the order in which the arrows between them are shortest in all; of several such
// orders, the first that begins with those who take part first.
func arrange(f *catalog.Flow) []string {
	best := f.Actors()
	if len(best) > 7 {
		return best // more orders than it is worth to try
	}
	shortest := lengthOf(f, best)
	var try func(order, left []string)
	try = func(order, left []string) {
		if len(left) == 0 {
			if n := lengthOf(f, order); n < shortest {
				best, shortest = slices.Clone(order), n
			}
			return
		}
		for i := range left {
			try(append(order, left[i]), slices.Concat(left[:i], left[i+1:]))
		}
	}
	try(make([]string, 0, len(best)), f.Actors())
	if first := f.Steps[0]; slices.Index(best, first.From) > slices.Index(best, first.To) {
		slices.Reverse(best) // the first message goes to the right, as one reads
	}
	return best
}

// lengthOf returns the length of all arrows between actors in an order, in columns. Long arrows count more.
func lengthOf(f *catalog.Flow, order []string) int {
	place := make(map[string]int, len(order))
	for i, a := range order {
		place[a] = i
	}
	sum := 0
	for _, s := range f.Steps {
		n := place[s.To] - place[s.From]
		sum += n * n
	}
	return sum
}
