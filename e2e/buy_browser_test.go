package e2e

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"go.almanac.example/internal/parttest"
	"go.almanac.example/internal/problem"
	"go.almanac.example/l402/node/lnd/simnet"
	"go.almanac.example/server/servertest"
)

// A tab is a tab of Debian's Chromium on the search page of a service.
type tab struct {
	testing.TB
	ctx context.Context
}

func newTab(t *testing.T) *tab {
	t.Helper()
	path := parttest.Program(t, "chromium-headless-shell", "setup-pages.sh")
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir()), chromedp.WSURLReadTimeout(time.Minute))...)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
	return &tab{t, ctx}
}

func (b *tab) do(what string, steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.Fatalf("%s: %v", what, err)
	}
}

// look opens an address at a width in a colour scheme.
func (b *tab) look(url string, width int64, scheme string) {
	b.Helper()
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}); err != nil {
		b.Fatal(err)
	}
	b.do("open "+url, chromedp.EmulateViewport(width, 800), chromedp.Navigate(url))
}

// text returns what an expression is.
func (b *tab) text(expression string) string {
	b.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("String("+expression+")"))
	if err != nil {
		b.Fatalf("%s: %v", expression, err)
	}
	return v
}

// until waits until an expression holds.
func (b *tab) until(expression string) {
	b.Helper()
	err := parttest.OnNextPage(func() error {
		_, err := chromedp.Run(b.ctx, chromedp.Poll[bool](expression, chromedp.WithPollingInterval(20*time.Millisecond), chromedp.WithPollingTimeout(time.Minute)))
		return err
	})
	if err != nil {
		b.Fatalf("%s: %v; there is %s", expression, err, b.text(`document.querySelector("main")?.innerText`))
	}
}

// shot writes a picture into the folder that ALMANAC_SHOTS names.
func (b *tab) shot(name string) {
	dir := os.Getenv("ALMANAC_SHOTS")
	if dir == "" {
		return
	}
	picture, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o644)
	}
	if err != nil {
		b.Fatal(err)
	}
}

// onButton presses a button by keyboard.
func (b *tab) onButton(label string) {
	b.Helper()
	find := fmt.Sprintf(`[...document.querySelectorAll("#buy button")].find(b => b.textContent.startsWith(%q))`, label)
	b.until("!!" + find)
	b.text(find + ".focus()")
	b.do("press "+label, chromedp.KeyEvent(kb.Enter))
}

// keys types a text as a keyboard does: each key inserts its character unless the page cancels the key. commands are
// those of the editor that the last key gives, such as Paste.
func (b *tab) keys(text string, commands ...string) {
	b.Helper()
	for _, r := range text {
		for _, p := range []input.DispatchKeyEventParams{
			{Type: input.DispatchKeyEventTypeKeyDown, Key: string(r), Text: string(r), Commands: commands}, {Type: input.DispatchKeyEventTypeKeyUp, Key: string(r)},
		} {
			if commands != nil {
				p.Text, p.Modifiers = "", int64(chromedp.ModifierCtrl)
			}
			if _, err := chromedp.Call(b.ctx, input.DispatchKeyEvent, p); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// axe reports what axe-core, with all its rules, finds wrong on the page.
func (b *tab) axe(where string) {
	b.Helper()
	script, err := os.ReadFile(parttest.Cached(b, "setup-pages.sh", "npm-pages", "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		b.Fatal(err)
	}
	if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[int](string(script)+";0")); err != nil {
		b.Fatal(err)
	}
	b.runAxe("window", where)
}

// runAxe reports what axe-core finds wrong in a window into which it has been loaded.
func (b *tab) runAxe(window, where string) {
	b.Helper()
	wrong, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]string](`(w => w.axe.run(w.document,
		{resultTypes: ["violations"], rules: {"target-size": {enabled: true}}}).then(r => r.violations.flatMap(v =>
		v.nodes.map(n => v.id + ": " + n.html.slice(0, 200) + ": " + n.failureSummary))))(`+window+")", chromedp.EvalAwaitPromise))
	if err != nil {
		b.Fatal(err)
	}
	for _, w := range wrong {
		b.Errorf("%s: %s", where, w)
	}
}

// buyInBrowser buys searches on the search page at base, as a person does: pay turns an invoice into a preimage, nil
// presses the button of the demonstration. It returns what was left after two searches, of which one was a repetition.
func buyInBrowser(b *tab, base string, width int64, scheme string, pay func(invoice string) string) {
	b.Helper()
	name := fmt.Sprintf("buy-%d-%s", width, scheme)
	b.look(base+"/search/?q=macaroon", width, scheme)
	b.text(`localStorage.clear(), sessionStorage.clear()`)
	b.look(base+"/search/?q=macaroon", width, scheme)
	b.until(`document.querySelector("#buy button.main")?.textContent.includes("100 searches for 100 sats")`)
	b.shot(name + "-1-offer")
	b.axe(name + ", offer")
	b.text(`document.querySelector("#buy button.main").focus()`)
	b.do("buy", chromedp.KeyEvent(kb.Enter))
	b.until(`!!document.querySelector("#buy svg.qr")`)
	b.shot(name + "-2-invoice")
	b.axe(name + ", invoice")
	if wide := b.text("document.documentElement.scrollWidth"); wide != fmt.Sprint(width) {
		b.Errorf("the page with the invoice is %s px wide at %d px", wide, width)
	}
	if pay == nil {
		b.onButton("Pay in the demonstration")
	} else {
		preimage := pay(b.text(`document.querySelector("#buy code").textContent`))
		b.text(`document.querySelector("#preimage").focus()`)
		b.do("type the preimage", chromedp.SendKeys("#preimage", preimage+"\r"))
	}
	b.until(`document.querySelectorAll(".passages blockquote").length > 3`) // the purchase completes itself
	b.until(`document.querySelector("#buy .left").textContent.includes("99 of 100")`)
	b.shot(name + "-3-passages")
	b.axe(name + ", passages")
	if wide := b.text("document.documentElement.scrollWidth"); wide != fmt.Sprint(width) {
		b.Errorf("the page with passages is %s px wide at %d px", wide, width)
	}
	if href := b.text(`document.querySelector(".passages blockquote a").getAttribute("href")`); len(href) == 0 {
		b.Error("a passage leads nowhere")
	}
	// A reload shows the answer again without a search, and the same search within a minute is not charged again.
	b.look(base+"/search/?q=macaroon", width, scheme)
	b.until(`document.querySelectorAll(".passages blockquote").length > 3`)
	b.text(`document.querySelector(".passages").replaceChildren()`)
	b.text(`document.querySelector("#q").focus()`)
	b.do("search", chromedp.KeyEvent(kb.Enter))
	b.until(`document.activeElement.textContent.includes(" for “macaroon”")`)
	b.look(base+"/search/", width, scheme)
	b.until(`document.querySelector("#buy .left")?.textContent.includes("99 of 100")`)
}

// TestBuyInDemo buys on the search page with the wallet of the demonstration, by keyboard, on screens of four widths,
// light and dark.
func TestBuyInDemo(t *testing.T) {
	b := newTab(t)
	p := startServe(t)
	for i, width := range []int64{320, 390, 768, 1280} {
		buyInBrowser(b, p.base, width, []string{"light", "dark"}[i%2], nil)
	}
	for i, width := range []int64{320, 390, 768, 1280} {
		scheme := []string{"dark", "light"}[i%2]
		b.look(p.base+"/library/entry/mqtt5/", width, scheme)
		b.until(`document.querySelector(".found a").getAttribute("href") == "/library/entry/mqtt-5/"`)
		b.shot(fmt.Sprintf("notfound-%d-%s", width, scheme))
		b.axe(fmt.Sprintf("the page of an unknown address at %d px, %s", width, scheme))
		b.look(p.base+"/", width, scheme)
		b.do("type", chromedp.SendKeys(".find input", "agent wallet"))
		b.until(`document.querySelectorAll(".found a").length == 9` /* eight and "Show more" */)
		b.shot(fmt.Sprintf("drop-%d-%s", width, scheme))
		if wide := b.text("Math.max(document.documentElement.scrollWidth, document.querySelector('.drop').getBoundingClientRect().right)"); wide != fmt.Sprint(width) {
			b.Errorf("the list below the box reaches %s px at %d px", wide, width)
		}
		if b.text(`document.querySelector(".drop").getBoundingClientRect().top >= document.querySelector(".find input").getBoundingClientRect().bottom`) != "true" {
			b.Errorf("the list covers the box at %d px", width)
		}
		b.do("choose", chromedp.KeyEvent(kb.ArrowDown))
		b.axe(fmt.Sprintf("the list below the box at %d px, %s", width, scheme))
		b.axe(fmt.Sprintf("the list below the box at %d px, %s", width, scheme))
	}
	b.look(p.base+"/search/", 1280, "light")
	if note := b.text(`document.querySelector("#buy").innerText`); !strings.Contains(note, "no real money moves") || !strings.Contains(note, "Demo mode: ") {
		t.Errorf("the demonstration does not say that it is one: %s", note)
	}
	b.text(`localStorage.clear()`)
	b.look(p.base+"/search/?q=x402", 1280, "light")
	b.text(`document.querySelector('#found [href="#buy"]').click()`)
	b.until(`document.activeElement.matches("#buy button")`)
}

// Bought without a question, the searches are used at once: the focus is in the box, whose Enter and whose button search the full text,
// and no price is in sight.
func TestBuyThenAsk(t *testing.T) {
	s, b := openShop(t)
	b.look(s.base+"/search/", 390, "light")
	b.onButton(buying)
	b.onButton(paying)
	b.until(`document.activeElement.id == "q"`)
	b.says("Demo mode: bought")
	b.says("100 searches left. Enter in this box searches the full text.")
	b.shot("buy-then-ask")
	b.axe("the box after a purchase")
	b.keys("macaroon")
	b.do("ask", chromedp.KeyEvent(kb.Enter))
	b.until(`document.querySelectorAll(".passages blockquote").length > 3 && document.activeElement.matches(".passages h2")`)
	b.until(`!!document.querySelector(".found a")`)
	b.says("99 searches left")
	if text := b.text(`document.querySelector("main").innerText`); strings.Contains(text, "100 sats") || strings.Count(text, "Search the full text") != 1 {
		t.Errorf("after the purchase the page has a price, or not one button that searches: %s", text)
	}
}

// TestBuyFromChallenge opens the paid search in the browser: the page has status 402 and the invoice of its own
// challenge. A preimage of another payment is refused before it is kept, and a wallet that speaks WebLN pays.
func TestBuyFromChallenge(t *testing.T) {
	b := newTab(t)
	p := startServe(t)
	s := &servertest.Client{T: t, URL: p.base}
	const accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	res, body := s.Do(http.MethodGet, "/v1/search?q=macaroon", "", "Accept", accept)
	if res.StatusCode != http.StatusPaymentRequired || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") || !strings.Contains(string(body), `id="buy"`) {
		t.Fatalf("a browser gets status %d, %s", res.StatusCode, res.Header.Get("Content-Type"))
	}
	for _, any := range []string{"*/*", "application/json"} {
		plain, _ := s.Do(http.MethodGet, "/v1/search?q=macaroon", "", "Accept", any)
		if got := plain.Header.Get("Content-Type"); got != problem.MediaType {
			t.Errorf("Accept: %s gets %s", any, got)
		}
		for _, scheme := range []string{"L402 ", "Payment "} {
			is := func(res *http.Response) bool {
				return slices.ContainsFunc(res.Header.Values("WWW-Authenticate"), func(v string) bool { return strings.HasPrefix(v, scheme) })
			}
			if !is(res) || !is(plain) {
				t.Errorf("no challenge of the scheme %s: browser %v, program %v", scheme, is(res), is(plain))
			}
		}
	}
	b.look(p.base+"/v1/search?q=macaroon", 390, "dark")
	b.until(`!!document.querySelector("#buy svg.qr") && document.querySelectorAll(".found a").length == 9`)
	b.shot("buy-challenge")
	b.axe("the page of a challenge")
	b.unfold()
	b.text(`document.querySelector("#preimage").focus()`)
	const proof = `document.querySelector("#preimage").value`
	b.keys("abc123")
	b.keys("a", "SelectAll")
	b.keys("c", "Copy")
	b.keys("v", "Paste", "Paste")
	if got := b.text(proof); got != "abc123abc123" {
		t.Errorf("typed and pasted, the proof is %q", got)
	}
	b.do("leave the field", chromedp.KeyEvent(kb.Tab))
	if got := b.text(`document.activeElement.textContent`); got != "Use it" {
		t.Errorf("Tab leads from the proof to %q", got)
	}
	b.text(proof + ` = ""`)
	b.do("type a preimage", chromedp.SendKeys("#preimage", strings.Repeat("ab", 32)+"\r"))
	b.until(`document.querySelector("#buy .said").textContent == "This preimage belongs to another payment."`)
	if b.text(`localStorage.getItem("almanac.credential")`) != "null" {
		t.Error("a preimage of another payment was kept")
	}
	// A reload keeps the invoice, which may have been paid meanwhile.
	before := b.text(`document.querySelector("#buy code").textContent`)
	b.look(p.base+"/search/?q=caveat", 390, "dark")
	b.until(`!!document.querySelector("#buy code")`)
	if after := b.text(`document.querySelector("#buy code").textContent`); after != before {
		t.Error("the invoice that is being paid was replaced by another")
	}
	b.text(`localStorage.clear()`)
	b.look(p.base+"/search/?q=caveat", 390, "dark")
	b.text(`(window.webln = {enable: async () => {}, sendPayment: async invoice => (await fetch("/demo/pay", {method: "POST", body: JSON.stringify({invoice})})).json()}, 0)`)
	b.onButton("Try it: buy")
	b.onButton("Pay with the wallet of this browser")
	b.until(`document.querySelector("#buy .left")?.textContent.includes("99 of 100 searches left")`)
}

// TestBuyOnSimnet buys on the search page with a real payment, whose preimage is pasted.
func TestBuyOnSimnet(t *testing.T) {
	b := newTab(t)
	net := simnet.Start(t)
	p := startServe(t, "-payments", "lnd", "-lnd-url", net.Merchant.URL, "-lnd-cert", net.Merchant.CertFile,
		"-lnd-macaroon", net.Merchant.MacaroonFile, "-lnd-network", net.Merchant.Network)
	buyInBrowser(b, p.base, 1280, "light", func(invoice string) string {
		preimage, err := net.Pay(t.Context(), invoice)
		if err != nil {
			t.Fatal(err)
		}
		return preimage
	})
	if note := b.text(`document.querySelector("#buy").innerText`); strings.Contains(note, "emo mode") {
		t.Errorf("a real installation speaks of a demonstration: %s", note)
	}
}
