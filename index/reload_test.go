package index

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"almanac/catalog"
	"almanac/catalog/catalogtest"
	"almanac/catalog/load"
	"almanac/problem"

	"github.com/google/go-cmp/cmp"
)

// everySyntax is every kind of query.
var everySyntax = []Query{
	{Text: "macaroon"}, {Text: "BOLT 12"}, {Text: "bolt12 offer"}, {Text: `"wallet connect"`}, {Text: `"lightning network" -"wallet"`}, {Text: "key-send keysend"},
	{Text: "tag:lightning"}, {Text: "tag:lightning wallet -tag:http"}, {Text: "kind:protocol"}, {Text: "-macaroon payment"}, {Text: "payment NOT invoice"},
	{Text: "macar"}, {Text: "li"}, {Text: "lightn invoi"}, {Text: "robto"}, {Text: "lihgtnnig walet"}, {Text: "stabelcoin regulaton"}, {Text: "zzzzqqqq"},
	{Text: "what is the"}, {Text: "to be or not to be"}, {Text: "lnd"}, {Text: "https://docs.lightning.engineering"}, {Text: "edition one"},
	{Text: "agent payment lightning invoice wallet token header robot security identity discovery browser budget network stablecoin macaroon challenge protocol dataset"},
	{Text: "payment", Sort: SortNewest}, {Text: "payment", Sort: SortVerified, Limit: MaxLimit}, {Text: "protocol", From: "2015-01-01", To: "2026-06-30"},
	{Text: "network", VerifiedSince: "2026-10-01"}, {Tag: []string{"lightning", "http"}}, {Kind: []string{KindLibrary}, Sort: SortNewest, Limit: MaxLimit}, {Type: []string{"specification"}, Text: "payments"},
}

// goldenQueries are the queries that search is held to.
func goldenQueries(t *testing.T) (list []Query) {
	t.Helper()
	for _, file := range []string{"testdata/golden.txt", "testdata/queries.txt"} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			if text, _, ok := strings.Cut(line, "=>"); ok && !strings.HasPrefix(line, "#") {
				list = append(list, Query{Text: text})
			}
		}
	}
	return list
}

// An exchange is a query with its answer, and the page after that.
type exchange struct {
	query       Query
	first, next string
}

// exchanges asks queries.
func exchanges(t *testing.T, x *Index, queries []Query) (list []exchange) {
	t.Helper()
	answer := func(q Query) (string, string) {
		r, err := x.Search(context.Background(), q)
		var p *problem.Problem
		if errors.As(err, &p) && p.Code != problem.Internal && p.Code != problem.Timeout {
			return p.Error(), ""
		}
		if err != nil {
			t.Fatalf("%+v: %v", q, err)
		}
		return string(encode(r)), r.NextCursor
	}
	for _, q := range queries {
		e := exchange{query: q}
		if e.first, q.Cursor = answer(q); q.Cursor != "" {
			e.next, _ = answer(q)
		}
		list = append(list, e)
	}
	return list
}

// expectExchanges asks an index what another was asked.
func expectExchanges(t *testing.T, at string, x *Index, want []exchange) {
	t.Helper()
	var queries []Query
	for _, e := range want {
		queries = append(queries, e.query)
	}
	for i, got := range exchanges(t, x, queries) {
		if got.first != want[i].first || got.next != want[i].next {
			t.Errorf("%s: %+v: %s", at, got.query, cmp.Diff(want[i].first+want[i].next, got.first+got.next))
			return
		}
	}
}

// A growingLibrary is a list of records that changes, and entries that are not in it yet.
type growingLibrary struct {
	records recordList
	others  []*catalog.Entry
	rand    *rand.Rand
}

func newGrowingLibrary(t *testing.T, n int) *growingLibrary {
	t.Helper()
	l := &growingLibrary{records: newRecords(realCatalog(t)), rand: rand.New(rand.NewPCG(11, 12))}
	l.others = catalogtest.InventEntries(t, "../fixtures", n+n/2)
	l.add(n - len(l.records))
	l.records.sort()
	return l
}

func (l *growingLibrary) add(n int) {
	for _, e := range l.others[:n] {
		l.records = append(l.records, record{entry: e, label: "Category " + e.Category})
	}
	l.others = l.others[n:]
}

func (l *growingLibrary) remove(n int) {
	for range n {
		i := l.rand.IntN(len(l.records))
		l.records = slices.Delete(l.records, i, i+1)
	}
}

// edit changes copies of the entries among n random records.
func (l *growingLibrary) edit(n int, change func(*record, *catalog.Entry)) {
	for _, i := range l.rand.Perm(len(l.records))[:n] {
		if r := &l.records[i]; r.entry != nil {
			e := *r.entry
			r.entry = &e
			change(r, &e)
		}
	}
}

func (l *growingLibrary) text(_ *record, e *catalog.Entry) {
	other := l.others[l.rand.IntN(len(l.others))]
	e.Title, e.Summary = other.Title, other.Summary+" Written in edition one."
}

func (l *growingLibrary) date(_ *record, e *catalog.Entry) {
	day := catalog.Date(fmt.Sprintf("20%02d-03-04", l.rand.IntN(26)))
	e.DatePublished = &day
}

func (l *growingLibrary) tagsAndQuestions(r *record, e *catalog.Entry) {
	e.Tags, r.questions = []string{"lightning"}, "how is it paid"
}

func (l *growingLibrary) unindexed(_ *record, e *catalog.Entry) {
	e.VerifiedAt, e.LastChecked = "2026-11-20", "2026-11-20"
}

func (l *growingLibrary) setLabel(category, label string) {
	for i := range l.records {
		if r := &l.records[i]; r.entry != nil && r.entry.Category == category {
			r.label = label
		}
	}
}

// around returns queries made of the words of n documents: alone, cut short, misspelt, in phrases, excluded.
func (l *growingLibrary) around(n int) (list []Query) {
	for range n {
		s := l.records[l.rand.IntN(len(l.records))].source()
		for _, text := range []string{s.title, s.text, s.labels} {
			words := strings.Fields(text)
			if len(words) < 2 {
				continue
			}
			i := l.rand.IntN(len(words) - 1)
			w, next := words[i], words[i+1]
			cut := l.rand.IntN(len(w) + 1)
			for _, q := range []string{w, w + " " + next, `"` + w + " " + next + `"`, w[:cut], w[:cut] + "x" + w[cut:], w + " -" + next, text, next + w} {
				list = append(list, Query{Text: q})
			}
		}
	}
	return list
}

// TestReloadedIndex: an index that was reloaded again and again answers as one that was built of the same documents, whatever has changed.
func TestReloadedIndex(t *testing.T) {
	n := 600
	if os.Getenv("ALMANAC_REAL") != "" { // more than one segment
		n = 4000
	}
	l := newGrowingLibrary(t, n)
	first, golden, dir := slices.Clone(l.records), goldenQueries(t), t.TempDir()
	options := []Options{{Timeout: time.Minute}, {Timeout: time.Minute, Dir: dir, DiskFrom: 1}}
	reload := func(before *Index, o Options) *Index {
		x, err := newIndex(before, l.records, catalog.DefaultSite, o)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	indexes := []*Index{reload(nil, options[0]), reload(nil, options[1])}
	for _, step := range []struct {
		name    string
		change  func()
		indexed int // documents; -1: some
	}{
		{"nothing", func() {}, 0},
		{"what is not indexed", func() { l.edit(n/50, l.unindexed) }, 0},
		{"one text", func() { l.edit(1, l.text) }, 1},
		{"a hundredth", func() { l.edit(n/100, l.text) }, -1},
		{"entries added", func() { l.add(n / 100) }, -1},
		{"entries removed", func() { l.remove(n / 100) }, -1},
		{"other dates", func() { l.edit(n/100, l.date) }, -1},
		{"other tags and questions", func() { l.edit(n/100, l.tagsAndQuestions) }, -1},
		{"everything as it was", func() { l.records = slices.Clone(first) }, -1},
		{"the label of a large category", func() { l.setLabel("payments", "Money") }, len(first)},
		{"every text", func() { l.edit(len(first), l.text) }, len(first)},
		{"a few after that", func() { l.edit(3, l.text) }, 3},
	} {
		l.records = slices.Clone(l.records)
		step.change()
		l.records.sort()
		queries := append(l.around(2), everySyntax...)
		for range 15 {
			queries = append(queries, golden[l.rand.IntN(len(golden))])
		}
		built := reload(nil, options[0])
		want := exchanges(t, built, queries)
		built.Close()
		for i, old := range indexes {
			x := reload(old, options[i])
			old.Close()
			indexes[i] = x
			indexed, at := x.store.Indexed(), fmt.Sprintf("%s, on disk %v", step.name, x.OnDisk())
			if indexed != step.indexed && (step.indexed >= 0 || indexed == 0 || indexed == len(l.records)) {
				t.Errorf("%s: %d of %d documents are indexed, want %d", at, indexed, len(l.records), step.indexed)
			}
			expectExchanges(t, at, x, want)
		}
	}
	for _, x := range indexes {
		x.Close()
	}
}

// TestReloadOfFiles: the same with the curated files, of which records of every kind are edited.
func TestReloadOfFiles(t *testing.T) {
	files := catalogtest.Files(t, "../fixtures", nil)
	var c *catalog.Catalog
	read := func() {
		t.Helper()
		next, err := load.Reload(c, files, catalogtest.Options)
		if err != nil {
			t.Fatal(err)
		}
		c = next
	}
	read()
	x, err := New(c, Options{Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	queries := slices.Clone(everySyntax)
	for i, q := range goldenQueries(t) {
		if i%8 == 0 || os.Getenv("ALMANAC_REAL") != "" {
			queries = append(queries, q)
		}
	}
	for _, edit := range []struct{ file, old, new string }{
		{"library/bitcoin-lightning/lnd.json", `"title": "`, `"title": "Zeppelin `},
		{"library/bitcoin-lightning/lnd.json", `"date_published": null`, `"date_published": "2018-03-15"`},
		{"questions/library/lnd.json", `"lncli"`, `"lncli for zeppelins"`},
		{"articles/a-budget-that-survives-a-crash/article.json", `"summary": "How`, `"summary": "In a zeppelin, how`},
		{"categories.json", `"label": "Regulation"`, `"label": "Law of Zeppelins"`},
		{"library/bitcoin-lightning/lnd.json", `"title": "Zeppelin `, `"title": "`},
	} {
		data := bytes.Replace(files[edit.file].Data, []byte(edit.old), []byte(edit.new), 1)
		if bytes.Equal(data, files[edit.file].Data) {
			t.Fatalf("%s has no %s", edit.file, edit.old)
		}
		files[edit.file] = &fstest.MapFile{Data: data}
		read()
		built, err := New(c, Options{Timeout: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		next, err := Reload(x, c, Options{Timeout: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		x.Close()
		x = next
		if n := x.store.Indexed(); n == 0 || n == x.Len() {
			t.Errorf("%s: %d of %d documents are indexed", edit.new, n, x.Len())
		}
		expectExchanges(t, edit.new, x, exchanges(t, built, append(queries, Query{Text: "zeppelin"}, Query{Text: "zeplin"}, Query{Text: "zepp"})))
		built.Close()
	}
	x.Close()
}
