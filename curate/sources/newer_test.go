package sources

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"go.almanac.example/catalog"
	"go.almanac.example/curate/links"
)

// TestVersionsOf: for each kind of versioned address, where its versions are listed and what in such a list is newer. A
// candidate for a release, another document and an older version are not.
func TestVersionsOf(t *testing.T) {
	const tags = `[{"name":"v2.0.0-rc.1"},{"name":"v1.10.0"},{"name":"v1.9.3"},{"name":"v1.2.0"},{"name":"other-v9.0.0"},{"name":"nightly"},{"name":"2026-07-28"},{"name":"2025-11-25"}]`
	for _, tt := range []struct {
		name, address, list, body, want string
	}{
		{"a tag of GitHub", "https://github.com/o/r/blob/v1.2.0/spec.md", "https://api.github.com/repos/o/r/tags?per_page=100", tags, "v1.10.0"},
		{"the newest tag", "https://github.com/o/r/releases/tag/v1.10.0", "https://api.github.com/repos/o/r/tags?per_page=100", tags, ""},
		{"a tag that is a date", "https://github.com/o/r/tree/2025-11-25/docs", "https://api.github.com/repos/o/r/tags?per_page=100", tags, "2026-07-28"},
		{"a tag that is a date after a v", "https://github.com/o/r/blob/v2026-01-11/docs/a.md", "https://api.github.com/repos/o/r/tags?per_page=100", `[{"name":"v2026-04-08"},{"name":"v2026-01-23"},{"name":"2027-01-01"}]`, "v2026-04-08"},
		{"not a list", "https://github.com/o/r/blob/v1.2.0/spec.md", "https://api.github.com/repos/o/r/tags?per_page=100", `{"message":"rate limit"}`, ""},
		{"a commit", "https://github.com/o/r/blob/5dc34292c9381881c2f57e4d87ae14b59acc9cef/spec.md", "", "", ""},
		{"a branch", "https://github.com/o/r/blob/main/spec.md", "", "", ""},
		{"a draft in a repository", "https://github.com/o/r/blob/HEAD/specs/core/draft-httpauth-payment-00.md", "https://api.github.com/repos/o/r/contents/specs/core?ref=HEAD",
			`[{"name":"draft-httpauth-payment-00.md"},{"name":"draft-httpauth-payment-02.md"},{"name":"draft-httpauth-payment-01.md"},{"name":"draft-httpauth-other-07.md"},{"name":"draft-httpauth-payment-03.txt"}]`, "draft-httpauth-payment-02"},
		{"an Internet-Draft", "https://datatracker.ietf.org/doc/html/draft-ietf-oauth-v2-1-13", "https://datatracker.ietf.org/doc/draft-ietf-oauth-v2-1/doc.json", `{"name":"draft-ietf-oauth-v2-1","rev":"15"}`, "15"},
		{"the newest Internet-Draft", "https://datatracker.ietf.org/doc/draft-ietf-oauth-v2-1/15/", "https://datatracker.ietf.org/doc/draft-ietf-oauth-v2-1/doc.json", `{"rev":"15"}`, ""},
		{"a draft that is an RFC now", "https://www.ietf.org/archive/id/draft-ietf-httpbis-semantics-19.txt", "https://datatracker.ietf.org/doc/draft-ietf-httpbis-semantics/doc.json", `{"rev":"19","rfc":"RFC9110"}`, "RFC 9110"},
		{"a draft without a number", "https://datatracker.ietf.org/doc/draft-ietf-oauth-v2-1/", "", "", ""},
		{"a dated version of W3C", "https://www.w3.org/TR/2023/REC-wot-thing-description11-20231205/", "https://www.w3.org/TR/wot-thing-description11/",
			`<a href="https://www.w3.org/TR/2023/REC-wot-thing-description11-20231205/">before</a> <a href="https://www.w3.org/TR/2025/REC-wot-thing-description11-20250304/">`, "20250304"},
		{"W3C without a date", "https://www.w3.org/TR/wot-thing-description11/", "", "", ""},
		{"a dated place", "https://modelcontextprotocol.io/specification/2025-11-25/basic/index", "https://modelcontextprotocol.io/specification/",
			`<a href="/specification/2026-07-28">x</a><a href="/specification/2024-11-05/">y</a><a href="/specification/draft">z</a><a href="/blog/2027-01-01">b</a>`, "2026-07-28"},
		{"a list of versions", "https://schema.org/version/28.1/", "https://schema.org/version/", `<a href="29.0">29</a> <a href="/version/30.0/">30</a> <a href="/version/latest">latest</a>`, "30.0"},
		{"no version", "https://example.org/spec/", "", "", ""},
	} {
		v, ok := versionsOf(tt.address)
		if v.list != tt.list || ok != (tt.list != "") {
			t.Errorf("%s: the list is %q, want %q", tt.name, v.list, tt.list)
			continue
		}
		if ok {
			if got := v.newest(links.Page{Body: []byte(tt.body)}); got != tt.want {
				t.Errorf("%s: %q is newer than %s, want %q", tt.name, got, v.current, tt.want)
			}
		}
	}
}

// TestSuperseded: a quote that stands in a version of which there is a newer one.
func TestSuperseded(t *testing.T) {
	base := host(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/robots.txt":
			http.NotFound(w, r)
		case "/spec/":
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, `<a href="/spec/2025-11-25/">old</a><a href="/spec/2026-07-28/">new</a>`)
		default:
			io.WriteString(w, quote)
		}
	})
	cfg := testConfig()
	versionsAt := func(address string) []Finding {
		c := Claim{Record: "x", Quote: quote, Source: address}
		asks, list := questions([]Claim{c}, nil)
		done := make(map[string]found)
		for _, l := range list {
			at := catalog.Address{URL: strings.Replace(l.URL, "https://spec.test", base, 1)}
			done[l.URL] = look(links.New(cfg).Read(t.Context(), at, maxBody, 2), asks[l.URL])
		}
		return []Finding{judge(c, func(a string) *found {
			f := done[a]
			return &f
		}, nil)}
	}
	for address, want := range map[string]string{"https://spec.test/spec/2025-11-25/basic": Superseded, "https://spec.test/spec/2026-07-28/basic": Stands} {
		f := versionsAt(address)[0]
		if f.Verdict != want || (want == Superseded) != (f.Newer == "2026-07-28") {
			t.Errorf("%s: %s, newer %q, %s; want %s", address, f.Verdict, f.Newer, f.Detail, want)
		}
	}
}
