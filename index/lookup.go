package index

import (
	"fmt"
	"strings"

	bleveindex "github.com/blevesearch/bleve_index_api"
)

// looking is the state of looking up one query after the other wish.
type looking struct {
	plan      *plan
	words     []word
	text      string
	covered   []bool         // by word: something with it was found
	named     []bool         // by word: it was found as a part of a name, and means nothing alone
	corrected map[int]string // by word: what it is a misspelling of
}

// lookUp adds what a wish finds: the word itself and its other spellings, else the words it
// begins, else the word it is a misspelling of.
func (x *Index) lookUp(b *bound, look *looking, w wish) error {
	if w.first == w.last && look.named[w.first] {
		return nil
	}
	found, err := x.list(b, w.variants...)
	if err != nil {
		return err
	}
	wn := want{list: found, weight: float32(w.count), term: look.text[look.words[w.first].start:look.words[w.last].end], variants: w.variants}
	if len(found.docs) > 0 {
		look.plan.wants = append(look.plan.wants, wn)
		for i := w.first; i <= w.last; i++ {
			look.covered[i] = true
			// The 12 of BOLT 12 is looked for with its name only, and a lone letter likewise.
			look.named[i] = look.named[i] || w.numbered && (i > w.first || len(look.words[i].text) == 1)
		}
		return nil
	}
	if w.first < w.last || look.covered[w.first] {
		return nil
	}
	if wn.variants, wn.as, err = x.guess(b, look, w.first); err != nil || wn.variants == nil {
		return err
	}
	if wn.list, err = x.list(b, wn.variants...); err != nil {
		return err
	}
	look.plan.wants = append(look.plan.wants, wn)
	return nil
}

// guess gives what a word that no document has may stand for.
func (x *Index) guess(b *bound, look *looking, word int) ([]variant, string, error) {
	s := look.words[word].text
	variants, err := x.completing(s)
	if err != nil || len(variants) > 0 {
		return variants, s + "…", err
	}
	correct, err := x.correction(b, s)
	if err != nil || correct == "" {
		return nil, "", err
	}
	if look.corrected == nil {
		look.corrected = make(map[int]string)
	}
	look.corrected[word] = correct
	return scaled(appendVariants(nil, term{text: x.analyzer.stem(correct)}), correctionWeight), correct, nil
}

func scaled(vs []variant, by float32) []variant {
	for i := range vs {
		vs[i].weight *= by
	}
	return vs
}

// suggestion gives the text with its misspelt words put right, or "".
func (look *looking) suggestion() string {
	if len(look.corrected) == 0 {
		return ""
	}
	var b strings.Builder
	at := 0
	for i, w := range look.words {
		if c, ok := look.corrected[i]; ok {
			b.WriteString(look.text[at:w.start] + c)
			at = w.end
		}
	}
	b.WriteString(look.text[at:])
	return strings.Join(strings.Fields(b.String()), " ")
}

// planStopWords looks for a query of stop words only, "to be or not to be", among the words as
// they are written.
func (x *Index) planStopWords(b *bound, pl *plan, ws []word) error {
	for _, w := range ws[:min(len(ws), MaxTerms)] {
		l, err := x.surfaceList(b, w.text)
		if err != nil {
			return err
		}
		if len(l.docs) > 0 {
			pl.wants = append(pl.wants, want{list: l, weight: 1, term: w.text})
		}
	}
	return nil
}

// surfaceList gives the documents that have a word exactly as it is written.
func (x *Index) surfaceList(b *bound, w string) (*list, error) {
	key := []byte("\x00" + w)
	if l, ok := x.lists.get(key); ok {
		return l, nil
	}
	r, err := x.store.reader.TermFieldReader(b.ctx, []byte(w), fieldNames[fieldWords], false, false, false)
	if err != nil {
		return nil, fmt.Errorf("read postings of %q: %w", w, err)
	}
	defer r.Close()
	l := &list{}
	worth := float32(rarity(int(r.Count()), len(x.records)))
	var at bleveindex.TermFieldDoc
	for {
		d, err := r.Next(&at)
		if err != nil {
			return nil, fmt.Errorf("read postings of %q: %w", w, err)
		}
		if d == nil {
			break
		}
		if len(l.docs)%4096 == 4095 && b.err() != nil {
			return nil, b.err()
		}
		l.add(uint32(d.ID.Value()), worth, 1<<fieldText)
	}
	x.lists.put(key, l)
	return l, nil
}
