package index

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"testing"

	"go.almanac.example/internal/problem"
)

func TestQueriesRefused(t *testing.T) {
	x := realIndex(t)
	first := ask(t, x, Query{Text: "payment"})
	for _, tt := range []struct {
		query  string
		code   problem.Code
		detail string
	}{
		{"", problem.QueryMissing, "q="},
		{"q=", problem.QueryMissing, ""},
		{"q=+%00%0a", problem.QueryMissing, ""},
		{"q=%22", problem.QueryMissing, ""},
		{"q=%22%22", problem.QueryMissing, "a filter"},
		{"q=%ff", problem.QueryInvalid, "UTF-8"},
		{"q=tag:lightnin", problem.QueryInvalid, "did you mean \"lightning\"?"},
		{"q=a+from:2026", problem.QueryInvalid, "Write from:YYYY-MM-DD"},
		{"q=a+to:2026-02-30", problem.QueryInvalid, "Write to:YYYY-MM-DD"},
		{"q=type:book", problem.QueryInvalid, "announcement"},
		{"q=a&tag=lightnin", problem.ParameterInvalid, "did you mean \"lightning\"?"},
		{"q=a&category=none", problem.ParameterInvalid, "Use one of "},
		{"q=a&kind=bot", problem.ParameterInvalid, "protocol"},
		{"q=a&Tag=lightning", problem.ParameterInvalid, "not a parameter"},
		{"q=a&q=b", problem.ParameterInvalid, "appears 2 times"},
		{"q=a&limit=0", problem.ParameterInvalid, "1 to 50"},
		{"q=a&limit=51", problem.ParameterInvalid, "1 to 50"},
		{"q=a&limit=1e1", problem.ParameterInvalid, "1 to 50"},
		{"q=a&from=2026-02-30", problem.ParameterInvalid, "from"},
		{"q=a&from=2026-02-02&to=2026-02-01", problem.ParameterInvalid, "Swap"},
		{"q=a&cursor=x", problem.CursorInvalid, ""},
		{"q=other&cursor=" + first.NextCursor, problem.CursorInvalid, ""},
		{"q=payment&kind=library&cursor=" + first.NextCursor, problem.CursorInvalid, ""},
	} {
		v, err := url.ParseQuery(tt.query)
		if err != nil {
			t.Fatal(err)
		}
		q, err := ParseQuery(v)
		if err == nil {
			_, err = x.Search(context.Background(), q)
		}
		var p *problem.Problem
		if !errors.As(err, &p) || p.Code != tt.code || !strings.Contains(p.Detail, tt.detail) {
			t.Errorf("%.40q: %v, want %s with %q", tt.query, err, tt.code, tt.detail)
		}
	}
}

func TestQueriesTaken(t *testing.T) {
	x := realIndex(t)
	for _, query := range []string{
		"q=a", "q=tag:", "q=:", "q=foo:bar", "q=from:here", "q=" + strings.Repeat("é", 256),
		"q=C%2B%2B", "q=a*b?c~d%5E2", "q=/.*/", "q=-a+%2Bb+AND+OR+NOT", "q=a&tag=&limit=50", "q=TAG:Lightning",
		"q=http://127.0.0.1/", "q=%E2%80%8F%D7%A9%D7%9C%D7%95%D7%9D", "q=%F0%9F%92%B8", "q=a%00b", "q=%22a%22+%22b%22+%22c%22+%22d%22+%22e%22",
	} {
		v, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		q, err := ParseQuery(v)
		if err == nil {
			_, err = x.Search(context.Background(), q)
		}
		if err != nil {
			t.Errorf("%.40q: %v", query, err)
		}
	}
}

// TestLongQueriesAreCut: of a query that is too long the words that fit are searched for, and the answer has them.
func TestLongQueriesAreCut(t *testing.T) {
	x := realIndex(t)
	long := "macaroon " + strings.Repeat("a payment ", 40) + "tag:nothing"
	if r := ask(t, x, Query{Text: long}); r.Total == 0 || len(r.Query) > MaxText || !strings.HasPrefix(long, r.Query+" ") {
		t.Errorf("%d hits for %q", r.Total, r.Query)
	}
	short := strings.Repeat("é", MaxText)
	if cut, wasCut := CutText(short); wasCut || cut != short {
		t.Errorf("%q is cut", cut)
	}
	if cut, wasCut := CutText(short + "é"); !wasCut || !strings.HasPrefix(short, cut) {
		t.Errorf("%q is not cut", cut)
	}
}
