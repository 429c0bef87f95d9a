package index

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"almanac/catalog"
	"almanac/nearest"
	"almanac/problem"
)

// The facets, in the order in which answers list them.
const (
	facetCategory = iota
	facetTag
	facetType
	facetKind
	facetCount
)

// filters hold the documents that have each value of a facet, and the values of each document.
// Values are numbered in the order in which answers list equally frequent ones.
type filters struct {
	days     []uint32 // by document: date of publication as 20261121, 0 when unknown
	verified []uint32 // by document: day on which its source was read
	values   []string // by number
	facets   [facetCount]struct{ from, to uint16 }
	ids      [facetCount]map[string]uint16
	sets     []set64  // by number
	first    []uint32 // by document: index in numbers of its first value; one more at the end
	numbers  []uint16 // the numbers of the values of every document
}

// A set64 is a set of documents.
type set64 []uint64

func (s set64) has(doc uint32) bool { return s[doc>>6]>>(doc&63)&1 != 0 }
func (s set64) add(doc uint32)      { s[doc>>6] |= 1 << (doc & 63) }

// union returns the union of s and t as a new set.
func (s set64) union(t set64) set64 {
	u := slices.Clone(s)
	for i, bits := range t {
		u[i] |= bits
	}
	return u
}

// newFilters returns the filters of documents.
func newFilters(docs recordList) (filters, error) {
	f := filters{days: make([]uint32, len(docs)), verified: make([]uint32, len(docs)),
		first: make([]uint32, 0, len(docs)+1)}
	f.number(docs)
	if len(f.values) > math.MaxUint16 {
		return f, fmt.Errorf("the documents have %d categories, tags and types; at most %d can be counted",
			len(f.values), math.MaxUint16)
	}
	for range f.values {
		f.sets = append(f.sets, make(set64, (len(docs)+63)/64))
	}
	for doc := range docs {
		s := &docs[doc]
		f.days[doc], f.verified[doc] = dayOf(s.date), dayOf(s.verified())
		f.first = append(f.first, uint32(len(f.numbers)))
		for facet, values := range s.facets() {
			for _, v := range values {
				id := f.ids[facet][v]
				f.sets[id].add(uint32(doc))
				f.numbers = append(f.numbers, id)
			}
		}
	}
	f.first = append(f.first, uint32(len(f.numbers)))
	return f, nil
}

// number numbers the values.
func (f *filters) number(docs recordList) {
	var seen [facetCount]map[string]bool
	for facet := range seen {
		seen[facet] = make(map[string]bool)
	}
	for doc := range docs {
		for facet, values := range docs[doc].facets() {
			for _, v := range values {
				seen[facet][v] = true
			}
		}
	}
	for facet := range seen {
		f.ids[facet] = make(map[string]uint16)
		f.facets[facet].from = uint16(len(f.values))
		for _, v := range slices.Sorted(maps.Keys(seen[facet])) {
			f.ids[facet][v] = uint16(len(f.values))
			f.values = append(f.values, v)
		}
		f.facets[facet].to = uint16(len(f.values))
	}
}

// dayOf returns a date as a number that compares as the date does.
func dayOf(d catalog.Date) uint32 {
	if d == "" {
		return 0
	}
	n, err := strconv.ParseUint(strings.ReplaceAll(string(d), "-", ""), 10, 32)
	if err != nil {
		return 0
	}
	return uint32(n)
}

// A filter is the requirements of a query besides its words.
type filter struct {
	sets          []set64 // a document must be in all of them
	excluded      []set64 // and in none of these
	from, to      uint32  // days of publication; 0 when not required
	verifiedSince uint32  // 0 when not required
	none          bool    // no document has a required value
}

func (f *filters) filter(q *parsed) filter {
	out := filter{from: dayOf(q.from), to: dayOf(q.to), verifiedSince: dayOf(q.verifiedSince)}
	for facet, values := range q.filters {
		var any set64
		for _, v := range values {
			id, ok := f.ids[facet][v]
			switch {
			case !ok:
			case any == nil:
				any = f.sets[id]
			default:
				any = any.union(f.sets[id])
			}
		}
		if len(values) > 0 && any == nil {
			out.none = true
		} else if any != nil {
			out.sets = append(out.sets, any)
		}
		for _, v := range q.without[facet] {
			if id, ok := f.ids[facet][v]; ok {
				out.excluded = append(out.excluded, f.sets[id])
			}
		}
	}
	return out
}

func (f *filter) empty() bool {
	return len(f.sets) == 0 && len(f.excluded) == 0 && f.from == 0 && f.to == 0 && f.verifiedSince == 0
}

// The reasons why a filter accepts or refuses a document.
const (
	refused = iota
	undated // refused only because the day of its publication is unknown
	accepted
)

// judge reports whether a document passes the filter.
func (f *filter) judge(doc uint32, all *filters) int {
	for _, s := range f.sets {
		if !s.has(doc) {
			return refused
		}
	}
	for _, s := range f.excluded {
		if s.has(doc) {
			return refused
		}
	}
	if all.verified[doc] < f.verifiedSince {
		return refused
	}
	if f.from == 0 && f.to == 0 {
		return accepted
	}
	switch day := all.days[doc]; {
	case day == 0:
		return undated
	case day >= f.from && (f.to == 0 || day <= f.to):
		return accepted
	}
	return refused
}

// Facets count the documents found by each value they have, the most frequent first.
type Facets struct {
	Category []FacetCount `json:"category"`
	Tag      []FacetCount `json:"tag"`
	Type     []FacetCount `json:"type"`
	Kind     []FacetCount `json:"kind"`
}

// A FacetCount is a value with the number of documents found that have it.
type FacetCount struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

// maxFacets bounds the values of one facet in an answer.
const maxFacets = 20

// count returns the counts of values as facets, which are parts of the list that it returns too.
func (f *filters) count(counts []uint32, list []FacetCount) (Facets, []FacetCount) {
	var buf [facetCount * maxFacets]uint64
	var best [facetCount][]uint64
	n := 0
	for facet, values := range f.facets {
		best[facet] = mostFrequent(buf[facet*maxFacets:facet*maxFacets], counts, values.from, values.to)
		n += len(best[facet])
	}
	list = slices.Grow(list, n)
	var parts [facetCount][]FacetCount
	for facet, keys := range best {
		from := len(list)
		for _, k := range keys {
			list = append(list, FacetCount{f.values[uint16(k)], int(math.MaxUint32 - k>>16)})
		}
		parts[facet] = list[from:len(list):len(list)]
	}
	return Facets{Category: parts[facetCategory], Tag: parts[facetTag], Type: parts[facetType],
		Kind: parts[facetKind]}, list
}

// mostFrequent appends the keys of the maxFacets values with the highest counts to best, which is empty.
// A key sorts by count downwards, and then by number upwards.
func mostFrequent(best []uint64, counts []uint32, from, to uint16) []uint64 {
	least := uint32(1) // a later value with an equal count comes after those kept
	for id := from; id < to; id++ {
		n := counts[id]
		if n < least {
			continue
		}
		key := uint64(math.MaxUint32-n)<<16 | uint64(id)
		if len(best) < maxFacets {
			best = append(best, key)
		} else {
			best[maxFacets-1] = key
		}
		for i := len(best) - 1; i > 0 && best[i] < best[i-1]; i-- {
			best[i], best[i-1] = best[i-1], best[i]
		}
		if len(best) == maxFacets {
			least = math.MaxUint32 - uint32(best[maxFacets-1]>>16) + 1
		}
	}
	return best
}

// A vocabulary holds the values that filters accept, by facet.
type vocabulary [facetCount][]string

func newVocabulary(c *catalog.Catalog) (v vocabulary) {
	for _, k := range c.Categories() {
		v[facetCategory] = append(v[facetCategory], k.ID)
	}
	for _, t := range c.Tags() {
		v[facetTag] = append(v[facetTag], t.ID)
	}
	v[facetType], v[facetKind] = catalog.EntryTypes, Kinds
	return v
}

var facetNames = [facetCount]string{facetCategory: "category", facetTag: "tag", facetType: "type", facetKind: "kind"}

// check refuses a value that is not in the vocabulary. An empty vocabulary accepts any.
func (v *vocabulary) check(facet int, value string, code problem.Code) error {
	words := v[facet]
	if len(words) == 0 || slices.Contains(words, value) {
		return nil
	}
	where := "The " + facetNames[facet] + "s are " + strings.Join(words, ", ") + "."
	switch facet {
	case facetCategory:
		where = "The categories are " + strings.Join(words, ", ") + "."
	case facetTag:
		where = catalog.TagsJSONPath + " lists the tags."
	}
	return problem.Errorf(code, "%s is not a %s%s. %s", strconv.Quote(problem.Shorten(value, maxEchoed)),
		facetNames[facet], nearest.DidYouMean(value, words, 1), where)
}
