package index

import (
	"math"
	"testing"

	"almanac/index/postings"
)

// TestScores holds the scores against BM25F as it is written in books, computed from the texts.
func TestScores(t *testing.T) {
	c := realCatalog(t)
	x := realIndex(t)
	var all []*source
	for _, r := range newRecords(c) {
		all = append(all, r.source())
	}
	count := func(s *source, f int, term string) (n, length int) {
		text := s.texts()[f]
		ws := x.analyzer.Words(nil, text)
		for _, tm := range x.analyzer.Terms(nil, ws, text) {
			if tm.Text == term {
				n++
			}
			if !tm.Extra {
				length++
			}
		}
		return n, length
	}
	for _, term := range []string{"macaroon", "robot", "invoic"} {
		var mean [postings.Fields]float64
		var with int
		for f := range postings.Fields {
			docs := 0.0
			for _, s := range all {
				if _, n := count(s, f, term); n > 0 {
					mean[f], docs = mean[f]+float64(n), docs+1
				}
			}
			mean[f] /= max(docs, 1)
		}
		weights := make(map[string]float64)
		for _, s := range all {
			tf := 0.0
			for f := range postings.Fields {
				n, length := count(s, f, term)
				tf += postings.Weights[f] * float64(n) / (1 - postings.Normalisation + postings.Normalisation*float64(length)/max(mean[f], 1))
			}
			if tf > 0 {
				weights[s.id] = tf * (postings.Saturation + 1) / (postings.Saturation + tf)
				with++
			}
		}
		idf := math.Log(1 + (float64(len(all)-with)+0.5)/(float64(with)+0.5))
		r := ask(t, x, Query{Text: term, Limit: MaxLimit})
		if r.Total != with {
			t.Errorf("%s: %d found, %d have it", term, r.Total, with)
		}
		for _, h := range r.Entries {
			if want := idf * weights[h.ID()]; math.Abs(h.Score-want) > 0.001 {
				t.Errorf("%s: %s scores %.4f, want %.4f", term, h.ID(), h.Score, want)
			}
		}
	}
}
