package index

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestGolden holds the search to the queries of testdata/golden.txt: 95 in 100 must have every
// document asked for among the first three, and the others are listed.
func TestGolden(t *testing.T) {
	x := realIndex(t)
	text, err := os.ReadFile("testdata/golden.txt")
	if err != nil {
		t.Fatal(err)
	}
	asked, held := 0, 0
	for i, line := range strings.Split(string(text), "\n") {
		query, ids, ok := strings.Cut(line, "=>")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		r, err := x.Search(context.Background(), Query{Text: query})
		if err != nil {
			t.Errorf("golden.txt:%d: %v", i+1, err)
			continue
		}
		var top []string
		for _, h := range r.Entries[:min(3, len(r.Entries))] {
			top = append(top, h.ID())
		}
		asked++
		if slices.ContainsFunc(strings.Fields(ids), func(id string) bool { return !slices.Contains(top, id) }) {
			t.Logf("golden.txt:%d: %s gives %s, want%s", i+1, query, strings.Join(top, " "), ids)
			continue
		}
		held++
	}
	t.Logf("%d of %d queries hold", held, asked)
	if asked < 120 || held*100 < asked*95 {
		t.Errorf("%d of %d queries hold; 95 in 100 of at least 120 must", held, asked)
	}
}
