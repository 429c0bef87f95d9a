package html

import (
	"slices"

	"almanac/catalog"
)

// arrange returns the actors of a flow in the order in which the arrows between them are shortest in all; of several such
// orders, the first that begins with those who take part first.
func arrange(f *catalog.Flow) []string {
	actors := f.Actors()
	if len(actors) > 7 {
		return actors // more orders than it is worth to try
	}
	var arrows [][2]int // by the places of their ends in actors
	for _, s := range f.Steps {
		arrows = append(arrows, [2]int{slices.Index(actors, s.From), slices.Index(actors, s.To)})
	}
	place := make([]int, len(actors)) // of each actor in an order
	best := make([]int, len(actors))
	for i := range place {
		place[i] = -1
		best[i] = i
	}
	shortest := lengthOf(arrows, best)
	var try func(next int)
	try = func(next int) {
		if next == len(actors) {
			if n := lengthOf(arrows, place); n < shortest {
				shortest = n
				copy(best, place)
			}
			return
		}
		for i := range actors {
			if place[i] < 0 {
				place[i] = next
				try(next + 1)
				place[i] = -1
			}
		}
	}
	try(0)
	order := make([]string, len(actors))
	for i, a := range actors {
		order[best[i]] = a
	}
	if best[arrows[0][0]] > best[arrows[0][1]] {
		slices.Reverse(order) // the first message goes to the right, as one reads
	}
	return order
}

// lengthOf returns the length of all arrows, in columns. Long arrows count more.
func lengthOf(arrows [][2]int, place []int) int {
	sum := 0
	for _, a := range arrows {
		n := place[a[1]] - place[a[0]]
		sum += n * n
	}
	return sum
}
