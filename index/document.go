package index

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"go.almanac.example/catalog"
	"go.almanac.example/index/find"
	"go.almanac.example/index/postings"
	"go.almanac.example/index/text"
)

// digits are the characters that JSON and HTML leave as they are, without the space.
const digits = "!#$%()*+,-./0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}~"

// half is the number from which on a distance has two digits.
const half = len(digits) / 2

// maxListed bounds the records of a document. Two digits suffice for them.
const maxListed = half * len(digits)

// maxLine bounds the line of a record in a document, in characters.
const maxLine = 76

// FindDocument returns the names of the index as a document. Entries are left out of one that would be too large for a
// page.
func (x *Index) FindDocument(ctx context.Context) (*find.Document, error) {
	doc := &find.Document{SchemaVersion: catalog.SchemaVersion, GeneratedAt: x.generatedAt, Complete: true,
		Digits: digits, Records: [][]any{}, Fields: [][3]string{}}
	if len(x.records) > maxListed {
		others := slices.DeleteFunc(slices.Clone(x.records), func(r record) bool { return r.entry != nil })
		part, err := newIndex(nil, x.analyzer, others[:min(len(others), maxListed)], catalog.DefaultSite, Options{})
		if err != nil {
			return nil, fmt.Errorf("index the names of the site: %w", err)
		}
		defer part.Close()
		x, doc.Complete = part, false
	}
	if err := x.store.Acquire(); err != nil {
		return nil, asProblem(err)
	}
	defer x.store.Release()
	f := x.free
	doc.Count, doc.Pages, doc.Language = len(x.records), x.count, x.analyzer.Rules(f.store.MayHave)
	numbers := f.addRecords(doc)
	return doc, f.addTerms(ctx, doc, numbers)
}

// addRecords adds the records, those that have words in common beside each other, and returns their numbers.
func (x *Index) addRecords(d *find.Document) (numbers []int) {
	sorted := make([]uint32, len(x.records))
	for i := range sorted {
		sorted[i] = uint32(i)
	}
	slices.SortFunc(sorted, func(a, b uint32) int {
		r, s := &x.records[a], &x.records[b]
		return cmp.Or(cmp.Compare(r.Kind, s.Kind), cmp.Compare(r.class, s.class),
			cmp.Compare(r.labels, s.labels), cmp.Compare(a, b))
	})
	numbers = make([]int, len(sorted))
	kinds := make(map[string]int)
	var order strings.Builder
	tells := make(map[string][]int)
	for n, doc := range sorted {
		numbers[doc] = n
		rec := &x.records[doc]
		prefix := rec.ID[:strings.IndexByte(rec.ID, ':')+1]
		id := rec.ID[len(prefix):]
		slug, _, _ := strings.Cut(id, "#") // of an earlier version of a protocol
		page := rec.Path
		if slug != id {
			page, _, _ = strings.Cut(page, "#")
		}
		kind, ok := kinds[rec.Kind]
		if !ok {
			kind = len(d.Kinds)
			kinds[rec.Kind] = kind
			d.Kinds = append(d.Kinds, find.Kind{Kind: rec.Kind, Prefix: prefix,
				Path: strings.Replace(page, "/"+slug+"/", "/{id}/", 1)})
		}
		listed := []any{id, kind, rec.Title, find.Cut(rec.Line, maxLine)}
		for _, f := range rec.facts {
			field := [3]string{f.label, f.topic, f.anchor}
			i := slices.Index(d.Fields, field)
			if i < 0 {
				i, d.Fields = len(d.Fields), append(d.Fields, field)
			}
			listed = append(listed, i, find.Cut(f.value, maxLine))
		}
		d.Records = append(d.Records, listed)
		order.WriteByte(digits[int(doc)/len(digits)])
		order.WriteByte(digits[int(doc)%len(digits)])
		for topic, docs := range x.topics {
			if docs[doc] {
				tells[topic] = append(tells[topic], n)
			}
		}
	}
	for protocol, about := range x.about {
		list := make([]int, len(about))
		for i, doc := range about {
			list[i] = numbers[doc]
		}
		slices.Sort(list)
		tells[x.records[protocol].ID] = list
	}
	d.Order, d.Tells = order.String(), make(map[string]string)
	for topic, list := range tells {
		d.Tells[topic] = distances(list)
	}
	return numbers
}

// addTerms adds the terms, with the records that have each.
func (x *Index) addTerms(ctx context.Context, d *find.Document, numbers []int) error {
	var terms, lists, weights strings.Builder
	before := ""
	for i, term := range x.store.NameTerms() {
		l, err := x.store.List(ctx, text.Variant{Term: term, Weight: 1})
		if err != nil {
			return asProblem(err)
		}
		type posting struct{ record, step int }
		list := make([]posting, len(l.Docs))
		for n, doc := range l.Docs {
			list[n] = posting{numbers[doc], postings.NameStep(l.Scores[n] / l.Rarity)}
		}
		slices.SortFunc(list, func(a, b posting) int { return cmp.Compare(a.record, b.record) })
		records := make([]int, len(list))
		for n, p := range list {
			records[n] = p.record
			weights.WriteByte(digits[p.step])
		}
		if i > 0 {
			terms.WriteByte(' ')
			lists.WriteByte(' ')
		}
		shared := sharedPrefix(before, term)
		terms.WriteByte(digits[shared])
		terms.WriteString(term[shared:])
		before = term
		lists.WriteString(distances(records))
	}
	d.Terms, d.Postings, d.Weights = terms.String(), lists.String(), weights.String()
	return nil
}

// distances returns sorted numbers as the distance of each from the one before: small distances take one digit,
// larger ones two.
func distances(list []int) string {
	var b strings.Builder
	last := 0
	for _, n := range list {
		distance := n - last
		if last = n; distance < half {
			b.WriteByte(digits[distance])
		} else {
			b.WriteByte(digits[half+(distance-half)/len(digits)])
			b.WriteByte(digits[(distance-half)%len(digits)])
		}
	}
	return b.String()
}

// sharedPrefix returns the number of letters that two terms begin with in common, as one digit.
func sharedPrefix(a, b string) int {
	n := 0
	for n < min(len(a), len(b), len(digits)-1) && a[n] == b[n] && a[n] < 128 {
		n++
	}
	return n
}
