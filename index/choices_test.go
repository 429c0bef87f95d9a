package index

import (
	"slices"
	"strings"
	"testing"

	"almanac/catalog"
)

// The rows of the dataset of choices that are about a protocol are passages of its document, each once, and
// the others are left to the dataset.
func TestChoicesArePassagesOfTheirProtocols(t *testing.T) {
	c := realCatalog(t)
	rows := 0
	for _, d := range c.Datasets() {
		if d.ID == choicesDataset {
			rows = d.RowCount
		}
	}
	seen := make(map[string]string) // by address of the row: the document
	for _, r := range newRecords(c) {
		if r.entry != nil {
			continue
		}
		for _, p := range r.other.passages {
			if p.Kind != PassageRow || !strings.Contains(p.URL, choicesDataset) {
				continue
			}
			if other := seen[p.URL]; other != "" {
				t.Errorf("%s is a passage of %s and of %s", p.URL, other, r.id())
			}
			seen[p.URL] = r.id()
			about := strings.TrimPrefix(strings.SplitN(p.Text, ";", 2)[0], "protocol: ")
			isProtocol := slices.ContainsFunc(c.Protocols().Protocols, func(q *catalog.Protocol) bool { return q.ID == about })
			if want := "protocol:" + about; isProtocol && r.id() != want || !isProtocol && r.id() != "dataset:"+choicesDataset {
				t.Errorf("a row about %s is a passage of %s", about, r.id())
			}
		}
	}
	if rows == 0 || len(seen) != rows {
		t.Errorf("%d of %d rows are passages", len(seen), rows)
	}
	x := realIndex(t)
	a := get(t, x, "q=who is the steward of x402")
	if i := slices.Index(a.ids(), "protocol:x402"); i < 0 || i > 2 {
		t.Errorf("who is the steward of x402 returns %v", a.ids())
	}
}
