package httpmirror

import (
	"context"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"go.almanac.example/catalog"
	"go.almanac.example/index/find"
)

// firstFound is the path that the first of the shown records leads to.
const firstFound = `(document.querySelector(".found a")?.getAttribute("href") ?? "")`

// press sends keys to the page, in their order.
func press(t *testing.T, b *browser, keys ...string) {
	t.Helper()
	for _, key := range keys {
		if err := chromedp.Do(b.ctx, chromedp.KeyEvent(key)); err != nil {
			t.Fatal(err)
		}
	}
}

// hosts are the ways in which a site is published: by the program, and as an export on a host of files.
func hosts(t *testing.T) map[string]*httptest.Server {
	t.Helper()
	dir := t.TempDir()
	m := realMirror(t)
	if _, err := Export(context.Background(), m.cat, Options{}, dir); err != nil {
		t.Fatal(err)
	}
	files := http.FileServer(http.Dir(dir))
	servers := map[string]*httptest.Server{"served": httptest.NewServer(m), "export": httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", contentSecurityPolicy(catalog.DefaultSite))
		files.ServeHTTP(w, r)
	}))}
	for _, s := range servers {
		t.Cleanup(s.Close)
	}
	return servers
}

// TestFindByKeyboard finds a record and opens it by keyboard alone, from any page and on the search page, on a phone and on a desk, as served and in
// an export.
func TestFindByKeyboard(t *testing.T) {
	b := newBrowser(t)
	for name, server := range hosts(t) {
		for page, widths := range map[string][]int64{catalog.TrustPath: {320, 1280}, catalog.FindPath: {390, 768}} {
			for _, width := range widths {
				b.open(t, server.URL+page, width, "dark")
				press(t, b, "/")
				if !evaluate[bool](t, b, `document.activeElement.matches(".find input")`) {
					t.Fatalf("%s: %s at %d px: the key / does not lead to the search", name, page, width)
				}
				press(t, b, "m", "q", "t", "t")
				b.waitFor(t, firstFound+` == "/library/entry/mqtt-5/"`, firstFound)
				if wide := evaluate[int64](t, b, "document.documentElement.scrollWidth"); wide > width {
					t.Errorf("%s: %s at %d px: is %d px wide with results", name, page, width, wide)
				}
				press(t, b, kb.ArrowDown)
				chosen := `document.activeElement.matches(".found li:first-child a")`
				if page != catalog.FindPath { // a combobox keeps the focus (ARIA, 3.8)
					chosen = `document.activeElement.matches("[role=combobox][aria-expanded=true]") &&
						document.getElementById(document.activeElement.getAttribute("aria-activedescendant")).matches("[role=listbox] > :first-child > [role=option][aria-selected=true]")`
				}
				if !evaluate[bool](t, b, chosen) {
					t.Errorf("%s: %s: the arrow does not lead to the first result", name, page)
				}
				press(t, b, kb.Escape)
				if !evaluate[bool](t, b, `document.activeElement.matches(".find input")`) {
					t.Errorf("%s: %s: Escape does not lead back to the box", name, page)
				}
				press(t, b, "5", kb.Backspace)
				b.waitFor(t, firstFound+` == "/library/entry/mqtt-5/"`, firstFound)
				press(t, b, kb.ArrowDown, kb.Enter)
				if err := chromedp.Do(b.ctx, chromedp.WaitReady(`link[rel=canonical][href$="/library/entry/mqtt-5/"]`)); err != nil {
					t.Fatalf("%s: %s: Enter does not open the result: %v", name, page, err)
				}
			}
		}
		for _, complaint := range b.heard() {
			t.Errorf("%s: %s", name, complaint)
		}
	}
}

// TestFindShortcutOff: the key can be turned off, as WCAG 2.2 asks for keys of one letter (2.1.4).
func TestFindShortcutOff(t *testing.T) {
	server := httptest.NewServer(realMirror(t))
	defer server.Close()
	b := newBrowser(t)
	b.open(t, server.URL+catalog.FindPath, 1280, "light")
	b.waitFor(t, `document.querySelector(".shortcut input") != null`, `document.querySelector("main").innerHTML`)
	evaluate[any](t, b, `document.querySelector(".shortcut input").click()`)
	b.open(t, server.URL+catalog.TrustPath, 1280, "light")
	press(t, b, "/")
	if evaluate[bool](t, b, `document.activeElement.matches(".find input")`) {
		t.Error("the key still leads to the search")
	}
}

// TestFindByForm presses Enter in the box: the search page shows what was found, with and without the script, and in an export
// without it where to go on.
func TestFindByForm(t *testing.T) {
	b := newBrowser(t)
	for name, server := range hosts(t) {
		for _, script := range []bool{true, false} {
			if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !script}); err != nil {
				t.Fatal(err)
			}
			b.open(t, server.URL+"/", 390, "light")
			if err := chromedp.Do(b.ctx, chromedp.SendKeys(".find input", "agent wallet\r"), chromedp.WaitReady(`link[rel=canonical][href$="/search/"]`)); err != nil {
				t.Fatal(err)
			}
			if got := evaluate[string](t, b, `new URLSearchParams(location.search).get("q")`); got != "agent wallet" {
				t.Errorf("%s: the form leads to a search for %q", name, got)
			}
			switch {
			case script || name == "served":
				b.waitFor(t, `document.querySelectorAll(".found li").length == 9 && /^8 of \d+ results for “agent wallet”/.test(document.querySelector("#found [role=status]").textContent)`, firstFound)
			default:
				if !evaluate[bool](t, b, `document.querySelector("noscript").textContent.includes("needs JavaScript") && !!document.querySelector('ul.tags a')`) {
					t.Errorf("%s: without the script the page does not lead on", name)
				}
			}
		}
	}
}

// TestFindMore: twice as many records follow those shown at first, on the search page with and without the script, and
// from the list below the box by keyboard.
func TestFindMore(t *testing.T) {
	server := httptest.NewServer(realMirror(t))
	defer server.Close()
	b := newBrowser(t)
	const more = `document.querySelectorAll(".found li").length == 17 && document.querySelector("#found [role=status]").textContent.startsWith("16 of ")`
	const status = `document.querySelector("#found [role=status]")?.textContent`
	for _, script := range []bool{true, false} {
		if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !script}); err != nil {
			t.Fatal(err)
		}
		b.open(t, server.URL+"/search/?q=agent+wallet", 390, "light")
		b.waitFor(t, fmt.Sprintf(`document.querySelectorAll(".found li").length == 9 && !!document.querySelector(".found li:last-child a").onclick == %v`, script), status)
		if err := chromedp.Do(b.ctx, chromedp.Click(".found li:last-child a")); err != nil {
			t.Fatal(err)
		}
		b.waitFor(t, more, status)
		if script { // the focus goes on, and the address has them too
			b.waitFor(t, `document.activeElement.matches(".found li:nth-child(9) a") && location.search.endsWith("&n=16")`, "location.search")
		}
	}
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{}); err != nil {
		t.Fatal(err)
	}
	b.open(t, server.URL+catalog.TrustPath, 1280, "dark")
	press(t, b, "/")
	if err := chromedp.Do(b.ctx, chromedp.SendKeys(".find input", "agent wallet")); err != nil {
		t.Fatal(err)
	}
	b.waitFor(t, `document.querySelectorAll(".drop [role=option]").length == 9`, firstFound)
	for range 9 {
		press(t, b, kb.ArrowDown)
	}
	press(t, b, kb.Enter)
	b.waitFor(t, more, status)
}

// TestPastedPayment: a payment in the search box is offered to Explain, with the text; a question about one is a question.
func TestPastedPayment(t *testing.T) {
	invoice := "lnbc1500n1" + strings.Repeat("q", 30)
	for query, want := range map[string]bool{
		"HTTP/1.1 402 Payment Required": true, `WWW-Authenticate: L402 macaroon="AGI"`: true, `L402 macaroon="AGI", invoice="ln"`: true,
		`{"x402Version":1,"accepts":[]}`: true, "PAYMENT-REQUIRED: eyJ4NDAyVmVyc2lvbiI6Mn0=": true, invoice: true, "lightning:" + invoice: true,
		"eyJ" + strings.Repeat("A", 60): true,
		"HTTP 402":                      false, "WWW-Authenticate header": false, "payment: how": false, "PAYMENT-REQUIRED": false, "lnbc": false, "L402 macaroon": false,
	} {
		r := httptest.NewRequest(http.MethodGet, catalog.FindPath+"?q="+url.QueryEscape(query), nil)
		w := httptest.NewRecorder()
		realMirror(t).ServeHTTP(w, r)
		if got := strings.Contains(w.Body.String(), ">"+html.EscapeString(query)+"</textarea>"); got != want {
			t.Errorf("%s is offered to Explain: %t, want %t", query, got, want)
		}
	}
}

// TestFoundFact: a question about a field of a protocol finds its value, with a link to it, with and without the script.
func TestFoundFact(t *testing.T) {
	for query, want := range map[string]find.Record{
		"status code l402":    {Path: "/protocols/l402/#http_status_codes", Line: "HTTP status codes: 200, 401, 402"},
		"x402 idempotency":    {Path: "/protocols/x402/#choice-idempotency", Line: "Safe repetition: optional payment-identifier extension; its id is an idempotency key"},
		"who maintains x402":  {Path: "/protocols/x402/#choice-steward"},
		"networks of x402":    {Path: "/protocols/x402/#networks"},
		"what is l402":        {Path: "/protocols/l402/"},
		"l402 licence":        {Path: "/protocols/l402/#choice-licence"},
		"how does l402 work?": {Path: "/protocols/l402/#pay_flow"},
		"l402 refund":         {Path: "/protocols/l402/#refund", Line: "Refund: not stated in the pages we read."},
	} {
		found := findIn(t, realMirror(t), query).Records
		i := slices.IndexFunc(found, func(r find.Record) bool { return r.Path == want.Path })
		if i < 0 || want.Line != "" && found[i].Line != want.Line {
			t.Errorf("%s finds %+v", query, found)
		}
	}
}

// TestDoors: what visitors call a page of the site itself finds it first.
func TestDoors(t *testing.T) {
	for query, want := range map[string]string{
		"connect claude": catalog.ConnectPath, "connect claude desktop": catalog.ConnectPath, "clients by scheme": catalog.ClientsPath,
		"Is there an API?": catalog.ConnectPath, "buy searches": catalog.FindPath + "#buy",
		"report an error": catalog.TrustPath + "#report", "how do I report a mistake": catalog.TrustPath + "#report",
		"run your own": catalog.TrustPath + "#own", "publish my own library": catalog.TrustPath + "#own", "who makes this": catalog.TrustPath + "#contact",
		"who runs this site": catalog.TrustPath + "#contact", "what happened in November 2026": catalog.NewsPath, "November 2026": catalog.NewsPath,
		"News November 2026": catalog.NewsPath, "what happened in november": catalog.NewsPath, "news from october": catalog.NewsPath, "x402 news": catalog.NewsPath, "x402 feed": catalog.NewsPath, "rss": catalog.NewsPath,
		"subscribe calendar ics": catalog.CalendarPath, "feed of x402": catalog.NewsPath,
		"what changed between x402 v1 and v2": catalog.UpgradePath("x402/v1-to-v2"), "x402 v1 vs v2": catalog.UpgradePath("x402/v1-to-v2"),
		"rss feed": catalog.NewsPath, "what changed this month": catalog.NewsPath, "deadlines": catalog.CalendarPath,
		"download everything as csv": catalog.DatasetsPath, "which protocol should I use": catalog.ChoosePath, "explain my 402": catalog.ExplainPath,
	} {
		if found := findIn(t, realMirror(t), query).Records; len(found) == 0 || found[0].Path != want {
			t.Errorf("%s finds %+v first, want %s", query, found[:min(1, len(found))], want)
		}
	}
	if found := findIn(t, realMirror(t), "zqxjkvbwpt"); len(found.Records) > 0 {
		t.Errorf("nonsense finds %+v", found.Records)
	}
	// Only the last word may be the beginning of one: no watchtower.
	if found := findIn(t, realMirror(t), "wat is x402"); found.Records[0].ID != "protocol:x402" {
		t.Errorf("wat is x402 finds %+v", found.Records[0])
	}
}

// Each example question of the home page finds a protocol first.
func TestExampleQuestions(t *testing.T) {
	m := realMirror(t)
	home, _ := m.File(catalog.HomePath)
	examples := regexp.MustCompile(`href="(/search/\?q=[^"]+)"`).FindAllStringSubmatch(string(home.Body), -1)
	if len(examples) != 3 {
		t.Fatalf("the home page has %d example questions, want 3", len(examples))
	}
	for _, example := range examples {
		_, found, _ := strings.Cut(bodyOf(t, ask(t, m, "GET", example[1])), `<ul class="found">`)
		if !strings.HasPrefix(strings.TrimSpace(found), `<li><a href="/protocols/`) {
			t.Errorf("%s finds %.200s", example[1], found)
		}
	}
}

// TestFoundAnswers: the search page of a question begins with the fact that answers it, with its source and its day.
func TestFoundAnswers(t *testing.T) {
	m := realMirror(t)
	page := bodyOf(t, ask(t, m, http.MethodGet, catalog.FindPath+"?q=does+x402+support+refunds", "Accept", "text/html"))
	_, answer, _ := strings.Cut(page, `class="found-answer"`)
	answer, rest, _ := strings.Cut(answer, "</blockquote>")
	for _, want := range []string{"auth-capture", `class="out" href="https://github.com/x402-foundation/`, "<time datetime="} {
		if !strings.Contains(answer, want) {
			t.Errorf("the answer lacks %s: %s", want, answer)
		}
	}
	if !strings.Contains(rest, `<ul class="found">`) {
		t.Error("no list follows the answer")
	}
	if page = bodyOf(t, ask(t, m, http.MethodGet, catalog.FindPath+"?q=x402+vs+L402", "Accept", "text/html")); !strings.Contains(page, catalog.PairPath("l402-vs-x402")) {
		t.Error("two protocols do not lead to their comparison")
	}
	for query, want := range map[string]string{"how+do+I+cite": "Cite almanac by", "what+happened+in+June+2026": "",
		"what+happened+in+November+2026": "#news-2026-11-06-mppx-0-17-3", "x402+news": "#news-2026-09-29-x402-go-2-28-0",
		"can+@x402/fetch+pay+L402?": "@x402/fetch 2.27.0 didn’t pay L402. It paid x402 v2 exact (all 8).", "can+mppx+pay+MPP": "mppx with a Lightning method 0.11.0 paid MPP Lightning charge (all 6). It didn’t pay MPP",
		"can+a+payment+be+refunded+with+L402,+x402,+MPP": "L402, refund: not stated"} {
		page = bodyOf(t, ask(t, m, http.MethodGet, catalog.FindPath+"?q="+query, "Accept", "text/html"))
		page, _, _ = strings.Cut(page, `<ul class="found">`) // before the sample of the paid search
		if _, answer, _ = strings.Cut(page, `class="found-answer"`); !strings.Contains(answer, want) || want == "" && answer != "" || strings.Contains(query, "November") && strings.Contains(answer, "2026-10-") ||
			strings.Contains(query, "L402,") && !(strings.Contains(answer, "x402: Refund") && strings.Contains(answer, "(MPP): Refund")) {
			t.Errorf("%s is answered with %.200s, want %s", query, answer, want)
		}
	}
}

// TestSaleSample: the page that sells has passages of several records, and not the one that the free search shows.
func TestSaleSample(t *testing.T) {
	m := realMirror(t)
	f, _ := m.File(catalog.FindPath)
	_, sample, _ := strings.Cut(string(f.Body), `<figure class="sample offer">`)
	sample, _, _ = strings.Cut(sample, "</figure>")
	if n := strings.Count(sample, "<blockquote"); n != 2 {
		t.Errorf("%d passages, want 2: %s", n, sample)
	}
	free := bodyOf(t, ask(t, m, http.MethodGet, catalog.FindPath+"?q=can+an+agent+get+its+money+back", "Accept", "text/html"))
	_, free, _ = strings.Cut(free, `<blockquote class="found-answer" cite`)
	free, _, _ = strings.Cut(free, "</blockquote>")
	_, free, _ = strings.Cut(free, "<p>")
	if free, _, _ = strings.Cut(free, "</p>"); free != "" && strings.Contains(sample, free) {
		t.Errorf("the sample has the answer of the free search: %s", free)
	}
}
