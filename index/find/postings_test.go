package find

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"almanac/index/text"
)

// However many builders share the records, the postings are those of one.
func TestBuildersShareTheWork(t *testing.T) {
	analyzer, err := text.NewAnalyzer()
	if err != nil {
		t.Fatal(err)
	}
	list := &List{}
	for i := range 200 {
		rec := Record{ID: fmt.Sprintf("record-%d", i), Path: fmt.Sprintf("/record-%d/", i)}
		rec.texts[inTitle] = []string{fmt.Sprintf("lightning wallet %d", i%7)}
		rec.texts[inLine] = []string{"an invoice"}
		if i%50 == 49 {
			rec.texts[inTag] = []string{"rare"}
		}
		list.others = append(list.others, rec)
	}
	build := func(builders int) map[string][]posting {
		all := make([]*builder, builders)
		for i := range all {
			all[i] = newBuilder(analyzer)
			for n := i * list.len() / builders; n < (i+1)*list.len()/builders; n++ {
				all[i].add(uint32(n), list.at(n))
			}
		}
		for _, b := range all[1:] {
			all[0].append(b)
		}
		ps, found := all[0].postings(), make(map[string][]posting)
		for i := range ps.len() {
			for p := range ps.of(i) {
				found[ps.term(i)] = append(found[ps.term(i)], p)
			}
			if ps.count(i) != len(found[ps.term(i)]) {
				t.Errorf("%s: %d postings are counted, and there are %d", ps.term(i), ps.count(i), len(found[ps.term(i)]))
			}
		}
		return found
	}
	want := build(1)
	if len(want["lightn"]) != 200 || len(want["rare"]) != 4 {
		t.Fatalf("lightn is in %d records and rare in %d", len(want["lightn"]), len(want["rare"]))
	}
	for _, n := range []int{2, 3, 7} {
		if diff := cmp.Diff(want, build(n), cmp.AllowUnexported(posting{})); diff != "" {
			t.Errorf("%d builders (-one +more):\n%s", n, diff)
		}
	}
}
