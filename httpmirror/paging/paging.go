// Package paging spreads long lists of entries over several documents.
package paging

import (
	"strconv"
	"strings"

	"go.almanac.example/catalog"
)

// How many entries a page shows before its list continues on another one.
const (
	// Size is that of categories and tags, which people look through with a filter. With more, a page weighs more than
	// 40 kB compressed (docs/contract.md, "Addresses").
	Size = 150
	// DaySize is that of a day of the change feed, which people read from its beginning.
	DaySize = 50
)

// A Part is the portion of a list that one page shows.
type Part struct {
	Record        string // the id of what is listed, such as that of a category
	Number, Count int    // of this part, from 1, and of all parts
	From, To      int    // the positions of its entries in the whole list, from 1
	Entries       []*catalog.Entry

	all []*catalog.Entry
}

// count returns the number of parts of a list; an empty list has one.
func count(entries, size int) int { return max(1, (entries+size-1)/size) }

// IDs returns the id of each part of a list whose pages show size entries: that of the record, then record/2, record/3
// …
func IDs(record string, entries, size int) []string {
	ids := make([]string, count(entries, size))
	for i := range ids {
		ids[i] = id(record, i+1)
	}
	return ids
}

func id(record string, number int) string {
	if number == 1 {
		return record
	}
	return record + "/" + strconv.Itoa(number)
}

// Split returns the record and the number of the part that an id names.
func Split(id string) (record string, number int) {
	record, digits, ok := strings.Cut(id, "/")
	if !ok {
		return id, 1
	}
	number, _ = strconv.Atoi(digits) // ids are those that IDs returns
	return record, number
}

// IsFurther reports whether an id names a part of a list after the first.
func IsFurther(id string) bool { return strings.Contains(id, "/") }

// New returns the part with a number of a list whose pages show size entries.
func New(record string, number int, entries []*catalog.Entry, size int) Part {
	from, to := min((number-1)*size, len(entries)), min(number*size, len(entries))
	return Part{Record: record, Number: number, Count: count(len(entries), size), From: from + 1, To: to,
		Entries: entries[from:to], all: entries}
}

// Total returns the number of entries of the whole list.
func (p Part) Total() int { return len(p.all) }

// Unpaged returns the part as the forms for programs have it: the first part is the complete list.
func (p Part) Unpaged() Part {
	if p.Number == 1 {
		p.Count, p.To, p.Entries = 1, len(p.all), p.all
	}
	return p
}

// ID returns the id of another part of the same list.
func (p Part) ID(number int) string { return id(p.Record, number) }

// Previous returns the id of the part before this one, or "".
func (p Part) Previous() string {
	if p.Number < 2 {
		return ""
	}
	return p.ID(p.Number - 1)
}

// Next returns the id of the part after this one, or "".
func (p Part) Next() string {
	if p.Number >= p.Count {
		return ""
	}
	return p.ID(p.Number + 1)
}

// Title returns the title of the part of a list with this title.
func (p Part) Title(title string) string {
	if p.Number < 2 {
		return title
	}
	return title + ", page " + strconv.Itoa(p.Number)
}
