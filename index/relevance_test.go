package index

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"go.almanac.example/catalog"
	"go.almanac.example/index/find"
	"go.almanac.example/index/text"
)

var irDir = flag.String("ir", "", "a relevance collection, or a directory of them: docs.jsonl, queries.jsonl, qrels.tsv")

// irDirectory names a directory of collections.
const irDirectory = "ALMANAC_IR"

// TestRelevance measures the production search on collections that others have judged.
func TestRelevance(t *testing.T) {
	dirs := collections(t)
	if len(dirs) == 0 {
		t.Skip("no relevance collection; give one with -ir DIR, or name it in " + irDirectory)
	}
	least := map[string]float64{"cranfield": 0.400, "vaswani": 0.450}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			c := readCollection(t, dir)
			m := c.measure(t)
			t.Logf("%s: %d documents, %d queries judged: nDCG@10 %.4f, MAP %.4f, Recall@100 %.4f",
				filepath.Base(dir), len(c.docs), m.queries, m.ndcg, m.ap, m.recall)
			if m.ndcg < least[filepath.Base(dir)] {
				t.Errorf("nDCG@10 is %.4f, want %.3f at least", m.ndcg, least[filepath.Base(dir)])
			}
		})
	}
}

// collections gives the directories of collections in what -ir names: one of them, or several
// below it. A relative name may start from this package or from the root of the module.
func collections(t *testing.T) []string {
	dir := *irDir
	if dir == "" {
		if dir = os.Getenv(irDirectory); dir == "" {
			return nil
		}
	} else if _, err := os.Stat(dir); err != nil && !filepath.IsAbs(dir) {
		dir = filepath.Join("..", dir)
	}
	var found []string
	for _, pattern := range []string{"docs.jsonl", "*/docs.jsonl"} {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			found = append(found, filepath.Dir(f))
		}
	}
	if len(found) == 0 && *irDir != "" {
		t.Fatalf("%s holds no docs.jsonl, nor do the directories in it", *irDir)
	}
	return found
}

type collection struct {
	docs    recordList
	queries []judgedText
	judged  map[string]map[string]int // query -> document -> relevance
}

// A judgedText is a document or a query. Its id is a string or a number, and some collections
// write it _id.
type judgedText struct {
	ID          any `json:"id"`
	OtherID     any `json:"_id"`
	Title, Text string
}

func (j judgedText) id() string {
	if j.ID == nil {
		return fmt.Sprint(j.OtherID)
	}
	return fmt.Sprint(j.ID)
}

func readCollection(t testing.TB, dir string) *collection {
	c := &collection{judged: make(map[string]map[string]int)}
	readLines(t, filepath.Join(dir, "docs.jsonl"), func(line []byte) error {
		var d judgedText
		err := json.Unmarshal(line, &d)
		c.docs = append(c.docs, record{
			Record: find.Record{ID: d.id(), Kind: KindLibrary, Title: d.Title}, change: &catalog.Change{ID: d.id()}, passages: []Passage{{Kind: PassageSummary, Text: d.Text}},
		})
		return err
	})
	c.docs.sort()
	readLines(t, filepath.Join(dir, "queries.jsonl"), func(line []byte) error {
		var q judgedText
		err := json.Unmarshal(line, &q)
		c.queries = append(c.queries, q)
		return err
	})
	readLines(t, filepath.Join(dir, "qrels.tsv"), func(line []byte) error {
		f := strings.Fields(string(line))
		if len(f) == 4 { // the TREC form, with an iteration in second place
			f = []string{f[0], f[2], f[3]}
		}
		rel, err := strconv.Atoi(f[2])
		if err != nil {
			return nil // the heading
		}
		if c.judged[f[0]] == nil {
			c.judged[f[0]] = make(map[string]int)
		}
		c.judged[f[0]][f[1]] = rel
		return nil
	})
	return c
}

func readLines(t testing.TB, path string, read func([]byte) error) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 64<<20)
	for n := 1; s.Scan(); n++ {
		if err := read(s.Bytes()); err != nil {
			t.Fatalf("%s:%d: %v", path, n, err)
		}
	}
	if err := s.Err(); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

type measures struct {
	queries          int
	ndcg, ap, recall float64
}

func (c *collection) measure(t testing.TB) measures {
	a, err := text.NewAnalyzer("")
	if err != nil {
		t.Fatal(err)
	}
	x, err := newIndex(nil, a, c.docs, catalog.DefaultSite, Options{Timeout: 10e9})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	return c.measureOn(t, x)
}

// measureOn asks every query of an index.
func (c *collection) measureOn(t testing.TB, x *Index) measures {
	var m measures
	for _, q := range c.queries {
		judged := c.judged[q.id()]
		relevant := 0
		for _, rel := range judged {
			if rel > 0 {
				relevant++
			}
		}
		if relevant == 0 {
			continue
		}
		ids := c.search(t, x, q.Text, 1000)
		m.queries++
		m.ndcg += ndcg(ids, judged, 10)
		m.ap += averagePrecision(ids, judged, relevant)
		m.recall += recall(ids, judged, relevant, 100)
	}
	n := float64(max(m.queries, 1))
	m.ndcg, m.ap, m.recall = m.ndcg/n, m.ap/n, m.recall/n
	return m
}

// search asks the production path, page after page, for up to n documents. A query that is longer
// than the service takes is cut after a word, as its caller would have to.
func (c *collection) search(t testing.TB, x *Index, text string, n int) []string {
	for utf8.RuneCountInString(text) > MaxText {
		text = text[:strings.LastIndexByte(text, ' ')]
	}
	var ids []string
	q := Query{Text: strings.ReplaceAll(text, `"`, " "), Limit: MaxLimit}
	for len(ids) < n {
		r, err := x.Search(context.Background(), q)
		if err != nil {
			t.Fatalf("search %q: %v", text, err)
		}
		for _, e := range r.Entries {
			ids = append(ids, e.ID())
		}
		if q.Cursor = r.NextCursor; q.Cursor == "" {
			break
		}
	}
	return ids
}

func ndcg(ids []string, judged map[string]int, k int) float64 {
	var got, ideal float64
	for i, id := range ids[:min(k, len(ids))] {
		got += gain(judged[id], i)
	}
	var rels []int
	for _, r := range judged {
		rels = append(rels, r)
	}
	slices.Sort(rels)
	slices.Reverse(rels)
	for i, r := range rels[:min(k, len(rels))] {
		ideal += gain(r, i)
	}
	return got / ideal
}

// gain is that of trec_eval: the relevance itself, discounted by the logarithm of the rank.
func gain(rel, place int) float64 { return float64(max(rel, 0)) / math.Log2(float64(place+2)) }

func averagePrecision(ids []string, judged map[string]int, relevant int) float64 {
	hits, sum := 0, 0.0
	for i, id := range ids {
		if judged[id] > 0 {
			hits++
			sum += float64(hits) / float64(i+1)
		}
	}
	return sum / float64(relevant)
}

func recall(ids []string, judged map[string]int, relevant, k int) float64 {
	hits := 0
	for _, id := range ids[:min(k, len(ids))] {
		if judged[id] > 0 {
			hits++
		}
	}
	return float64(hits) / float64(relevant)
}
