package postings

import (
	"fmt"
	"strings"
	"testing"
)

func TestVocabulary(t *testing.T) {
	counter := newWordCounter()
	for doc := range uint32(500) {
		for n := range doc % 7 {
			counter.add(fmt.Sprintf("word%d", doc*n%97), 0, doc+1)
		}
	}
	var text strings.Builder
	if err := newVocabulary([]*wordCounter{counter}).write(&text); err != nil {
		t.Fatal(err)
	}
	read, err := readVocabulary(strings.NewReader(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []*vocabulary{newVocabulary([]*wordCounter{counter}), read} {
		for i := range 200 {
			word := fmt.Sprintf("word%d", i)
			if got, want := v.count(word), counter.others[word].docs; got != want {
				t.Errorf("%s is in %d documents, want %d", word, got, want)
			}
		}
		for _, tt := range []struct {
			a, b string
			want bool
		}{{"wo", "rd1", true}, {"word", "96", true}, {"word", "97", false}, {"", "", true}, {"x", "", false}, {"", "wore", false}} {
			if got := v.begins(tt.a, tt.b); got != tt.want {
				t.Errorf("a word begins with %s%s: %v, want %v", tt.a, tt.b, got, tt.want)
			}
		}
	}
	if none := newVocabulary(nil); none.count("word") != 0 || none.begins("w", "") {
		t.Error("an empty vocabulary has words")
	}
}

func TestFind(t *testing.T) {
	for n := range 40 {
		l := &List{}
		for i := range n {
			l.Docs = append(l.Docs, uint32(3*i+1))
		}
		for doc := range uint32(3*n + 3) {
			want := -1
			if doc%3 == 1 && int(doc/3) < n {
				want = int(doc / 3)
			}
			if got := l.Find(doc); got != want {
				t.Errorf("document %d of %d is at %d, want %d", doc, n, got, want)
			}
		}
	}
}

// A document counts once for a word, in whatever way it is written.
func TestWordsAreCountedOnce(t *testing.T) {
	s := newStore(t, "bolt12 and BOLT 12 and BOLT #12, bolt12", "BOLT 12", "don't do what you dont, don't", "BIP-0021 or bip21 or bip21")
	for word, want := range map[string]uint32{"bolt12": 2, "dont": 1, "bip21": 1, "bip": 1, "12": 2} {
		if got := s.built.vocabulary.count(word); got != want {
			t.Errorf("%q is in %d documents, want %d", word, got, want)
		}
	}
}
