package index

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.almanac.example/catalog"
)

// identifiers returns those of the facts and statements of a catalogue: contracts, chain ids, headers, codes, methods
// and hosts.
func identifiers(c *catalog.Catalog) (list []string) {
	for _, p := range c.Protocols().Protocols {
		for _, f := range p.Facts() {
			switch v := f.Value.(type) {
			case []catalog.Header:
				for _, h := range v {
					list = append(list, h.Name)
				}
			case []catalog.Network:
				for _, n := range v {
					list = append(list, deref(n.CAIP2), deref(n.Contract))
				}
			case []catalog.Link:
				for _, l := range v {
					host, _, _ := strings.Cut(strings.TrimPrefix(l.URL, "https://"), "/")
					list = append(list, host)
				}
			case []int:
				for _, n := range v {
					list = append(list, fmt.Sprint(n))
				}
			}
		}
	}
	for _, e := range c.Entries() {
		for _, s := range c.Statements(e.ID) {
			for token := range strings.FieldsFuncSeq(s.Text, betweenTokens) {
				if token = strings.TrimRight(token, ".:!-/"); marked.MatchString(token) && len(token) < 200 {
					list = append(list, token)
				}
			}
		}
	}
	slices.Sort(list)
	return slices.DeleteFunc(slices.Compact(list), func(s string) bool { return s == "" })
}

// TestIdentifiers: an identifier of the data is answered first by a passage that has it, in paid and in free search.
func TestIdentifiers(t *testing.T) {
	x, paid, free := realIndex(t), 0, 0
	all := identifiers(realCatalog(t))
	for _, id := range all {
		has := func(p *Passage) bool {
			return p != nil && strings.Contains(strings.ToLower(p.Text+p.URL+p.Source), strings.ToLower(id))
		}
		if r := ask(t, x, Query{Text: id}); r.Total > 0 && has(r.Entries[0].Passages[0]) {
			paid++
		} else {
			t.Logf("%s is not found first by the paid search", id)
		}
		r, err := x.Find(t.Context(), id, nil, 1)
		if err != nil {
			t.Fatal(err)
		}
		if answers, err := x.Answers(t.Context(), id, r.Records); err == nil && len(answers) > 0 && len(answers[0].Passages) > 0 && has(answers[0].Passages[0]) {
			free++
		} else {
			t.Logf("%s is not found first by the free search", id)
		}
	}
	t.Logf("of %d identifiers, %d are found first by the paid search and %d by the free", len(all), paid, free)
	if len(all) < 500 || min(paid, free)*100 < 97*len(all) {
		t.Error("of at least 500 identifiers, 97 in 100 must be found first by each")
	}
	meanings := ids(ask(t, x, Query{Text: "-32042"}))
	for _, id := range []string{"mpp-mcp-transport", "mcp-base-protocol-2026-07-28"} {
		if !slices.Contains(meanings[:min(4, len(meanings))], id) {
			t.Errorf("-32042 gives %v, without %s", meanings, id)
		}
	}
}
