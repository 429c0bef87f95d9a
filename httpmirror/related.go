package httpmirror

import (
	"cmp"
	"slices"

	"almanac/catalog"
)

// neighbours finds entries that are about the same as another: those that share its rarest tags.
type neighbours struct {
	cat    *catalog.Catalog
	lists  map[string][]*catalog.Entry
	places map[string]map[*catalog.Entry]int // tag -> where in its list an entry stands
}

const (
	relatedCount  = 6  // entries shown as related
	relatedWindow = 48 // entries looked at in the list of a tag, so that the cost of a page has a bound
)

func newNeighbours(cat *catalog.Catalog) *neighbours {
	n := &neighbours{cat: cat, lists: make(map[string][]*catalog.Entry), places: make(map[string]map[*catalog.Entry]int)}
	for _, t := range cat.Tags() {
		doc, ok := cat.TagList(t.ID)
		if !ok {
			continue
		}
		n.lists[t.ID] = doc.Entries
		n.places[t.ID] = make(map[*catalog.Entry]int, len(doc.Entries))
		for i, e := range doc.Entries {
			n.places[t.ID][e] = i
		}
	}
	return n
}

// of gives the entries nearest to e. A shared tag counts the more the rarer it is, the same
// category a little; ties keep the published order.
func (n *neighbours) of(e *catalog.Entry) []*catalog.Entry {
	tags := slices.Clone(e.Tags)
	slices.SortStableFunc(tags, func(a, b string) int { return cmp.Compare(len(n.lists[a]), len(n.lists[b])) })
	scores := make(map[*catalog.Entry]float64, relatedWindow)
	var order []*catalog.Entry
	for _, t := range tags[:min(3, len(tags))] {
		list := n.lists[t]
		from := max(0, min(n.places[t][e]-relatedWindow/2, len(list)-relatedWindow))
		for _, other := range list[from:min(len(list), from+relatedWindow)] {
			if other == e {
				continue
			}
			if scores[other] == 0 {
				order = append(order, other)
			}
			scores[other] += 1 / float64(len(list))
		}
	}
	weight := func(o *catalog.Entry) float64 {
		if o.Category == e.Category {
			return scores[o] * 1.25
		}
		return scores[o]
	}
	slices.SortStableFunc(order, func(a, b *catalog.Entry) int { return cmp.Compare(weight(b), weight(a)) })
	return order[:min(relatedCount, len(order))]
}
