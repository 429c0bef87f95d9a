package httpmirror

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/catalogtest"
	"go.almanac.example/catalog/load"
	"go.almanac.example/httpmirror/file"
	"go.almanac.example/internal/problem"
)

// browserAccept is what Chromium sends when an address is opened.
const browserAccept = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7"

// A browser that asks for an address at which nothing is gets a page with the nearest ones; a client that accepts anything, or prefers
// JSON, gets the problem document.
func TestNotFoundPage(t *testing.T) {
	m := realMirror(t)
	for address, want := range map[string]string{
		"/library/entry/mqtt5/": "/library/entry/mqtt-5/", "/protocols/l420/": "/protocols/l402/", "/library/entry/x402": "/protocols/x402/", "/tags/lightening/": "/tags/lightning/",
		"/Trust": "/trust/", "/articles/reading-a-bolt-12-offer/": "/articles/reading-a-bolt12-offer/",
	} {
		res := ask(t, m, "GET", address, "Accept", browserAccept)
		body := bodyOf(t, res)
		if res.StatusCode != http.StatusNotFound || res.Header.Get("Content-Type") != file.HTML || !strings.Contains(body, `<li><a href="`+want+`">`) {
			t.Errorf("%s: status %d, %s, without %s", address, res.StatusCode, res.Header.Get("Content-Type"), want)
		}
		if !strings.Contains(body, `<meta name="robots" content="noindex">`) || !strings.Contains(body, `role="search"`) {
			t.Errorf("%s: the page may be indexed, or has no search", address)
		}
		for _, accept := range []string{"", "*/*", "application/json", "application/json, text/html;q=0.5", "text/markdown, text/html, */*", "application/problem+json, text/html"} {
			res := ask(t, m, "GET", address, "Accept", accept)
			var p struct{ Code problem.Code }
			if err := json.Unmarshal([]byte(bodyOf(t, res)), &p); err != nil || res.StatusCode != http.StatusNotFound || res.Header.Get("Content-Type") != problem.MediaType || p.Code != problem.NotFound {
				t.Errorf("%s with Accept: %s: status %d, %s, code %s: %v", address, accept, res.StatusCode, res.Header.Get("Content-Type"), p.Code, err)
			}
		}
	}
	if res := ask(t, m, "GET", "/library", "Accept", browserAccept); res.Header.Get("Location") != catalog.LibraryPath {
		t.Errorf("the redirect to a page is lost: %d", res.StatusCode)
	}
	if res := ask(t, m, "GET", "/library/entry/"+strings.Repeat("%3Cscript%3E", 10), "Accept", browserAccept); strings.Contains(bodyOf(t, res), "<script>") {
		t.Error("the page repeats the address as markup")
	}
}

// On a host of files, the page of an address that does not exist names the nearest ones too.
func TestNotFoundInExport(t *testing.T) {
	m := realMirror(t)
	page, ok := m.File(catalog.NotFoundPath)
	if !ok {
		t.Fatal("the site has no page for addresses that do not exist")
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if f, ok := m.File(r.URL.Path); ok {
			w.Header().Set("Content-Type", f.Type)
			w.Write(f.Body)
			return
		}
		w.Header().Set("Content-Type", file.HTML)
		w.WriteHeader(http.StatusNotFound)
		w.Write(page.Body)
	}))
	defer server.Close()
	b := newBrowser(t)
	b.open(t, server.URL+"/library/entry/mqtt5/", 390, "dark")
	b.waitFor(t, firstFound+` == "/library/entry/mqtt-5/"`, "document.body.innerText")
	b.open(t, server.URL+"/protocols/l402/refund/", 390, "light") // what nobody states is on the page of the protocol, as on a server
	b.waitFor(t, `location.pathname + location.hash == "/protocols/l402/#refund"`, "location.href")
	b.open(t, server.URL+"/protocols/l402/nothing/", 390, "light")
	b.waitFor(t, `document.readyState == "complete" && location.pathname == "/protocols/l402/nothing/"`, "location.href")
}

// A page for browsers stands beside a problem document for programs, with the same status and the same headers.
func TestProblemForBrowsers(t *testing.T) {
	m := realMirror(t)
	refuse := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("WWW-Authenticate", `L402 macaroon="AgE=", invoice="lnbcrt1x"`)
		problem.Writer{Base: m.cat.Site().ProblemBase()}.Write(w, r, &problem.Problem{Code: problem.PaymentRequired, Extensions: map[string]any{"invoice": "lnbcrt1x", "macaroon": "</script>"}})
	})
	answer := func(accept string) *http.Response {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", catalog.SearchPath+"?q=macaroon", nil)
		if accept != "" {
			r.Header.Set("Accept", accept)
		}
		m.ForBrowsers(refuse, w, r)
		return w.Result()
	}
	plain := httptest.NewRecorder()
	refuse(plain, httptest.NewRequest("GET", catalog.SearchPath+"?q=macaroon", nil))
	for _, accept := range []string{"", "*/*", "application/json", "text/markdown, text/html, */*"} {
		res := answer(accept)
		if got := bodyOf(t, res); got != plain.Body.String() || res.Header.Get("Content-Type") != problem.MediaType {
			t.Errorf("Accept: %s: %s", accept, got)
		}
	}
	res := answer(browserAccept)
	body := bodyOf(t, res)
	if res.StatusCode != http.StatusPaymentRequired || res.Header.Get("Content-Type") != file.HTML || res.Header.Get("WWW-Authenticate") != plain.Header().Get("WWW-Authenticate") ||
		res.Header.Get("Cache-Control") != "no-store" || res.Header.Get("Content-Security-Policy") != contentSecurityPolicy(m.cat.Site()) {
		t.Errorf("status %d with %v", res.StatusCode, res.Header)
	}
	for _, want := range []string{`"lnbcrt1x"`, `value="macaroon"`, "/library/entry/macaroons-ndss-2014/", "lightning:lnbcrt1x", "L402 &lt;/script&gt;:PREIMAGE"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Contains(body, `"</script>"`) {
		t.Error("the document of the problem can end the script that holds it")
	}
}

// TestWithdrawnRecord: every address of a record that was withdrawn answers 410 with the reason, and nothing lists it.
func TestWithdrawnRecord(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	const reason = "Its publisher took it back."
	files := catalogtest.Files(t, "../fixtures", map[string][]byte{
		mqttFile: nil, "questions/library/mqtt-5.json": nil, "evidence/mqtt-5.json": nil, "statements/mqtt-5.json": nil,
		"withdrawn.json": []byte(`[
  {
    "record": "mqtt-5",
    "title": "MQTT Version 5.0",
    "day": "2026-11-23",
    "reason": "` + reason + `",
    "replaced_by": "bolt-12-offers"
  }
]
`),
	})
	c, err := load.Load(files, catalog.Options{Site: catalog.DefaultSite})
	if err != nil {
		t.Fatal(err)
	}
	m, err := Build(c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for path, mediaType := range map[string]string{
		catalog.EntryPath("mqtt-5"): file.HTML, catalog.MarkdownPath(catalog.EntryPath("mqtt-5")): file.Markdown, catalog.EntryJSONPath("mqtt-5"): problem.MediaType,
	} {
		accept := "*/*"
		if mediaType == file.HTML {
			accept = browserAccept
		}
		res := ask(t, m, "GET", path, "Accept", accept)
		body := bodyOf(t, res)
		if res.StatusCode != http.StatusGone || res.Header.Get("Content-Type") != mediaType || !strings.Contains(body, reason) ||
			!strings.Contains(body, catalog.EntryPath("bolt-12-offers")) {
			t.Errorf("%s: status %d, %s: %.1000s", path, res.StatusCode, res.Header.Get("Content-Type"), body)
		}
	}
	for _, path := range []string{catalog.ManifestPath, catalog.SitemapPath, catalog.CategoryJSONPath("iot"), catalog.FindJSONPath} {
		if f, _ := m.File(path); regexp.MustCompile(`entry/mqtt-5\b[^-]`).Match(f.Body) {
			t.Errorf("%s lists the record", path)
		}
	}
	f, ok := m.File(catalog.EvidencePath("mqtt-5"))
	if !ok || !strings.Contains(string(f.Body), "MQTT Version 5.0") {
		t.Fatal("the history of the record is not published under its title")
	}
	for _, a := range f.Alternates {
		if _, ok := m.File(a.Path); !ok {
			t.Errorf("its page leads to %s, which is not published", a.Path)
		}
	}
}
