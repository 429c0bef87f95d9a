package httpmirror

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"go.almanac.example/catalog"
)

// Every page of a protocol with a profile begins with a sentence that defines the protocol, and the strip with its status and steward.
func TestProtocolPagesBegin(t *testing.T) {
	m := realMirror(t)
	for _, p := range m.cat.Profiles() {
		f, _ := m.File(catalog.ProtocolPath(p.ID))
		_, rest, _ := strings.Cut(string(f.Body), "</h1>")
		want := `<p class="lede">` + strings.NewReplacer("'", "&#39;").Replace(p.Name+" is "+p.Summary) + ".</p>"
		if !strings.HasPrefix(rest, want) {
			t.Errorf("%s begins with %.200s\nwant %s", f.Path, rest, want)
		}
	}
}

// TestPairVerdict: the page of two protocols has the advantages of each, as in its table, and the citation of the page.
func TestPairVerdict(t *testing.T) {
	m := realMirror(t)
	for pair, want := range map[string][]string{
		"l402-vs-x402": {"L402 fits better if the payer has a Lightning wallet or one payment should cover several requests.",
			"x402 fits better if the payer has a wallet for tokens or the calls go over MCP.", "Not stated for L402, so not compared: safe retry, refund."},
		"l402-vs-nwc": {"They do different jobs: L402, HTTP 402 scheme; Nostr Wallet Connect, wallet interface.", "Both work if the payer has a Lightning wallet."},
	} {
		f, _ := m.File(catalog.PairPath(pair))
		for _, text := range append(want, `<details class="cite" `) {
			if !strings.Contains(string(f.Body), text) {
				t.Errorf("%s does not say %s", f.Path, text)
			}
		}
	}
	for _, id := range m.cat.PairIDs() {
		if f, _ := m.File(catalog.PairPath(id)); !strings.Contains(string(f.Body), `id="which">Which one</h2><ul class="bullets prose"><li>`) {
			t.Errorf("%s has no verdict", f.Path)
		}
	}
}

// TestNotStated: an answer that no source states leads to the record, which lists the files that were read, and a place to tell a better one.
func TestNotStated(t *testing.T) {
	m := realMirror(t)
	for path, want := range map[string]int{catalog.ComparePath: 1, catalog.PairPath("l402-vs-x402"): 2} { // of one table, of both
		f, _ := m.File(path)
		if n := strings.Count(string(f.Body), `href="/protocols/l402/#refund"`); n != want {
			t.Errorf("%s: %d links to what is not stated, want %d", path, n, want)
		}
	}
	f, _ := m.File(catalog.ProtocolPath("l402"))
	_, read, _ := strings.Cut(string(f.Body), `id="read"`)
	read, _, _ = strings.Cut(read, "</ul>")
	for _, want := range []string{"lightninglabs/L402", "last read 2"} {
		if !strings.Contains(read, want) {
			t.Errorf("the files that were read lack %s: %s", want, read)
		}
	}
	if !strings.Contains(string(f.Body), `href="#report-error"`) {
		t.Error("nothing leads to a report")
	}
}

// TestCitationNamesSource: the citation of a fact names the source that it follows.
func TestCitationNamesSource(t *testing.T) {
	f, _ := realMirror(t).File(catalog.FactPath("x402/fees"))
	const source = "https://github.com/x402-foundation/x402/blob/"
	for _, want := range []string{"Source: " + source, `note = {Source: \url{` + source} {
		if !strings.Contains(string(f.Body), want) {
			t.Errorf("the citation lacks %s", want)
		}
	}
}

// What a reader sees of the comparison.
const (
	shownColumns = `[...document.querySelectorAll("thead [data-protocol]")].filter(e => e.offsetParent).map(e => e.dataset.protocol).join()`
	shownRows    = `[...document.querySelectorAll("[data-row]")].filter(e => e.offsetParent).map(e => e.dataset.row).join()`
	shownFlows   = `[...document.querySelectorAll(".flows [data-protocol]")].filter(e => e.offsetParent).map(e => e.dataset.protocol).join()`
)

// TestCompare picks protocols by address, by keyboard, from the home page and on a phone, and reads all of them with the script off.
func TestCompare(t *testing.T) {
	m := realMirror(t)
	server := httptest.NewServer(m)
	defer server.Close()
	b := newBrowser(t)
	is := func(expression, want string) {
		t.Helper()
		if diff := cmp.Diff(want, evaluate[string](t, b, expression)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", expression, diff)
		}
	}
	b.open(t, server.URL+catalog.ComparePath+"?protocols=l402,x402&rows=rail,refund", 1280, "light")
	is(shownColumns, "l402,x402")
	is(shownRows, "rail,refund")
	is(shownFlows, "l402,x402")
	is(`String(new Set([...document.querySelectorAll(".flows [data-protocol]")].filter(e => e.offsetParent).map(e => e.offsetTop)).size)`, "1") // beside each other
	// By keyboard: tick one more, and then two, of which the last takes the place of the first.
	evaluate[any](t, b, `document.querySelector(".glance input[value=mpp]").focus()`)
	if err := chromedp.Do(b.ctx, chromedp.KeyEvent(" ")); err != nil {
		t.Fatal(err)
	}
	b.waitFor(t, `location.search == "?protocols=l402,x402,mpp&rows=rail,refund"`, "location.search")
	is(shownColumns, "l402,x402,mpp")
	evaluate[any](t, b, `(document.querySelector(".glance input[value=acp]").click(), document.querySelector(".glance input[value=ucp]").click())`)
	is(shownColumns, "x402,mpp,acp,ucp")
	is(`[...document.querySelectorAll(".glance :checked")].map(e => e.value).join()`, "x402,mpp,acp,ucp")
	is(`document.querySelector(".picked b").textContent`, "x402, MPP, ACP, UCP")
	// By keyboard, an answer opens below its row, and closes.
	for _, opened := range []string{"1", "0"} {
		evaluate[any](t, b, `document.querySelector("[data-pick=x402] td:last-child a").focus()`)
		if err := chromedp.Do(b.ctx, chromedp.KeyEvent("\r")); err != nil {
			t.Fatal(err)
		}
		is(`String(document.querySelectorAll("[data-pick=x402] + .opened a[href$='/protocols/x402/refund/']").length)`, opened)
	}
	is(`document.querySelector("[data-pick=x402] td:last-child a").ariaLabel`, "x402, Refund: partly")
	// From the page of the protocols three are three clicks.
	b.open(t, server.URL+catalog.ProtocolsPath, 1280, "light")
	if err := chromedp.Do(b.ctx, chromedp.Click(`.cards [href$="=l402"]`), chromedp.WaitReady(".matrix[data-columns]"),
		chromedp.Click(".glance [value=x402]"), chromedp.Click(".glance [value=mpp]")); err != nil {
		t.Fatal(err)
	}
	is(shownColumns, "l402,x402,mpp")
	evaluate[any](t, b, `document.querySelector(".picked button:last-child").click()`) // clears the choice
	is(`location.search + document.querySelectorAll(".glance :checked").length + document.querySelector(".picked").hidden`, "0true")
	for _, id := range []string{"l402", "x402", "mpp"} {
		evaluate[any](t, b, `document.querySelector(".glance [value=`+id+`]").click()`)
	}
	// The rows in which all are equal go when only differences are asked for.
	rows := evaluate[int](t, b, `document.querySelectorAll("[data-row]:not([hidden])").length`)
	evaluate[any](t, b, `document.querySelector(".only input").click()`)
	is(`String(document.querySelectorAll("[data-row]:not([hidden])").length + document.querySelectorAll(".same").length)`, fmt.Sprint(rows))
	is(`String(document.querySelectorAll(".same").length > 0)`, "true")
	// The page scrolls, and no box inside it; the names of the columns stay.
	evaluate[any](t, b, `document.querySelector("#row-discovery").scrollIntoView({block: "center"})`)
	is(`String([...document.querySelectorAll("main *")].filter(e => /auto|scroll/.test(getComputedStyle(e).overflow)).length)`, "0")
	is(`String(document.querySelector(".matrix thead").getBoundingClientRect().top)`, "0")
	// An address of a value leads to its row.
	b.open(t, server.URL+catalog.ProtocolPath("x402")+"#choice-refund", 1280, "light")
	is(`String(document.getElementById("refund").checkVisibility())`, "true")
	// On a phone, three beside each other.
	for _, width := range []int64{320, 390} {
		b.open(t, server.URL+catalog.ComparePath+"?protocols=l402,x402,mpp,acp", width, "dark")
		is(shownColumns, "l402,x402,mpp")
		is(`[...document.querySelectorAll(".brief tr:last-child td")].filter(e => e.offsetParent).map(e => e.textContent).join()`, "not stated,partly,partly")
		is(`String(new Set([...document.querySelector("[data-row=rail]").cells].filter(c => c.tagName == "TD" && c.offsetParent).map(c => c.offsetTop)).size)`, "1")
	}
	// A cell shows its word on a wide screen, and its sign alone on a phone.
	for width, shown := range map[int64]string{768: "true", 1280: "true", 390: "false"} {
		b.open(t, server.URL+catalog.ComparePath, width, "light")
		is(`String([...document.querySelectorAll(".glance td span")].every(e => e.offsetWidth > 12))`, shown)
	}
	b.open(t, server.URL+catalog.ComparePath+"?protocols=l402,x402,mpp,acp", 390, "dark")
	// On paper, the chosen columns with their names at each value, and no controls.
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"}); err != nil {
		t.Fatal(err)
	}
	is(`String([...document.querySelectorAll("[data-row=rail] .cap")].filter(e => e.offsetParent).map(e => e.textContent).join())`, "L402,x402,MPP")
	is(`String(!!document.querySelector(".only").offsetParent)`, "false")
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "screen"}); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	for _, width := range []int64{390, 1280} {
		b.open(t, server.URL+catalog.ComparePath, width, "light")
		is(`String([...document.querySelectorAll("[data-row=rail] td")].filter(e => e.offsetParent).length)`, fmt.Sprint(len(m.cat.Profiles())))
		is(`String([...document.querySelectorAll("[data-row]")].filter(e => e.offsetParent).length)`, fmt.Sprint(len(new(catalog.Profile).Fields())))
	}
	for _, complaint := range b.heard() {
		t.Error(complaint)
	}
}

// TestChoose answers three questions, and sees which protocols fit, why, and with which sources; and opens the same answers with
// the script off.
func TestChoose(t *testing.T) {
	server := httptest.NewServer(realMirror(t))
	defer server.Close()
	b := newBrowser(t)
	const found = `[...document.querySelectorAll(".verdicts > div")].map(d => d.querySelector("h3").textContent + ": " + [...d.querySelectorAll(":scope > ul > li > a")].map(a => a.textContent).join(", ")).slice(0, 2).join("; ")`
	for _, width := range []int64{320, 390, 768, 1280} {
		b.open(t, server.URL+catalog.ChoosePath, width, "dark")
		for name, value := range map[string]string{"pay-with": "lightning", "asked": "request", "account": "no"} {
			evaluate[any](t, b, fmt.Sprintf(`(s => { s.value = %q; s.dispatchEvent(new Event("change")) })(document.querySelector('[name=%q]'))`, value, name))
		}
		if got, want := evaluate[string](t, b, found), "Match (2): L402, MPP Lightning session; Partly match (1): MPP"; got != want {
			t.Errorf("%d px: %s, want %s", width, got, want)
		}
		if bare := evaluate[int](t, b, `[...document.querySelectorAll(".verdicts li li")].filter(li => !li.querySelector("a[href^=http]") && !li.querySelector(".unknown")).length`); bare != 0 {
			t.Errorf("%d px: %d reasons have no source", width, bare)
		}
		if wide := evaluate[int64](t, b, "document.documentElement.scrollWidth"); wide > width {
			t.Errorf("the page is %d px wide at %d px", wide, width)
		}
	}
	kept := evaluate[string](t, b, "location.href")
	b.open(t, kept, 1280, "light")
	if got, want := evaluate[string](t, b, found), "Match (2): L402, MPP Lightning session; Partly match (1): MPP"; got != want {
		t.Errorf("%s shows %s, want %s", kept, got, want)
	}
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	b.open(t, server.URL+catalog.ChoosePath, 390, "light")
	if err := chromedp.Do(b.ctx, chromedp.Click("#pay-with-lightning"), chromedp.WaitVisible(`[data-question=pay-with] [data-answer=lightning] [data-protocol=l402]`)); err != nil {
		t.Error(err)
	}
	for _, complaint := range b.heard() {
		t.Error(complaint)
	}
}

// TestCiteStatement: from the page of a protocol, a fact is cited with two clicks, by its own address, words and source; so is a statement.
func TestCiteStatement(t *testing.T) {
	server := httptest.NewServer(realMirror(t))
	defer server.Close()
	b := newBrowser(t)
	for path, want := range map[string][]string{
		catalog.ProtocolPath("x402"):       {"#fees + dd .citing", "@misc{almanac-protocols-x402-fees,", "“Fees: Gas is paid on chain; many facilitators", "/protocols/x402/fees/}", "faq.md}, read 20"},
		catalog.EntryPath("eu-ai-omnibus"): {"#number .citing", "@misc{eu-ai-omnibus-number,", "“The Digital Omnibus on AI is Regulation", "/library/entry/eu-ai-omnibus/#number}", "author = {{European Parliament"},
	} {
		b.open(t, server.URL+path, 390, "light")
		if err := chromedp.Do(b.ctx, chromedp.Click(want[0]), chromedp.WaitVisible("dialog button")); err != nil {
			t.Fatal(err)
		}
		item := evaluate[string](t, b, `[...document.querySelectorAll("dialog code")].at(-1).textContent`)
		for _, part := range want[1:] {
			if !strings.Contains(item, part) {
				t.Errorf("%s: the citation lacks %s: %s", path, part, item)
			}
		}
		if n := strings.Count(item, "note = "); n != 1 || strings.Count(item, "{") != strings.Count(item, "}") {
			t.Errorf("%s: %d notes, or a bracket too many: %s", path, n, item)
		}
		if n := evaluate[int](t, b, `document.querySelectorAll("dialog .block > button").length`); n != 3 {
			t.Errorf("%s: %d buttons that copy, want 3", path, n)
		}
	}
	for _, complaint := range b.heard() {
		t.Error(complaint)
	}
}

// TestPairDiffersFirst: the rows in which two protocols differ come before those that are alike, and before the answers in a word.
func TestPairDiffersFirst(t *testing.T) {
	f, _ := realMirror(t).File(catalog.PairPath("l402-vs-x402"))
	body := string(f.Body)
	alike := strings.Index(body, "The same in both")
	if last := strings.LastIndex(body, `<tr data-row=`); alike < 0 || !strings.Contains(body[last:], `class="same"`) || strings.Contains(body[:alike], `class="same"`) {
		t.Error("rows that are alike stand before others")
	}
	if strings.Index(body, `id="glance"`) < alike {
		t.Error("the answers in a word come first")
	}
}

// TestProtocolSaysFees: the box at the top of each page of a protocol leads to what it costs, or to the row that says that nobody states it.
func TestProtocolSaysFees(t *testing.T) {
	m := realMirror(t)
	for _, p := range m.cat.Profiles() {
		f, _ := m.File(catalog.ProtocolPath(p.ID))
		_, strip, _ := strings.Cut(string(f.Body), `<dl class="strip">`)
		strip, rest, _ := strings.Cut(strip, "</dl>")
		for _, part := range []string{"<dt>Fees</dt>", `href="/protocols/` + p.ID + "/"} {
			if !strings.Contains(strip, part) {
				t.Errorf("%s: the box lacks %s", f.Path, part)
			}
		}
		if facts, code := strings.Index(rest, `id="record"`), strings.Index(rest, `id="code"`); facts < 0 || code >= 0 && code < facts {
			t.Errorf("%s: the facts do not come first", f.Path)
		}
	}
}

// TestUpgradeSaysWhatDiffers: the page of a step between versions begins with what differs for a program.
func TestUpgradeSaysWhatDiffers(t *testing.T) {
	f, _ := realMirror(t).File(catalog.UpgradePath("x402/v1-to-v2"))
	if want := `<p class="lede">What differs for a program between v1 and v2: HTTP headers, networks, `; !strings.Contains(string(f.Body), want) {
		t.Errorf("the page does not begin with %s", want)
	}
}

// TestFeesInTheLibrary: the page of a protocol's fees has the library's statements about those who charge.
func TestFeesInTheLibrary(t *testing.T) {
	f, _ := realMirror(t).File(catalog.FactPath("x402/fees"))
	for _, want := range []string{"/library/entry/cdp-x402-facilitator/#fee", "/library/entry/payai-facilitator-pricing/#price"} {
		if !strings.Contains(string(f.Body), want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}
