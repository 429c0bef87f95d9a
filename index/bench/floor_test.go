package bench

import (
	"math"
	"strings"

	"go.almanac.example/catalog"
)

// floor is the least that a search costs: words mapped to arrays of documents with their
// weight, added up, the best ten handed out. It stems nothing, counts no facets, corrects nothing and
// explains nothing.
type floor struct {
	entries []*catalog.Entry
	words   map[string]*floorList
	sets    map[string][]uint64 // by category or tag
	scores  []float32
	touched []uint32
	best    []scored
	hits    []*catalog.Entry
}

type floorList struct {
	docs   []uint32
	weight []float32
}

type scored struct {
	score float32
	doc   uint32
}

func newFloor(c *corpus) *floor {
	f := &floor{words: make(map[string]*floorList), sets: make(map[string][]uint64), entries: c.entries,
		scores: make([]float32, len(c.entries))}
	const titleWeight, k1, b = 3, 1.25, 0.6
	for i, e := range c.entries {
		weights := make(map[string]float64)
		for _, w := range strings.Fields(e.Title) {
			weights[w] += titleWeight
		}
		for _, w := range strings.Fields(e.Summary) {
			weights[w]++
		}
		for w, tf := range weights { // all texts have one length, so b has no effect
			l := f.words[w]
			if l == nil {
				l = &floorList{}
				f.words[w] = l
			}
			l.docs, l.weight = append(l.docs, uint32(i)), append(l.weight, float32(tf*(k1+1)/(k1+tf)))
		}
		for _, v := range append([]string{e.Category}, e.Tags...) {
			if f.sets[v] == nil {
				f.sets[v] = make([]uint64, (len(c.entries)+63)/64)
			}
			f.sets[v][i>>6] |= 1 << (i & 63)
		}
	}
	for _, l := range f.words {
		idf := float32(math.Log(1 + (float64(len(c.entries)-len(l.docs))+0.5)/(float64(len(l.docs))+0.5)))
		for i := range l.weight {
			l.weight[i] *= idf
		}
	}
	return f
}

func (f *floor) search(q query) (int, error) {
	f.touched = f.touched[:0]
	for _, w := range q.words {
		l := f.words[w]
		if l == nil {
			continue
		}
		for i, doc := range l.docs {
			if f.scores[doc] == 0 {
				f.touched = append(f.touched, doc)
			}
			f.scores[doc] += l.weight[i]
		}
	}
	f.best = f.best[:0]
	category, tag := f.sets[q.category], f.sets[q.tag]
	for _, doc := range f.touched {
		s := f.scores[doc]
		f.scores[doc] = 0
		if q.category != "" && (category[doc>>6]>>(doc&63)&1 == 0 || tag[doc>>6]>>(doc&63)&1 == 0) {
			continue
		}
		if len(f.best) == keep && s <= f.best[keep-1].score {
			continue
		}
		f.insert(scored{s, doc})
	}
	f.hits = f.hits[:0]
	for _, s := range f.best {
		f.hits = append(f.hits, f.entries[s.doc])
	}
	return len(f.hits), nil
}

// keep is the number of hits of every engine.
const keep = 10

func (f *floor) insert(s scored) {
	if len(f.best) < keep {
		f.best = append(f.best, s)
	} else {
		f.best[keep-1] = s
	}
	for i := len(f.best) - 1; i > 0 && f.best[i].score > f.best[i-1].score; i-- {
		f.best[i], f.best[i-1] = f.best[i-1], f.best[i]
	}
}

func (f *floor) close() error { return nil }
