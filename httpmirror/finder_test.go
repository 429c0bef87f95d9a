package httpmirror

import (
	"bufio"
	"os"
	"slices"
	"strings"
	"testing"

	"go.almanac.example/catalog"
	"go.almanac.example/index"
	"go.almanac.example/index/find"
)

// A lookup is what somebody types, with the records that may be meant.
type lookup struct {
	query string
	want  []string
}

// lookups returns the lookups of a file.
func lookups(tb testing.TB, name string) (list []lookup) {
	tb.Helper()
	f, err := os.Open("testdata/" + name)
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

// The lists of lookups. The second was written when the ranking stood.
var lookupFiles = []string{"lookups.txt", "lookups-held-out.txt"}

// A search for people's name of a record finds it among the first three.
func TestLookups(t *testing.T) {
	m := realMirror(t)
	for _, name := range lookupFiles {
		list := lookups(t, name)
		if len(list) != 40 {
			t.Fatalf("%s: %d lookups, want 40", name, len(list))
		}
		missed := 0
		for _, l := range list {
			found := findIn(t, m, l.query)
			rank := slices.IndexFunc(found.Records, func(r find.Record) bool { return slices.Contains(l.want, r.ID) })
			if rank < 0 || rank > 2 {
				missed++
				t.Logf("%s: %s has rank %d; read %v", l.query, l.want, rank+1, found.ReadAs)
			}
		}
		t.Logf("%s: %d of %d lookups find the record among the first three", name, len(list)-missed, len(list))
		if missed > len(list)/20 {
			t.Errorf("%s: %d of %d lookups miss their record", name, missed, len(list))
		}
	}
}

// findIn returns the records of the search page of a query, in its order.
func findIn(tb testing.TB, m *Mirror, query string) *find.Results {
	tb.Helper()
	found, answers, err := m.search(tb.Context(), query)
	if err != nil {
		tb.Fatal(err)
	}
	found.Records = catalog.Convert(answers[:min(len(answers), find.MaxFound)], func(a index.Answered) find.Record { return a.Record })
	return found
}
