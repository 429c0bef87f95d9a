package postings

import (
	"slices"
	"unsafe"
)

// A List holds the documents that have a term, in ascending order, with the BM25F score of the
// term in each: a search only has to add the scores of its terms.
type List struct {
	Docs   []uint32
	Scores []float32
	Fields []uint8 // bit f is set when field f has the term
}

// Find returns the index of a document in the list, or -1.
func (l *List) Find(doc uint32) int {
	at, docs := 0, l.Docs
	for n := len(docs); n > 1; { // without a branch that cannot be foreseen
		half := n / 2
		next := at + half
		if docs[next] > doc {
			next = at
		}
		at, n = next, n-half
	}
	if at < len(docs) && docs[at] == doc {
		return at
	}
	return -1
}

// grow makes room for n more documents.
func (l *List) grow(n int) {
	l.Docs, l.Scores, l.Fields = slices.Grow(l.Docs, n), slices.Grow(l.Scores, n), slices.Grow(l.Fields, n)
}

func (l *List) add(doc uint32, score float32, fields uint8) {
	l.Docs, l.Scores, l.Fields = append(l.Docs, doc), append(l.Scores, score), append(l.Fields, fields)
}

// insert adds the documents of another list, which has none of this one.
func (l *List) insert(other *List) {
	from, n := len(l.Docs), len(other.Docs)
	l.Docs, l.Scores, l.Fields = append(l.Docs, other.Docs...), append(l.Scores, other.Scores...), append(l.Fields, other.Fields...)
	for to := from + n; n > 0; { // from the end on, so that most documents stay where they are
		to--
		if from > 0 && l.Docs[from-1] > other.Docs[n-1] {
			from--
			l.Docs[to], l.Scores[to], l.Fields[to] = l.Docs[from], l.Scores[from], l.Fields[from]
			continue
		}
		n--
		l.Docs[to], l.Scores[to], l.Fields[to] = other.Docs[n], other.Scores[n], other.Fields[n]
	}
}

// bytes returns the memory of the list.
func (l *List) bytes() int { return int(unsafe.Sizeof(*l)) + 9*len(l.Docs) }

// mergeMax returns the union of a and b, in each document with the higher score, the scores of b
// being scaled by weight.
func mergeMax(a, b *List, weight float32) *List {
	switch {
	case (a == nil || len(a.Docs) == 0) && weight == 1:
		return b
	case a == nil:
		a = &List{}
	case len(b.Docs) == 0:
		return a
	}
	m := &List{}
	m.grow(max(len(a.Docs), len(b.Docs)))
	for i, j := 0, 0; i < len(a.Docs) || j < len(b.Docs); {
		switch {
		case j == len(b.Docs) || i < len(a.Docs) && a.Docs[i] < b.Docs[j]:
			m.add(a.Docs[i], a.Scores[i], a.Fields[i])
			i++
		case i == len(a.Docs) || b.Docs[j] < a.Docs[i]:
			m.add(b.Docs[j], b.Scores[j]*weight, b.Fields[j])
			j++
		default:
			m.add(a.Docs[i], max(a.Scores[i], b.Scores[j]*weight), a.Fields[i]|b.Fields[j])
			i, j = i+1, j+1
		}
	}
	return m
}
