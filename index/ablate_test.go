package index

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"testing"
)

// known returns right firsts by half and empties of near, of sets G to L, by /tmp/index-right.json.
func knownScore(t *testing.T, x *Index, qs []kq) (first [2]int, empty [2]int, near [2]int) {
	for _, q := range qs {
		r, err := x.Search(t.Context(), Query{Text: q.Q, Limit: 1})
		if err != nil {
			r = &Results{}
		}
		if q.Kind == "near" || q.Kind == "not" {
			if r.Total == 0 {
				near[q.Half]++
			}
			continue
		}
		if r.Total == 0 {
			empty[q.Half]++
			continue
		}
		p := r.Entries[0].Passages[0]
		if q.Right[p.Text] || q.Right[pathOf(p.URL)] {
			first[q.Half]++
		}
	}
	return
}

type kq struct {
	ID, Kind, Q string
	Half        int
	Right       map[string]bool
}

func readKnown(t *testing.T) (list []kq) {
	f, err := os.Open("/tmp/index-right.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		var q kq
		json.Unmarshal(sc.Bytes(), &q)
		list = append(list, q)
	}
	return
}

func TestAblate(t *testing.T) {
	x := realIndex(t)
	g, k := readGold(t), readKnown(t)
	show := func(name string) {
		s := gold(t, x, g, nil)
		f, e, n := knownScore(t, x, k)
		t.Logf("%-20s gold %d+%d=%d three %d empty %d near %d own %d | known %v empty %v near %v", name, s.first[0], s.first[1], s.first[0]+s.first[1], s.three[0]+s.three[1], s.empty[0]+s.empty[1], s.nearEmpty[0]+s.nearEmpty[1], own(t, x), f, e, n)
	}
	show("all")
	for _, w := range []float32{0, 2, 4, 6, 8} {
		rules[identifierWritten].weight = w
		show(fmt.Sprint("identifier ", w))
	}
	rules[identifierWritten].weight = 10
}
