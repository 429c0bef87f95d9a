package httpmirror

import (
	"bufio"
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"

	"almanac/catalog"
	"almanac/index/find"
)

// A lookup is what somebody types, with the records that may be meant.
type lookup struct {
	query string
	want  []string
}

// lookups returns the lookups of testdata/lookups.txt.
func lookups(tb testing.TB) (list []lookup) {
	tb.Helper()
	f, err := os.Open("testdata/lookups.txt")
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if query, want, ok := strings.Cut(lines.Text(), " = "); ok && !strings.HasPrefix(query, "#") {
			list = append(list, lookup{query, strings.Split(want, " | ")})
		}
	}
	return list
}

// Whoever types what people call a record finds it among the first three.
func TestLookups(t *testing.T) {
	f := realMirror(t).Finder()
	list := lookups(t)
	if len(list) != 40 {
		t.Fatalf("%d lookups, want 40", len(list))
	}
	missed := 0
	for _, l := range list {
		found, readAs := f.Find(l.query)
		rank := slices.IndexFunc(found, func(r find.Found) bool { return slices.Contains(l.want, r.ID) })
		if rank < 0 || rank > 2 {
			missed++
			var ids []string
			for _, r := range found {
				ids = append(ids, r.ID)
			}
			t.Logf("%s: %s has rank %d of %s %s", l.query, l.want, rank+1, ids, readAs)
		}
	}
	t.Logf("%d of %d lookups find the record among the first three", len(list)-missed, len(list))
	if missed > len(list)/20 {
		t.Errorf("%d of %d lookups miss their record", missed, len(list))
	}
}

// The index that pages load is small.
func TestFindIndexWeight(t *testing.T) {
	m := realMirror(t)
	f, _ := m.File(catalog.FindJSONPath)
	var b bytes.Buffer
	w := brotli.NewWriterLevel(&b, brotli.BestCompression)
	w.Write(f.Body)
	w.Close()
	t.Logf("%d bytes, %d compressed, for %d entries", len(f.Body), b.Len(), len(m.cat.Entries()))
	if b.Len() > 60_000 {
		t.Errorf("the index weighs %d bytes compressed; keep it to 60000", b.Len())
	}
}
