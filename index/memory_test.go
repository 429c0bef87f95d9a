package index

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"net/url"
	"slices"
	"testing"
	"time"

	"almanac/index/postings"

	gocmp "github.com/google/go-cmp/cmp"
)

// Answers over HTTP are made in memory that is used again: what one request reads is not changed by the
// others.
func TestAnswersShareNoMemory(t *testing.T) {
	x := freshIndex(t, Options{Answers: -1})
	h := newHandler(x)
	get := func(text string, limit int) string {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", fmt.Sprintf("/v1/search?limit=%d&q=%s", limit, url.QueryEscape(text)), nil))
		return w.Body.String()
	}
	texts := []string{"macaroon", "how can an agent pay for an api call", "tag:lightning wallet", "zzzzqqqq", "kind:protocol", "lightnig invoce", `"wallet connect"`}
	want := make(map[string]string)
	for _, text := range texts {
		r := ask(t, x, Query{Text: text})
		want[text] = string(encode(r)) + "\n"
	}
	done := make(chan error)
	for g := range 4 {
		go func() {
			for n := range 60 {
				text := texts[(g+n)%len(texts)]
				get(text, 1+(g*7+n*13)%MaxLimit) // leaves more or fewer hits in the memory
				if got := get(text, DefaultLimit); got != want[text] {
					done <- fmt.Errorf("%s: %s", text, gocmp.Diff(want[text], got))
					return
				}
			}
			done <- nil
		}()
	}
	for range 4 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// The hits of an answer take no memory once the memory of an answer has grown to their number.
func TestHitsTakeNoAllocations(t *testing.T) {
	x := freshIndex(t, Options{})
	s, room := newScratch(x.Len(), len(x.filters.values)), new(answerRoom)
	for _, text := range []string{"lightning", "how can an agent pay for an api call", "tag:standards", "x402 facilitator"} {
		var p parsed
		if err := x.parse(&p, Query{Text: text, Limit: MaxLimit}); err != nil {
			t.Fatal(err)
		}
		d := &postings.Deadline{Ctx: context.Background(), Until: time.Now().Add(time.Hour)}
		pl, err := x.plan(d, &s.planning, &p)
		if err != nil {
			t.Fatal(err)
		}
		if err := x.collect(d, s, &p, pl); err != nil {
			t.Fatal(err)
		}
		page := s.top.from(0)
		if len(page) < 5 {
			t.Errorf("%s finds %d", text, len(page))
		}
		if n := testing.AllocsPerRun(20, func() { x.hits(s, room, page, &p) }); n != 0 {
			t.Errorf("%s: %g allocations for %d hits", text, n, len(page))
		}
	}
}

// The facets are the most frequent values, and of equally frequent ones the first.
func TestMostFrequent(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		counts := make([]uint32, 1+r.IntN(90))
		var ids []uint16
		for i := range counts {
			if counts[i] = uint32(max(0, r.IntN(12)-4)); counts[i] > 0 {
				ids = append(ids, uint16(i))
			}
		}
		slices.SortStableFunc(ids, func(a, b uint16) int { return cmp.Compare(counts[b], counts[a]) })
		want := ids[:min(len(ids), maxFacets)]
		var got []uint16
		for _, key := range mostFrequent(make([]uint64, 0, maxFacets), counts, 0, uint16(len(counts))) {
			got = append(got, uint16(key))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("of %v: %v, want %v", counts, got, want)
		}
	}
}

// The hits kept are the first of all, in their order.
func TestTopK(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		var top topK
		top.reset(1 + r.IntN(30))
		all := make([]found, r.IntN(100))
		for i := range all {
			all[i] = found{key: uint64(r.IntN(20)), doc: uint32(i)}
			top.offer(all[i])
		}
		slices.SortFunc(all, func(a, b found) int { return cmp.Or(cmp.Compare(b.key, a.key), cmp.Compare(a.doc, b.doc)) })
		want := all[:min(len(all), top.k)]
		if got := top.from(0); !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	}
}

// A passage that has the rarer words, and has them in its title, is chosen before others, and of equal ones
// the first.
func TestPassagesChosen(t *testing.T) {
	x := freshIndex(t, Options{})
	c := newCards(x.analyzer, x.cards.site, 1, 1)
	made := c.newCard(&record{other: &source{kind: KindProtocol, passages: []Passage{
		{Title: "Apples", Text: "pears and plums"},
		{Title: "Pears", Text: "pears"},
		{Title: "Nothing", Text: "of the kind"},
		{Title: "Plums", Text: "apples and pears, apples"},
		{Title: "Cherries", Text: "plums"},
		{Title: "Cherries", Text: "plums"},
	}}})
	for _, tt := range []struct {
		words map[string]float32
		want  []int
	}{
		{map[string]float32{"pear": 1}, []int{1, 0, 3}},
		{map[string]float32{"appl": 1}, []int{0, 3}},
		{map[string]float32{"cherri": 1}, []int{4, 5}},
		{map[string]float32{"cherri": 1, "plum": 4}, []int{3, 4, 5}},
		{map[string]float32{"quinc": 1}, []int{0}},
		{nil, []int{0}},
	} {
		var set termSet
		for word, weight := range tt.words {
			set.add(c.hash(word))
			set.weights = append(set.weights, weight)
		}
		var room passageRoom
		for range 2 { // the memory is used again
			room.best = room.best[:0]
			room.addBest(made, &set)
			if diff := gocmp.Diff(tt.want, room.best); diff != "" {
				t.Errorf("%v: %s", tt.words, diff)
			}
		}
	}
}
