// Package postings keeps the dictionary and the postings of an index in Bleve, and reads them as
// lists of documents with BM25F scores. With package index/text it is all that imports Bleve.
package postings

import "math"

// The fields of a document that are scored. BM25F adds their frequencies up before it saturates.
const (
	Title = iota
	Labels
	Text
	Questions
	Addresses
	Fields // the number of scored fields
)

// The parameters of BM25F (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 3.6).
// They are the same for every collection; the relevance test of package index holds them to figures.
const (
	Saturation    = 1.25 // k1
	Normalisation = 0.6  // b
)

// Weights are the weights of the scored fields.
var Weights = [Fields]float64{Title: 4, Labels: 2, Text: 0.8, Questions: 1.3, Addresses: 2}

// idf is the inverse document frequency of BM25 in the form that is never negative.
func idf(with, all int) float64 {
	return math.Log(1 + (float64(all-with)+0.5)/(float64(with)+0.5))
}
