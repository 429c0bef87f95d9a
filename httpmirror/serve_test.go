package httpmirror

import (
	"encoding/binary"
	"encoding/json"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/load"
	"go.almanac.example/fixtures"
	"go.almanac.example/httpmirror/file"
)

// testTime is when the catalogs of the tests are generated.
var testTime = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// realCatalog returns the published records, which are loaded once.
func realCatalog(tb testing.TB) *catalog.Catalog {
	tb.Helper()
	return realMirror(tb).cat
}

// theRealMirror is built once, and keeps what any test has asked for.
var theRealMirror = sync.OnceValues(func() (*Mirror, error) {
	c, err := load.Load(fixtures.FS, catalog.Options{Site: catalog.DefaultSite, GeneratedAt: testTime, Payments: catalog.PaymentsLive})
	if err != nil {
		return nil, err
	}
	return Build(c, Options{Version: "1.2.3", Contact: "mailto:security@example.org"})
})

// realMirror returns the mirror of the curated data, which all tests share.
func realMirror(tb testing.TB) *Mirror {
	tb.Helper()
	m, err := theRealMirror()
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// ask sends a request whose headers are name, value, name, value …
func ask(tb testing.TB, h http.Handler, method, path string, headers ...string) *http.Response {
	tb.Helper()
	r := httptest.NewRequest(method, "http://localhost:8402"+path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func bodyOf(tb testing.TB, res *http.Response) string {
	tb.Helper()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		tb.Fatal(err)
	}
	return string(b)
}

func TestConditions(t *testing.T) {
	m := realMirror(t)
	const path = "/trust.json"
	f, _ := m.File(path)
	etag, br := f.Headers.ETag[0], strings.TrimSuffix(f.Headers.ETag[0], `"`)+`-br"`
	before, now := testTime.Add(-time.Second).Format(http.TimeFormat), testTime.Format(http.TimeFormat)
	for _, tc := range []struct {
		name    string
		headers []string
		want    int
	}{
		{"none", nil, 200},
		{"same tag", []string{"If-None-Match", etag}, 304},
		{"weak tag", []string{"If-None-Match", "W/" + etag}, 304},
		{"any tag", []string{"If-None-Match", "*"}, 304},
		{"tag in a list", []string{"If-None-Match", `"a", W/"b,c" ,` + etag}, 304},
		{"tag on a second line", []string{"If-None-Match", `"a"`, "If-None-Match", etag}, 304},
		{"other tag", []string{"If-None-Match", `"a"`}, 200},
		{"tag without quotes", []string{"If-None-Match", strings.Trim(etag, `"`)}, 200},
		{"tag of another coding", []string{"If-None-Match", br}, 200},
		{"tag of the coding", []string{"If-None-Match", br, "Accept-Encoding", "br"}, 304},
		{"since then", []string{"If-Modified-Since", now}, 304},
		{"since before", []string{"If-Modified-Since", before}, 200},
		{"since no date", []string{"If-Modified-Since", "yesterday"}, 200},
		{"tag wins over date", []string{"If-None-Match", `"a"`, "If-Modified-Since", now}, 200},
		{"match", []string{"If-Match", etag}, 200},
		{"match of the coding", []string{"If-Match", br, "Accept-Encoding", "br"}, 200},
		{"match of another coding", []string{"If-Match", br}, 412},
		{"range of a coding that was sent", []string{"Range", "bytes=0-9", "If-Range", br, "Accept-Encoding", "br"}, 200},
		{"no match", []string{"If-Match", `"a"`}, 412},
		{"unmodified", []string{"If-Unmodified-Since", now}, 200},
		{"modified", []string{"If-Unmodified-Since", before}, 412},
		{"range", []string{"Range", "bytes=0-9"}, 206},
		{"range of the present file", []string{"Range", "bytes=0-9", "If-Range", etag}, 206},
		{"range of an older file", []string{"Range", "bytes=0-9", "If-Range", `"a"`}, 200},
		{"range past the end", []string{"Range", "bytes=9999999-"}, 416},
		{"the last 0 bytes", []string{"Range", "bytes=-0"}, 416},
		{"range, and others past the end", []string{"Range", "bytes=0-9, 18446744073709551616-, -0"}, 206},
		{"range and tag", []string{"Range", "bytes=0-9", "If-None-Match", etag}, 304},
		{"range in another unit", []string{"Range", "lines=0-9"}, 200},
	} {
		t.Run(tc.name, func(t *testing.T) {
			res := ask(t, m, "GET", path, tc.headers...)
			body := bodyOf(t, res)
			if res.StatusCode != tc.want {
				t.Fatalf("status = %d, want %d", res.StatusCode, tc.want)
			}
			if tc.want == 304 && body != "" {
				t.Errorf("304 has a body of %d bytes", len(body))
			}
			if tc.want == 206 && body != string(f.Body[:10]) {
				t.Errorf("body = %q, want the first ten bytes", body)
			}
			if tc.want >= 400 {
				wantProblem(t, res, body)
			} else if res.Header.Get("Etag") == "" {
				t.Error("no ETag")
			}
		})
	}
}

// wantProblem holds an answer to the form of failures.
func wantProblem(t *testing.T, res *http.Response, body string) {
	t.Helper()
	if got := res.Header.Get("Content-Type"); got != "application/problem+json" {
		t.Errorf("content type = %q", got)
	}
	if got := res.Header.Get("Cache-Control"); got != "no-store" {
		t.Errorf("cache control = %q", got)
	}
	for _, name := range []string{"Etag", "Last-Modified", "Content-Encoding"} {
		if got := res.Header.Get(name); got != "" {
			t.Errorf("a failure carries %s: %s", name, got)
		}
	}
	if !strings.Contains(body, `"detail":`) {
		t.Errorf("body is not a problem: %s", body)
	}
}

// TestImmutable: what a page refers to under an address that changes with its bytes can be kept for good, and under any other
// address not.
func TestImmutable(t *testing.T) {
	m := realMirror(t)
	home, _ := m.File(catalog.HomePath)
	versioned := regexp.MustCompile(`"(/static/[^"?]+)\?(v=[0-9a-f]+)"`).FindAllStringSubmatch(string(home.Body), -1)
	if len(versioned) != 5 {
		t.Fatalf("the home page refers to %d versioned files, want the stylesheet, the two scripts and the two icons", len(versioned))
	}
	for _, match := range versioned {
		path, version := match[1], match[2]
		for query, want := range map[string]string{
			"?" + version:          "public, max-age=31536000, immutable",
			"":                     cacheControl,
			"?v=00000000":          cacheControl,
			"?" + version + "&x=1": cacheControl,
		} {
			if got := ask(t, m, "GET", path+query).Header.Get("Cache-Control"); got != want {
				t.Errorf("%s%s: Cache-Control %q, want %q", path, query, got, want)
			}
		}
	}
}

// TestFavicon: browsers that ask for the icon of their own accord get a picture that can be read.
func TestFavicon(t *testing.T) {
	body := bodyOf(t, ask(t, realMirror(t), "GET", "/favicon.ico"))
	const picture = 6 + 16 // behind the header and one entry
	if want := "\x00\x00\x01\x00\x01\x00\x20\x20"; !strings.HasPrefix(body, want) {
		t.Fatalf("begins with %q, want %q", body[:8], want)
	}
	if n := binary.LittleEndian.Uint32([]byte(body[14:])); int(n) != len(body)-picture {
		t.Errorf("states a picture of %d bytes, and has %d", n, len(body)-picture)
	}
	m, err := png.Decode(strings.NewReader(body[picture:]))
	if err != nil || m.Bounds().Dx() != 32 || m.Bounds().Dy() != 32 {
		t.Errorf("the picture: %v %v", m.Bounds(), err)
	}
}

// TestAPICatalog: the catalogue of APIs is found from the home page and says so of itself, also to HEAD, and every description that it
// links to is published (RFC 9727, sections 2 and 3).
func TestAPICatalog(t *testing.T) {
	m := realMirror(t)
	for _, path := range []string{catalog.HomePath, catalog.APICatalogPath} {
		if link := ask(t, m, http.MethodHead, path).Header.Get("Link"); !strings.Contains(link, `</.well-known/api-catalog>; rel="api-catalog"`) {
			t.Errorf("HEAD %s has the link %q", path, link)
		}
	}
	f, ok := m.File(catalog.APICatalogPath)
	if !ok || file.BareType(f.Type) != "application/linkset+json" {
		t.Fatalf("the catalogue is %v", f)
	}
	type link struct{ Href string }
	var doc struct {
		Linkset []struct {
			Anchor string
			Item   []link
			Desc   []link `json:"service-desc"`
			Doc    []link `json:"service-doc"`
			Meta   []link `json:"service-meta"`
		}
	}
	if err := json.Unmarshal(f.Body, &doc); err != nil {
		t.Fatal(err)
	}
	described := make(map[string]bool)
	for _, c := range doc.Linkset {
		described[c.Anchor] = c.Desc != nil
		for _, l := range slices.Concat(c.Desc, c.Doc, c.Meta) {
			path := strings.TrimPrefix(l.Href, catalog.DefaultSite.Base)
			if _, ok := m.File(path); !ok && l.Href != catalog.DefaultSite.ServerCardURL() {
				t.Errorf("%s of %s is not published", l.Href, c.Anchor)
			}
		}
	}
	for _, item := range doc.Linkset[0].Item {
		if !described[item.Href] {
			t.Errorf("%s has no description", item.Href)
		}
	}
}

// TestMoved: an address that was published leads to the one that has its content now.
func TestMoved(t *testing.T) {
	m := realMirror(t)
	for from, to := range map[string]string{
		"/library/payments/2/":            "/library/payments/",
		"/library/bitcoin-lightning/2.md": "/library/bitcoin-lightning.md",
		"/api/library/payments/2.json":    "/api/library/payments.json",
		"/changes/":                       "/history/",
		"/changes/2026-11-23/":            "/history/2026-11-23/",
		"/changes/2026-11-23/5/":          "/history/2026-11-23/",
		"/protocols/l402/refund/":         "/protocols/l402/#refund", "/protocols/l402/refund": "/protocols/l402/#refund", // not stated
		"/protocols/x402/payment_rail": "/protocols/x402/payment_rail/",
		"/evidence/protocol.l402.md":   "/evidence/protocol.l402/",
		"/index.md":                    "/llms.txt", "/index.html.md": "/llms.txt", "/protocols/x402/index.md": "/protocols/x402.md",
		"/history/records/protocol.x402.md": "/evidence/protocol.x402/", "/history/records/mqtt-5/": "/evidence/mqtt-5/", "/evidence/mqtt-5.md": "/evidence/mqtt-5/", "/api/statements/mqtt-5.json": "/api/entries/mqtt-5.json", "/api/evidence/mqtt-5.json": "/api/entries/mqtt-5.json",
	} {
		res := ask(t, m, "GET", from)
		if got := res.Header.Get("Location"); res.StatusCode != http.StatusPermanentRedirect || got != to {
			t.Errorf("%s: %d to %q, want %s", from, res.StatusCode, got, to)
		}
	}
	for _, never := range []string{"/library/nothing/2/", "/protocols/nothing/refund/", "/protocols/l402/nothing/"} {
		if res := ask(t, m, "GET", never); res.StatusCode != http.StatusNotFound {
			t.Errorf("%s, a page that never was: %d", never, res.StatusCode)
		}
	}
}
