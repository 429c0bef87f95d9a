package find

import (
	"strings"

	"almanac/index/text"
)

// A Document is a finder as a file for other programs, with everything that Find reads. It is small, because pages load it.
//
// Numbers are digits of Digits. Terms are sorted and separated by spaces; each begins with the number of letters that it
// shares with the one before. The postings of each term follow in the same order, separated by spaces: how far the record is
// from the one before, below half of the digits as one digit and from there on as two. Weights has a digit for each of them.
// A record is its id without the prefix of its kind, its kind, title and line.
type Document struct {
	SchemaVersion string     `json:"schema_version"`
	GeneratedAt   string     `json:"generated_at"`
	Complete      bool       `json:"complete"` // false: the library is too large, and its entries are left out
	Count         int        `json:"count"`
	Digits        string     `json:"digits"`
	Kinds         []Kind     `json:"kinds"`
	Language      text.Rules `json:"language"`
	Records       [][]any    `json:"records"`
	Terms         string     `json:"terms"`
	Postings      string     `json:"postings"`
	Weights       string     `json:"weights"`
}

// A Kind is a kind of record.
type Kind struct {
	Kind   string `json:"kind"`
	Prefix string `json:"prefix"` // of the ids
	Path   string `json:"path"`   // of its page; {id} stands for the id without the prefix
}

// half is the number from which on a distance has two digits.
const half = len(digits) / 2

// maxListed bounds the records of a document. Two digits suffice for them.
const maxListed = half * len(digits)

// Document returns the finder as a document. Entries are left out of one that would be too large for a page.
func (f *Finder) Document() (*Document, error) {
	if f.records.len() > maxListed {
		others := f.records.others
		part, err := New(&List{others: others[:min(len(others), maxListed)]})
		if err != nil {
			return nil, err
		}
		doc, err := part.Document()
		doc.Complete = false
		return doc, err
	}
	doc := &Document{Complete: true, Count: f.records.len(), Digits: digits, Records: [][]any{}}
	doc.addRecords(f.records)
	doc.addPostings(f)
	doc.Language = f.analyzer.Rules(func(term string) bool { return f.postings.has(term) })
	return doc, nil
}

func (d *Document) addRecords(records *List) {
	numbers := make(map[string]int)
	for i := range records.len() {
		rec := records.at(i)
		prefix := rec.ID[:strings.IndexByte(rec.ID, ':')+1]
		id := rec.ID[len(prefix):]
		n, ok := numbers[rec.Kind]
		if !ok {
			n = len(d.Kinds)
			numbers[rec.Kind] = n
			d.Kinds = append(d.Kinds, Kind{rec.Kind, prefix, strings.Replace(rec.Path, "/"+id+"/", "/{id}/", 1)})
		}
		d.Records = append(d.Records, []any{id, n, rec.Title, rec.Line})
	}
}

func (d *Document) addPostings(f *Finder) {
	var terms, postings, weights strings.Builder
	before := ""
	for i := range f.postings.len() {
		term := f.postings.term(i)
		if i > 0 {
			terms.WriteByte(' ')
			postings.WriteByte(' ')
		}
		shared := sharedPrefix(before, term)
		terms.WriteByte(digits[shared])
		terms.WriteString(term[shared:])
		before = term
		last := uint32(0)
		for p := range f.postings.of(i) {
			distance := int(p.record - last)
			if last = p.record; distance < half {
				postings.WriteByte(digits[distance])
			} else {
				postings.WriteByte(digits[half+(distance-half)/len(digits)])
				postings.WriteByte(digits[(distance-half)%len(digits)])
			}
			weights.WriteByte(digits[p.weight])
		}
	}
	d.Terms, d.Postings, d.Weights = terms.String(), postings.String(), weights.String()
}

// sharedPrefix returns the number of letters that two terms begin with in common, as one digit.
func sharedPrefix(a, b string) int {
	n := 0
	for n < min(len(a), len(b), len(digits)-1) && a[n] == b[n] && a[n] < 128 {
		n++
	}
	return n
}
