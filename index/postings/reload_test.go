package postings

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"almanac/index/text"

	"github.com/google/go-cmp/cmp"
)

// A numbered document keeps its texts from one reload to the next.
type numbered struct {
	id    int
	texts [Fields]string
}

type numberedTexts []numbered

func (l numberedTexts) Len() int                   { return len(l) }
func (l numberedTexts) Texts(i int) [Fields]string { return l[i].texts }
func (l numberedTexts) Hash() string               { return "0123456789abcdef" }

// was returns the numbers that documents had in an older list.
func (l numberedTexts) was(before numberedTexts) []uint32 {
	at := make(map[numbered]uint32)
	for i, d := range before {
		at[d] = uint32(i)
	}
	was := make([]uint32, len(l))
	for i, d := range l {
		old, ok := at[d]
		if was[i] = old; !ok {
			was[i] = None
		}
	}
	return was
}

// reloadWords are words of which some have several spellings, some are stop words, and some are rare.
var reloadWords = strings.Fields(`the of and macaroon macaroons lightning key-send keysend bolt12 bolt 12 BIP-0021 bip21 don't dont invoice invoices wallet
	wallets x402 L402 payment payments node nodes route routing rare1 rare2 rare3 rare4 rare5 rare6 rare7 rare8 rare9 quartz quartzes zebra yttrium`)

func randomDocument(r *rand.Rand, id int) numbered {
	d := numbered{id: id}
	for f := range d.texts {
		var words []string
		for range r.IntN(5) {
			i := int(float64(len(reloadWords)) * r.Float64() * r.Float64())
			words = append(words, reloadWords[i])
		}
		if r.IntN(400) == 0 {
			words = append(words, fmt.Sprintf("only%d", id))
		}
		d.texts[f] = strings.Join(words, " ")
	}
	return d
}

// change edits, adds and removes so many documents, at random places.
func (l numberedTexts) change(r *rand.Rand, edited, added, removed int) numberedTexts {
	next := slices.Clone(l)
	for range edited {
		i := r.IntN(len(next))
		next[i] = randomDocument(r, next[i].id)
	}
	for range removed {
		i := r.IntN(len(next))
		next = slices.Delete(next, i, i+1)
	}
	for range added {
		next = slices.Insert(next, r.IntN(len(next)+1), randomDocument(r, r.Int()))
	}
	return next
}

// A store that was reloaded, again and again, is one that was built of the same documents.
func TestReloadedStore(t *testing.T) {
	a, err := text.NewAnalyzer()
	if err != nil {
		t.Fatal(err)
	}
	room := Room{Lists: 1 << 20, Placed: 10}
	for name, dir := range map[string]string{"memory": "", "disk": t.TempDir()} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(7, 8))
			var docs numberedTexts
			for i := range minSegment + 300 {
				docs = append(docs, randomDocument(r, i))
			}
			s, err := Open(a, docs, Disk{Dir: dir}, room)
			if err != nil {
				t.Fatal(err)
			}
			first := docs
			for step, size := range [][3]int{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {40, 0, 0}, {0, 60, 0}, {0, 0, 60}, {20, 20, 20}, {3, 0, 5}} {
				next := docs.change(r, size[0], size[1], size[2])
				if step == 8 {
					next = first // everything as it was
				}
				reloaded, err := s.Reload(next, next.was(docs), room)
				if err != nil || reloaded == nil {
					t.Fatalf("step %d: %v, %v", step, reloaded, err)
				}
				if err := s.Close(); err != nil { // which takes nothing from the other
					t.Fatal(err)
				}
				want, err := Open(a, next, Disk{}, room)
				if err != nil {
					t.Fatal(err)
				}
				expectSameStore(t, fmt.Sprintf("step %d", step), reloaded, want)
				want.Close()
				s, docs = reloaded, next
			}
			base := s.base
			s.Close()
			if n := base.stores.Load(); n != 0 {
				t.Errorf("%d stores have the segments that are left", n)
			}
		})
	}
}

// expectSameStore compares everything that a store answers, and what its answers are made of.
func expectSameStore(t *testing.T, at string, got, want *Store) {
	t.Helper()
	if !slices.Equal(got.built.vocabulary.words, want.built.vocabulary.words) || !slices.Equal(got.built.vocabulary.docs, want.built.vocabulary.docs) {
		t.Errorf("%s: another vocabulary: %s", at, cmp.Diff(want.built.vocabulary.words, got.built.vocabulary.words))
	}
	if diff := cmp.Diff(want.norms, got.norms); diff != "" {
		t.Errorf("%s: other norms: %.300s", at, diff)
	}
	for _, word := range append(want.built.vocabulary.words, "nothing") {
		term := want.analyzer.Stem(word)
		wantList, err := want.List(within(time.Minute), one(term), one("-"+term))
		if err != nil {
			t.Fatal(err)
		}
		gotList, err := got.List(within(time.Minute), one(term), one("-"+term))
		if err != nil || !slices.Equal(gotList.Docs, wantList.Docs) || !slices.Equal(gotList.Scores, wantList.Scores) || !slices.Equal(gotList.Fields, wantList.Fields) {
			t.Errorf("%s: another list of %q: %v", at, term, err)
		}
		if got.HasInText(term) != want.HasInText(term) || want.MayHave(term) && len(wantList.Docs) > 0 && !got.MayHave(term) {
			t.Errorf("%s: another answer whether texts have %q", at, term)
		}
		wantCount, _ := want.Count(term)
		if n, err := got.Count(term); n != wantCount || err != nil {
			t.Errorf("%s: %d documents have %q, want %d (%v)", at, n, term, wantCount, err)
		}
		wantList, _ = want.StopWord(within(time.Minute), word)
		if gotList, err = got.StopWord(within(time.Minute), word); err != nil || !slices.Equal(gotList.Docs, wantList.Docs) || !slices.Equal(gotList.Scores, wantList.Scores) {
			t.Errorf("%s: another list of the stop word %q: %v", at, word, err)
		}
	}
	for _, phrase := range [][]PhraseWord{{{"lightn", 0}, {"wallet", 1}}, {{"macaroon", 0}, {"macaroon", 1}}, {{"bip21", 0}, {"invoic", 1}}} {
		var gotDocs, wantDocs []uint32
		got.Phrase(within(time.Minute), phrase, func(doc uint32) { gotDocs = append(gotDocs, doc) })
		want.Phrase(within(time.Minute), phrase, func(doc uint32) { wantDocs = append(wantDocs, doc) })
		if !slices.Equal(gotDocs, wantDocs) {
			t.Errorf("%s: %v is in %v, want %v", at, phrase, gotDocs, wantDocs)
		}
	}
}

// Where too much has changed, whether at once or in many reloads, and where a store is closed, all is built anew.
func TestReloadOfTooMuch(t *testing.T) {
	a, err := text.NewAnalyzer()
	if err != nil {
		t.Fatal(err)
	}
	room := Room{Lists: 1 << 20, Placed: 10}
	r := rand.New(rand.NewPCG(9, 10))
	var docs numberedTexts
	for i := range 100 {
		docs = append(docs, randomDocument(r, i))
	}
	open := func() *Store {
		s, err := Open(a, docs, Disk{}, room)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	reload := func(s *Store, from, to numberedTexts) *Store {
		next, err := s.Reload(to, to.was(from), room)
		if err != nil {
			t.Fatal(err)
		}
		if next != nil {
			t.Cleanup(func() { next.Close() })
		}
		return next
	}
	most := 100 / mostChanged
	for _, tt := range []struct {
		name    string
		changed numberedTexts
		want    bool
	}{
		{"as many as may be removed", docs[most-1:], true},
		{"more removed", docs[most+1:], false},
		{"as many as may be added", docs.change(r, 0, most, 0), true},
		{"more added", docs.change(r, 0, most+3, 0), false},
		{"none left", nil, false},
	} {
		if got := reload(open(), docs, tt.changed); (got != nil) != tt.want {
			t.Errorf("%s: reloaded %v, want %v", tt.name, got != nil, tt.want)
		}
	}
	s, now := open(), docs
	for i := range most + 1 {
		next := slices.Clone(now)
		next[i*3] = randomDocument(r, -1-i)
		reloaded := reload(s, now, next)
		if (reloaded != nil) != (i < most) {
			t.Fatalf("reload %d of one document each: reloaded %v", i+1, reloaded != nil)
		}
		if reloaded != nil && reloaded.Indexed() != i+1 {
			t.Errorf("reload %d indexes %d documents", i+1, reloaded.Indexed())
		}
		s, now = reloaded, next
	}
	closed := open()
	closed.Close()
	if reload(closed, docs, docs) != nil {
		t.Error("a closed store is reloaded")
	}
}
