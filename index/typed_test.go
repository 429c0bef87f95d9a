package index

import (
	"slices"
	"strings"
	"testing"
)

// TestQueriesAsTyped: what people type is read as they mean it.
func TestQueriesAsTyped(t *testing.T) {
	x := realIndex(t)
	for query, want := range map[string]string{
		"-32042":                            "article:paying-over-mcp-and-a2a",
		"error -32042":                      "article:paying-over-mcp-and-a2a",
		"Fielding":                          "rfc-9110-http-semantics",
		"mac\u200baroon":                    "macaroons-ndss-2014",
		"lightning AND (wallet OR invoice)": "",
	} {
		r := ask(t, x, Query{Text: query})
		if top := ids(r); r.Total == 0 || want != "" && !slices.Contains(top[:min(3, len(top))], want) {
			t.Errorf("%q gives %v, want %s", query, top[:min(3, len(top))], want)
		}
	}
	if r := ask(t, x, Query{Text: "bitcoin -lightning"}); r.Total < 10 {
		t.Errorf("bitcoin -lightning finds %d", r.Total)
	}
	if a, b := ask(t, x, Query{Text: "specifications since 2026-01-01"}), ask(t, x, Query{Text: "specifications", From: "2026-01-01"}); a.Total != b.Total || a.Total == 0 {
		t.Errorf("since 2026-01-01 finds %d, the filter %d", a.Total, b.Total)
	}
	either, both, one := ask(t, x, Query{Text: "macaroon OR robot"}), ask(t, x, Query{Text: "macaroon AND robot"}), ask(t, x, Query{Text: "macaroon"})
	if either.Total <= one.Total || both.Total >= one.Total {
		t.Errorf("macaroon OR robot finds %d, AND %d, macaroon %d", either.Total, both.Total, one.Total)
	}
	if rob := ask(t, x, Query{Text: "rob"}); !slices.ContainsFunc(ids(rob), func(id string) bool { return strings.Contains(id, "robot") || strings.HasPrefix(id, "ros-") }) {
		t.Errorf("rob gives %v", ids(rob))
	}
	for query, missing := range map[string][]string{"best pizza in Naples": {"pizza", "Naples"}, "BIP 9999": {"BIP", "9999"}, "bolt 13": nil} {
		if r := ask(t, x, Query{Text: query}); r.Total != 0 || missing != nil && !slices.Equal(r.Missing, missing) {
			t.Errorf("%q finds %d, without %q", query, r.Total, r.Missing)
		}
	}
	for i, h := range ask(t, x, Query{Text: "x402 networks", Explain: true}).Entries {
		if h.Explain == nil || len(h.Explain.Terms) == 0 || h.Explain.Record+h.Explain.Passage-h.Explain.Score > 0.001 {
			t.Errorf("hit %d is explained by %+v", i, h.Explain)
		}
	}
}
