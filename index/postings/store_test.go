package postings

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"almanac/index/text"

	"github.com/google/go-cmp/cmp"
)

// texts are documents that have a text only, or, after an exclamation mark, a title only.
type texts []string

func (t texts) Len() int     { return len(t) }
func (t texts) Hash() string { return strings.Repeat("0", 64) }

func (t texts) Texts(i int) [Fields]string {
	if title, ok := strings.CutPrefix(t[i], "!"); ok {
		return [Fields]string{Title: title}
	}
	return [Fields]string{Text: t[i]}
}

func newStore(t *testing.T, docs ...string) *Store {
	t.Helper()
	a, err := text.NewAnalyzer()
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(a, texts(docs), Disk{}, Room{Lists: 1 << 20, Placed: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func within(d time.Duration) *Deadline {
	return &Deadline{Ctx: context.Background(), Until: time.Now().Add(d)}
}

func one(term string) text.Variant { return text.Variant{Term: term, Weight: 1} }

func TestDeadline(t *testing.T) {
	if err := within(-time.Second).Err(); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("after its time a search has %v", err)
	}
	if err := within(time.Minute).Err(); err != nil {
		t.Errorf("before its time a search has %v", err)
	}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	if err := (&Deadline{Ctx: gone, Until: time.Now().Add(time.Minute)}).Err(); !errors.Is(err, context.Canceled) {
		t.Errorf("without its caller a search has %v", err)
	}
}

// TestTimeoutIsTemporary: a list that was not ready when the time of a search was over is there for
// the next search.
func TestTimeoutIsTemporary(t *testing.T) {
	s := newStore(t, "macaroons and cookies", "cookies")
	late := make(chan struct{})
	held := s.reading.DoChan("macaroon\x01", func() (any, error) { <-late; return nil, errors.New("too late") })
	_, err := s.List(within(0), one("macaroon"))
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a search without time: %v", err)
	}
	close(late)
	<-held
	l, err := s.List(within(time.Minute), one("macaroon"))
	if err != nil || len(l.Docs) != 1 {
		t.Errorf("the next search: %v, %v", l, err)
	}
	if again, _ := s.List(within(0), one("macaroon")); again != l {
		t.Error("the list is not kept")
	}
}

// TestCloseWaits: a store stays open until its last user has released it, who can still read lists
// that were never read; nobody acquires it after Close has begun.
func TestCloseWaits(t *testing.T) {
	s := newStore(t, "macaroons and cookies", "cookies")
	if err := s.Acquire(); err != nil {
		t.Fatal(err)
	}
	closed := make(chan error)
	go func() { closed <- s.Close() }()
	for s.Acquire() == nil {
		s.Release()
		runtime.Gosched()
	}
	if l, err := s.List(within(time.Minute), one("cooki")); err != nil || len(l.Docs) != 2 {
		t.Errorf("a list read while closing: %v, %v", l, err)
	}
	select {
	case <-closed:
		t.Fatal("closed before its user released it")
	default:
	}
	s.Release()
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if err := s.Acquire(); !errors.Is(err, ErrClosed) {
		t.Errorf("acquired after Close: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("closed twice: %v", err)
	}
}

func TestCompletions(t *testing.T) {
	s := newStore(t, "lightning light", "lightning lights", "Lightning", "like")
	for prefix, want := range map[string][]string{"ligh": {"lightning", "light", "lights"}, "l": nil, "z": nil} {
		if diff := cmp.Diff(want, s.Completions(prefix)); diff != "" {
			t.Errorf("%s: %s", prefix, diff)
		}
	}
}

func TestCorrection(t *testing.T) {
	s := newStore(t, "macaroon", "macaroons macaroon", "lightning", "l4023456")
	for word, want := range map[string]string{"macaron": "macaroon", "lightnnig": "lightning", "lihgtnnig": "lightning", "l4023457": "", "robot": "", "lin": ""} {
		if got := s.Correction(word); got != want {
			t.Errorf("%s is corrected to %q, want %q", word, got, want)
		}
	}
}

func TestMergeMax(t *testing.T) {
	a := &List{[]uint32{1, 3, 5}, []float32{1, 2, 3}, []uint8{1, 1, 1}}
	b := &List{[]uint32{2, 3, 5}, []float32{4, 6, 4}, []uint8{2, 2, 2}}
	want := &List{[]uint32{1, 2, 3, 5}, []float32{1, 2, 3, 3}, []uint8{1, 2, 3, 3}}
	if diff := cmp.Diff(want, mergeMax(a, b, 0.5)); diff != "" {
		t.Error(diff)
	}
}

// TestSegments: documents keep their numbers across the segments that they are divided among, in memory
// and on disk, and every kind of reading finds them.
func TestSegments(t *testing.T) {
	docs := make(texts, 2*minSegment+100)
	for i := range docs {
		docs[i] = "a lone fox"
	}
	want := []uint32{7, minSegment - 1, minSegment, 2*minSegment + 99}
	for _, i := range want {
		docs[i] = "the needle of a red fox"
	}
	docs[want[0]] = "!" + docs[want[0]] // so that only the first segment has titles
	a, err := text.NewAnalyzer()
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"", t.TempDir()} {
		s, err := Open(a, docs, Disk{Dir: dir}, Room{Lists: 1 << 20, Placed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if n := len(s.built.segments); n != 3 {
			t.Errorf("%d segments, want 3", n)
		}
		l, err := s.List(within(time.Minute), one("needl"))
		if diff := cmp.Diff(want, l.Docs); diff != "" || err != nil {
			t.Errorf("a word: %v %s", err, diff)
		}
		if l, err = s.StopWord(within(time.Minute), "the"); err != nil || !cmp.Equal(want, l.Docs) {
			t.Errorf("a stop word: %v, %v", l.Docs, err)
		}
		var found []uint32
		phrase := []PhraseWord{{"red", 0}, {"fox", 1}}
		if err := s.Phrase(within(time.Minute), phrase, func(doc uint32) { found = append(found, doc) }); err != nil || !cmp.Equal(want, found) {
			t.Errorf("a phrase: %v, %v", found, err)
		}
		if n, err := s.Count("fox"); err != nil || n != len(docs) {
			t.Errorf("fox is counted %d times: %v", n, err)
		}
		if got := s.Completions("needl"); !cmp.Equal(got, []string{"needle"}) || !s.HasWord("needle") || s.HasWord("needl") {
			t.Errorf("needl is completed to %v", got)
		}
		s.Close()
	}
}

func TestWithinTwoEdits(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"lightning", "lightning", true}, {"lihgtnnig", "lightning", true}, {"lightn", "lightning", false}, {"lightni", "lightning", true},
		{"stabelcoin", "stablecoin", true}, {"stabelcion", "stablecoin", true}, {"tsabelcion", "stablecoin", false}, {"", "ab", true}, {"", "abc", false},
		{"abcdef", "abxyef", true}, {"abcdef", "axcyez", false},
	} {
		if got := withinEdits(tt.a, tt.b, 2); got != tt.want {
			t.Errorf("%s and %s: %v, want %v", tt.a, tt.b, got, tt.want)
		}
		if got := withinEdits(tt.b, tt.a, 2); got != tt.want {
			t.Errorf("%s and %s: %v, want %v", tt.b, tt.a, got, tt.want)
		}
	}
}
