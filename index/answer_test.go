package index

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"go.almanac.example/catalog"
)

// TestPassagesOfRecords: the passages of the records are those that Search finds.
func TestPassagesOfRecords(t *testing.T) {
	c := realCatalog(t)
	where := func(p Passage) string { return p.URL + " " + p.Text }
	var list []string
	for _, r := range c.AnsweringRecords() {
		list = append(list, catalog.Convert(Passages(c, r.ID), where)...)
	}
	searched := catalog.Convert(AllPassages(c), where)
	slices.Sort(list)
	slices.Sort(searched)
	if diff := cmp.Diff(searched, list); diff != "" {
		t.Errorf("passages (-searched +of records):\n%s", diff)
	}
}
