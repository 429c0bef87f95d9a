package index

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/load"
)

// TestPassagesOfRecords: the passages of the records are those that Search finds, and each curated question belongs to
// one of them.
func TestPassagesOfRecords(t *testing.T) {
	c := realCatalog(t)
	where := func(p Passage) string { return p.URL + " " + p.Text }
	var list []string
	_, _, err := load.CheckQuestions(c, func(record string) []string {
		passages := Passages(c, record)
		list = append(list, catalog.Convert(passages, where)...)
		return catalog.Convert(passages, func(p Passage) string { return p.Text })
	})
	if err != nil {
		t.Error(err)
	}
	searched := catalog.Convert(AllPassages(c), where)
	slices.Sort(list)
	slices.Sort(searched)
	if diff := cmp.Diff(searched, list); diff != "" {
		t.Errorf("passages (-searched +of records):\n%s", diff)
	}
}
