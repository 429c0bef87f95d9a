package index

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"almanac/catalog"
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
	first    []uint32 // by document: index in held of its first value; one more at the end
	held     []uint16 // the numbers of the values of every document
}

// A set64 is a set of documents.
type set64 []uint64

func (s set64) has(doc uint32) bool { return s[doc>>6]>>(doc&63)&1 != 0 }
func (s set64) add(doc uint32)      { s[doc>>6] |= 1 << (doc & 63) }

// union returns a new set of what is in s or in t.
func (s set64) union(t set64) set64 {
	u := slices.Clone(s)
	for i, bits := range t {
		u[i] |= bits
	}
	return u
}

// newFilters returns the filters of documents.
func newFilters(docs recordList) (filters, error) {
	f := filters{days: make([]uint32, len(docs)), verified: make([]uint32, len(docs)), first: make([]uint32, 0, len(docs)+1)}
	f.number(docs)
	if len(f.values) > math.MaxUint16 {
		return f, fmt.Errorf("the documents have %d categories, tags and types, which is more than the %d that can be counted", len(f.values), math.MaxUint16)
	}
	for range f.values {
		f.sets = append(f.sets, make(set64, (len(docs)+63)/64))
	}
	for doc := range docs {
		s := &docs[doc]
		f.days[doc], f.verified[doc] = dayOf(s.date), dayOf(s.verified())
		f.first = append(f.first, uint32(len(f.held)))
		for facet, values := range s.facets() {
			for _, v := range values {
				id := f.ids[facet][v]
				f.sets[id].add(uint32(doc))
				f.held = append(f.held, id)
			}
		}
	}
	f.first = append(f.first, uint32(len(f.held)))
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

// A filter is what a query requires of a document besides its words.
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
