package postings

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// lengths are the lengths of the fields of each document, in words that are not stop words; 0 if a document
// does not have the field.
type lengths [Fields][]uint16

func newLengths(docs int) *lengths {
	l := new(lengths)
	for f := range l {
		l[f] = make([]uint16, docs)
	}
	return l
}

// set sets the length of a field. Documents have builders of their own, so it needs no lock.
func (l *lengths) set(field, doc, words int) { l[field][doc] = uint16(min(words, math.MaxUint16)) }

// A norms has, by document, what the frequency of a term in a field is multiplied by: the weight of the
// field, normalised by its length.
type norms [Fields][]float32

// norms returns the norms for the lengths, of which BM25F takes the mean over the documents that have the
// field.
func (l *lengths) norms() *norms {
	n := new(norms)
	for f, list := range l {
		sum, docs := 0, 0
		for _, words := range list {
			if words > 0 {
				sum, docs = sum+int(words), docs+1
			}
		}
		mean := float64(max(sum, 1)) / float64(max(docs, 1))
		n[f] = make([]float32, len(list))
		for doc, words := range list {
			if words > 0 {
				n[f][doc] = float32(Weights[f] / (1 - Normalisation + Normalisation*float64(words)/mean))
			}
		}
	}
	return n
}

// changed returns the lengths of other documents: of those added, and of the others, which were here before.
func (l *lengths) changed(was, added []uint32, of *lengths) *lengths {
	next := newLengths(len(was))
	for f, list := range next {
		for i, old := range was {
			if old != None {
				list[i] = l[f][old]
			}
		}
		for i, doc := range added {
			list[doc] = of[f][i]
		}
	}
	return next
}

func (l *lengths) write(w io.Writer) error {
	for _, list := range l {
		if err := binary.Write(w, binary.LittleEndian, list); err != nil {
			return err
		}
	}
	return nil
}

// readLengths reads what write wrote for so many documents.
func readLengths(r io.Reader, docs int) (*lengths, error) {
	l := newLengths(docs)
	for _, list := range l {
		if err := binary.Read(r, binary.LittleEndian, list); err != nil {
			return nil, fmt.Errorf("read lengths: %w", err)
		}
	}
	return l, nil
}
