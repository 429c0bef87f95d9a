package catalogtest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.almanac.example/catalog"
	"go.almanac.example/internal/wirejson"
)

// A Library is a folder of curated files with many invented entries, for measurements on libraries far larger than the
// published one. Its texts are of the words of the real entries and of invented names, as frequent as words are in
// English, so that an index of them has the vocabulary that a library of that size would have.
type Library struct {
	Dir     string
	Entries []*catalog.Entry // the invented ones

	words   *words
	edition int
}

// NewLibrary writes a library of n entries into dir: the curated files below real, and invented entries. A tenth of
// these answer a question, a twentieth have evidence, and each is in the history.
func NewLibrary(t testing.TB, real, dir string, n int) *Library {
	t.Helper()
	if err := os.CopyFS(dir, os.DirFS(real)); err != nil {
		t.Fatal(err)
	}
	l := &Library{Dir: dir, words: newWords(t, real)}
	there, err := filepath.Glob(filepath.Join(dir, "library", "*", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(2026, uint64(n)))
	events := make(map[catalog.Date][]catalog.HistoryEvent)
	for i := range n - len(there) {
		e := l.entry(r, i)
		l.Entries = append(l.Entries, e)
		l.write(t, e)
		if i%10 == 0 {
			l.writeFile(t, "questions/library/"+e.ID+".json", &catalog.QuestionRecord{Record: e.ID,
				Questions: []string{"how does " + l.words.text(r, 4) + " work", l.words.text(r, 3)}})
		}
		if i%20 == 0 {
			l.writeFile(t, "evidence/"+e.ID+".json", l.evidence(r, e))
		}
		events[e.VerifiedAt] = append(events[e.VerifiedAt],
			catalog.HistoryEvent{Record: e.ID, Change: "added", Members: []catalog.MemberChange{
				{Name: "verified_at", Old: []byte("null"), New: wirejson.Must(wirejson.Compact(e.VerifiedAt))},
			}})
	}
	for day, list := range events {
		l.writeHistory(t, day, list)
	}
	return l
}

// InventEntries returns n generated entries that resemble those under real.
func InventEntries(t testing.TB, real string, n int) (list []*catalog.Entry) {
	t.Helper()
	l := &Library{words: newWords(t, real)}
	r := rand.New(rand.NewPCG(2026, uint64(n)))
	for i := range n {
		list = append(list, l.entry(r, i))
	}
	return list
}

// Edit writes another title and summary into every nth entry, from the first on, and returns how many it edited.
func (l *Library) Edit(t testing.TB, nth int) (edited int) {
	t.Helper()
	l.edition++
	r := rand.New(rand.NewPCG(uint64(l.edition), uint64(nth)))
	for i := 0; i < len(l.Entries); i += nth {
		e := l.Entries[i]
		e.Title = fmt.Sprintf("%s, edition %d", l.words.title(r), l.edition)
		e.Summary = l.words.summary(r)
		l.write(t, e)
		edited++
	}
	return edited
}

func (l *Library) entry(r *rand.Rand, i int) *catalog.Entry {
	types := catalog.EntryTypes
	name := l.words.name(r)
	day := catalog.Date(fmt.Sprintf("2026-%02d-%02d", 7+r.IntN(4), 1+r.IntN(28)))
	e := &catalog.Entry{
		ID: fmt.Sprintf("%s-%s-%d", name, l.words.name(r), i), Title: l.words.title(r), Publisher: l.words.publisher(r),
		Authors:  []string{},
		URL:      fmt.Sprintf("https://%s.example/%s/%d", name, strings.ReplaceAll(l.words.text(r, 2), " ", "-"), i),
		Type:     types[r.IntN(len(types))],
		Category: l.words.categories[r.IntN(len(l.words.categories))], Summary: l.words.summary(r), Tags: l.someTags(r),
		VerifiedAt: day, LastChecked: day,
	}
	if r.IntN(3) > 0 {
		published := catalog.Date(fmt.Sprintf("20%02d-%02d-%02d", 10+r.IntN(16), 1+r.IntN(12), 1+r.IntN(28)))
		e.DatePublished = &published
	}
	for range r.IntN(3) {
		if author := capitalized(l.words.name(r)) + " " + capitalized(l.words.name(r)); !slices.Contains(e.Authors, author) {
			e.Authors = append(e.Authors, author)
		}
	}
	return e
}

func (l *Library) someTags(r *rand.Rand) []string {
	var tags []string
	for len(tags) < 1+r.IntN(4) {
		if t := l.words.tags[int(float64(len(l.words.tags))*math.Pow(r.Float64(), 2))]; !slices.Contains(tags, t) {
			tags = append(tags, t)
		}
	}
	return tags
}

func (l *Library) evidence(r *rand.Rand, e *catalog.Entry) *catalog.EvidenceRecord {
	return &catalog.EvidenceRecord{Record: e.ID,
		Members: []catalog.MemberEvidence{{Member: "summary", Readings: []catalog.SourceReading{
			{Holds: true, URL: e.URL, Copy: catalog.CopyPage, CopyDate: &e.VerifiedAt, ReadAt: e.VerifiedAt,
				Quote: l.words.text(r, 12)},
		}}}}
}

func (l *Library) write(t testing.TB, e *catalog.Entry) {
	l.writeFile(t, "library/"+e.Category+"/"+e.ID+".json", e)
}

func (l *Library) writeFile(t testing.TB, name string, record any) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(l.Dir, filepath.FromSlash(name)), wirejson.Must(wirejson.Indent(record)),
		0o644); err != nil {
		t.Fatal(err)
	}
}

func (l *Library) writeHistory(t testing.TB, day catalog.Date, events []catalog.HistoryEvent) {
	t.Helper()
	var b []byte
	for _, e := range events {
		b = append(wirejson.Must(wirejson.Append(b, e)), '\n')
	}
	if err := os.WriteFile(filepath.Join(l.Dir, "history", string(day)+".jsonl"), b, 0o644); err != nil {
		t.Fatal(err)
	}
}
