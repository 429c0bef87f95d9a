package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"go.almanac.example/server/servertest"
)

// A shop is a service behind a proxy that can fail, or change answers.
type shop struct {
	testing.TB
	base string

	mu      sync.Mutex
	status  map[string]int                          // by path: what the proxy answers itself
	rewrite map[string]func(members map[string]any) // by path: changes the JSON of an answer
	asked   map[string]int                          // requests by path
}

// openShop starts a service, and a tab that has not bought anything there.
func openShop(t *testing.T) (*shop, *tab) {
	t.Helper()
	s := &shop{TB: t, status: make(map[string]int), rewrite: make(map[string]func(map[string]any)), asked: make(map[string]int)}
	target, err := url.Parse(startServe(t).base)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(target) },
		ModifyResponse: s.change,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.asked[r.URL.Path]++
		status := s.status[r.URL.Path]
		s.mu.Unlock()
		if status == 0 {
			r.Header.Del("Accept-Encoding") // so that answers can be changed
			proxy.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/problem+json")
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(status)
		fmt.Fprint(w, `{"title":"The index is away","detail":"It is being built.","code":"overloaded"}`)
	}))
	t.Cleanup(server.Close)
	s.base = server.URL
	return s, newTab(t)
}

func (s *shop) change(res *http.Response) error {
	s.mu.Lock()
	change := s.rewrite[res.Request.URL.Path]
	s.mu.Unlock()
	if change == nil || !strings.Contains(res.Header.Get("Content-Type"), "json") {
		return nil
	}
	var members map[string]any
	if err := json.NewDecoder(res.Body).Decode(&members); err != nil {
		return err
	}
	change(members)
	body, err := json.Marshal(members)
	res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	res.Header.Set("Content-Length", fmt.Sprint(len(body)))
	return err
}

// fail lets the proxy answer a path with a status; 0 ends that.
func (s *shop) fail(path string, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status[path] = status
}

// alter lets the proxy change the JSON of the answers at a path; nil ends that.
func (s *shop) alter(path string, change func(map[string]any)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rewrite[path] = change
}

func (s *shop) requests(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[path]
}

// pay pays an invoice elsewhere than in the browser, and returns the preimage.
func (s *shop) pay(invoice string) string {
	s.Helper()
	c := &servertest.Client{T: s.TB.(*testing.T), URL: s.base}
	_, body := c.Do(http.MethodPost, "/demo/pay", `{"invoice":"`+invoice+`"}`, "Content-Type", "application/json")
	var paid struct{ Preimage string }
	if err := json.Unmarshal(body, &paid); err != nil || paid.Preimage == "" {
		s.Fatalf("the demo wallet answers %s", body)
	}
	return paid.Preimage
}

// beforeScripts runs a script on every page before its own scripts.
func (b *tab) beforeScripts(script string) {
	b.Helper()
	if _, err := chromedp.Call(b.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script}); err != nil {
		b.Fatal(err)
	}
}

// says waits until the page says a text to people.
func (b *tab) says(text string) {
	b.Helper()
	b.until(fmt.Sprintf(`document.querySelector("main").innerText.includes(%q)`, text))
}

// press presses a button of the page or of its dialog by its label.
func (b *tab) press(label string) {
	b.Helper()
	find := fmt.Sprintf(`[...document.querySelectorAll("dialog[open] button, main > .find button, #buy button")].find(b => b.textContent.startsWith(%q))`, label)
	b.until("!!" + find)
	b.text(find + ".click()")
}

const (
	buying  = "Try it: buy"
	paying  = "Pay in the demonstration"
	invoice = `document.querySelector("#buy .invoice code").textContent`
)

// order opens the search page for a query and asks for an invoice, which it returns.
func (b *tab) order(s *shop, query string) string {
	b.Helper()
	b.look(s.base+"/search/?q="+query, 390, "light")
	b.press(buying)
	b.until(`!!document.querySelector("#buy .invoice code")`)
	b.unfold()
	return b.text(invoice)
}

// unfold shows the invoice itself and the field for its proof, which a demonstration folds.
func (b *tab) unfold() {
	b.text(`document.querySelector("#buy .invoice details:not([open]) summary")?.click()`)
}

// buy buys without a search.
func (b *tab) buy(s *shop) {
	b.Helper()
	b.order(s, "")
	b.press(paying)
	b.says("100 of 100 searches left")
}

// A page without scripts shows an invoice only with its macaroon, and with commands that buy and search when they are typed.
func TestBuyByHand(t *testing.T) {
	s, b := openShop(t)
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	b.look(s.base+"/search/", 390, "light")
	if text := b.text(`document.querySelector("#buy").textContent`); strings.Contains(text, "lnbc") || !strings.Contains(text, "curl -s '") {
		t.Errorf("without a challenge there is an invoice, or no command: %s", text)
	}
	b.look(s.base+"/v1/search?q=macaroon", 390, "light")
	b.shot("buy-noscript")
	lines := strings.Split(b.text(`[...document.querySelectorAll("#buy :not(details) > pre")].map(e => e.textContent).join("\n")`), "\n")
	if len(lines) != 2 {
		t.Fatalf("the page has the commands %q, want one that pays and one that searches", lines)
	}
	run := func(line string) string {
		out, err := exec.Command("sh", "-c", strings.Replace(line, "curl ", "curl -s ", 1)).Output()
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		return string(out)
	}
	var paid struct{ Preimage string }
	if err := json.Unmarshal([]byte(run(lines[0])), &paid); err != nil {
		t.Fatal(err)
	}
	if found := run(strings.Replace(lines[1], "PREIMAGE", paid.Preimage, 1)); !strings.Contains(found, `"passages"`) || !strings.Contains(found, `"remaining":99`) {
		t.Errorf("the command that searches gets %.300s", found)
	}
}

// Where the browser refuses storage, the page says so, sells, searches, and asks for a download; no other page fails.
func TestBlockedStorage(t *testing.T) {
	s, b := openShop(t)
	b.beforeScripts(`Object.defineProperty(window, "localStorage", {get() { throw new DOMException("blocked", "SecurityError") }});
		errors = []; addEventListener("error", e => errors.push(e.message)); addEventListener("unhandledrejection", e => errors.push(String(e.reason)))`)
	b.order(s, "macaroon")
	b.says("This browser blocks storage for this site")
	b.press(paying)
	b.until(`document.querySelectorAll(".passages blockquote").length > 3`)
	b.says("Download it before you close the page")
	b.says("99 of 100 searches left")
	b.axe("a purchase that is not stored")
	b.shot("buy-blocked")
	if file := b.download("Download the credential"); !strings.HasPrefix(file, "Authorization: L402 ") {
		t.Errorf("the download is %q", file)
	}
	if errors := b.text("errors.join()"); errors != "" {
		t.Errorf("the page has errors: %s", errors)
	}
}

// A storage that fills up between the invoice and the payment loses neither.
func TestFullStorage(t *testing.T) {
	s, b := openShop(t)
	b.beforeScripts(`full = false; const set = Storage.prototype.setItem;
		Storage.prototype.setItem = function (...a) { if (full) throw new DOMException("full", "QuotaExceededError"); set.apply(this, a) }`)
	b.order(s, "macaroon")
	b.text("full = true")
	b.press(paying)
	b.until(`document.querySelectorAll(".passages blockquote").length > 3`)
	b.says("storage is full, so your credential is in this page alone")
	b.says("99 of 100 searches left")
	if b.text(`localStorage.getItem("almanac.invoice").includes("macaroon")`) != "true" {
		t.Error("the macaroon left the storage before the credential was in it")
	}
}

// offline takes the tab off the network, or back onto it.
func (b *tab) offline(off bool) {
	b.Helper()
	rule := &network.Conditions{Offline: off, DownloadThroughput: -1, UploadThroughput: -1}
	cut := network.EmulateNetworkConditionsByRuleParams{MatchedNetworkConditions: []*network.Conditions{rule}}
	if _, err := chromedp.Call(b.ctx, network.EmulateNetworkConditionsByRule, cut); err != nil {
		b.Fatal(err)
	}
	state := network.OverrideNetworkStateParams{Offline: off, DownloadThroughput: -1, UploadThroughput: -1}
	if _, err := chromedp.Call(b.ctx, network.OverrideNetworkState, state); err != nil {
		b.Fatal(err)
	}
	b.until(fmt.Sprintf("navigator.onLine == %v", !off))
}

// balanceStored holds when the server's answer about the first credential is stored.
const balanceStored = `JSON.parse(localStorage.getItem("almanac.credential"))[0].left == 100`

// A proof of payment that arrives while the browser is offline is kept, and works when it is online again. Every page
// has its searches in the header, before the server was asked about them.
func TestPaidOffline(t *testing.T) {
	s, b := openShop(t)
	preimage := s.pay(b.order(s, ""))
	b.offline(true)
	b.do("paste the proof", chromedp.SendKeys("#preimage", preimage))
	b.says("Your credential stays in this browser")
	b.says("100 of 100 searches left")
	b.offline(false)
	b.until(balanceStored)
	b.says("100 of 100 searches left")

	b.text("localStorage.clear()")
	preimage = s.pay(b.order(s, ""))
	s.fail("/v1/credits", http.StatusServiceUnavailable)
	b.do("paste the proof", chromedp.SendKeys("#preimage", preimage))
	b.says("Your credential stays in this browser")
	b.look(s.base+"/protocols/", 390, "light")
	b.until(`document.querySelector(".mast .balance")?.textContent == "100 searches left"`)
}

// Another tab that removes the invoice or the credential takes nothing from this one.
func TestRemovedInAnotherTab(t *testing.T) {
	s, b := openShop(t)
	before := b.order(s, "")
	ctx, stop := chromedp.NewContext(b.ctx)
	defer stop()
	other := &tab{t, ctx}
	other.look(s.base+"/protocols/", 390, "light")
	other.text(`localStorage.removeItem("almanac.invoice")`)
	b.says("Another tab removed this invoice.")
	b.shot("buy-removed")
	if b.text(invoice) != before {
		t.Error("the invoice is gone")
	}
	b.press(paying)
	b.says("100 of 100 searches left")
	b.until(balanceStored) // the page stores nothing more
	other.text(`localStorage.clear()`)
	b.says("Another tab removed the credential.")
	b.press("Put it back")
	b.says("100 of 100 searches left")
	if other.text(`localStorage.getItem("almanac.credential").includes("preimage")`) != "true" {
		t.Error("the credential is not stored again")
	}
}

// An invoice counts down, and says when it is over; a new one takes its place, and the proof for the old one still counts.
func TestExpiredInvoice(t *testing.T) {
	s, b := openShop(t)
	b.look(s.base+"/search/", 390, "light")
	b.press(buying)
	b.says("The invoice expires in")
	old := b.text(invoice)
	b.unfold()
	b.text(`Date.now = () => new Date().getTime() + 36e5`) // an hour passes
	b.says("This invoice expired at")
	b.axe("an expired invoice")
	b.shot("buy-expired")
	if b.text(`!document.querySelector("#buy svg.qr") && !document.querySelector("#buy a[href^='lightning:']")`) != "true" {
		t.Error("an expired invoice can still be paid from the page")
	}
	b.text(`Date.now = () => new Date().getTime()`)
	b.press("Make a new invoice")
	b.says("1 earlier invoice of this browser")
	if b.text(invoice) == old {
		t.Error("the old invoice is shown again")
	}
	b.do("paste the proof of the old invoice", chromedp.SendKeys("#preimage", "Preimage: "+s.pay(old)+" (settled)"))
	b.says("100 of 100 searches left")
}

// A credential counts down to its end. One that is used up or expired says so, stays, and a press buys another.
func TestSpentInBrowser(t *testing.T) {
	s, b := openShop(t)
	b.buy(s)
	b.says("Expires in 30 days")
	s.alter("/v1/credits", func(m map[string]any) {
		m["valid_until"] = time.Now().Add(90 * time.Minute).UTC().Format(time.RFC3339)
	})
	b.look(s.base+"/search/", 390, "light")
	b.says("Expires in 89 minutes")
	b.says("Buy 100 more for 100 sats")
	s.alter("/v1/credits", nil)
	value := b.text(`JSON.parse(localStorage.getItem("almanac.credential")).map(c => c.macaroon + ":" + c.preimage)[0]`)
	c := &servertest.Client{T: t, URL: s.base}
	for range 99 {
		c.Do(http.MethodGet, "/v1/search?q=macaroon", "", "Authorization", "L402 "+value)
	}
	b.look(s.base+"/search/?q=preimage", 390, "light")
	b.says("1 of 100 searches left")
	c.Do(http.MethodGet, "/v1/search?q=macaroon", "", "Authorization", "L402 "+value)
	b.press("Search the full text")
	b.says("Its searches are used up.")
	b.axe("a credential that is used up")
	b.shot("buy-used-up")
	b.press("Buy 100 more for 100 sats")
	b.press(paying)
	b.says("99 of 100 searches left") // the page goes on with the search that was refused
	if n := b.text(`JSON.parse(localStorage.getItem("almanac.credential")).length`); n != "2" {
		t.Errorf("the browser has %s credentials, want the old and the new", n)
	}
	b.text(`localStorage.setItem("almanac.credential", JSON.stringify(JSON.parse(localStorage.getItem("almanac.credential")).map(c => ({...c, until: "2026-01-02T03:04:05Z"}))))`)
	s.fail("/v1/credits", http.StatusServiceUnavailable)
	b.look(s.base+"/search/", 390, "light")
	b.says("Expired on 2 January 2026.")
	b.says("Your credential stays in this browser")
}

// download presses a button and returns the file that the browser saves.
func (b *tab) download(label string) string {
	b.Helper()
	dir := b.TempDir()
	_, err := chromedp.Call(b.ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: dir})
	if err != nil {
		b.Fatal(err)
	}
	b.press(label)
	path := filepath.Join(dir, "almanac-credential.txt")
	var text []byte
	servertest.WaitUntil(b.TB.(*testing.T), path+" is downloaded", func() bool {
		text, err = os.ReadFile(path)
		return err == nil && len(text) > 0
	})
	return string(text)
}

// A credential leaves the browser masked until a press, as a file, a link for a phone and commands, and enters another after a free
// balance request and a question. It replaces nothing there.
func TestCredentialMoves(t *testing.T) {
	s, b := openShop(t)
	b.buy(s)
	b.text(`document.querySelector(".pass summary").click()`)
	secret := b.text(`JSON.parse(localStorage.getItem("almanac.credential"))[0].preimage`)
	if strings.Contains(b.text(`document.documentElement.outerHTML`), secret) {
		t.Error("the page shows the credential unasked")
	}
	b.axe("a masked credential")
	b.press("Show the credential")
	b.until(fmt.Sprintf(`document.querySelector(".pass").innerText.includes(%q)`, secret))
	b.press("Hide the credential")
	b.until(fmt.Sprintf(`!document.querySelector(".pass").innerText.includes(%q)`, secret))

	file := b.download("Download")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "almanac-credential.txt"), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.text(`[...document.querySelectorAll(".line pre")].map(e => e.textContent).join("\n")`), "\n")
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	shell := func(line string) string {
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(program)+":"+os.Getenv("PATH"))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v: %s", line, err, out)
		}
		return string(out)
	}
	commands := 0
	for _, line := range lines {
		if strings.HasPrefix(line, "curl ") || strings.HasPrefix(line, "almanac ") {
			commands++
			if out := shell(line); !strings.Contains(out, `"passages"`) && !strings.Contains(out, "is presented to") {
				t.Errorf("%s: %.300s", line, out)
			}
		}
	}
	if commands != 3 {
		t.Errorf("%d commands in %q, want 3", commands, lines)
	}

	b.press("Show a code for my phone")
	b.until(`!!document.querySelector("dialog[open] svg.qr")`)
	b.axe("the code for a phone")
	b.shot("buy-phone")
	b.press("Close")

	b.look(s.base+"/", 1280, "light")
	b.until(`document.querySelector(".mast .balance")?.textContent == "100 searches left"`) // as last seen here
	asked := s.requests("/v1/credits")
	b.look(s.base+"/protocols/", 1280, "light")
	b.until(`!!document.querySelector(".mast .balance")`)
	b.text(`localStorage.clear(), sessionStorage.clear()`)
	b.look(s.base+"/search/", 390, "light")
	b.until(`!!document.querySelector("#buy button")`)
	if b.text(`document.querySelector(".balance")`) != "null" || s.requests("/v1/credits") != asked {
		t.Error("a page asks for a balance that it does not need")
	}

	// By paste: a wrong one changes nothing, a right one is checked and asked about.
	b.text(`document.querySelector("#credential").closest("details").open = true`)
	b.do("paste a wrong credential", chromedp.SendKeys("#credential", strings.Replace(file, secret, strings.Repeat("ab", 32), 1)))
	b.press("Check and add")
	b.says("Nothing was added or replaced.")
	if b.text(`localStorage.getItem("almanac.credential")`) != "null" {
		t.Error("a credential that the server refuses was added")
	}
	b.text(`document.querySelector("#credential").value = ""`)
	b.do("paste the credential", chromedp.SendKeys("#credential", file))
	b.press("Check and add")
	b.until(`document.querySelector("dialog[open]")?.innerText.includes("98 searches left")`)
	b.press("Add it")
	b.says("98 of 100 searches left")
	b.press("Check and add")
	b.text(`localStorage.clear()`)

	// By the link of the code, which leaves the address bar, beside a credential that is there.
	b.buy(s)
	macaroon, _, _ := strings.Cut(strings.TrimPrefix(file, "Authorization: L402 "), ":")
	macaroon = strings.NewReplacer("+", "-", "/", "_", "=", "").Replace(macaroon)
	b.look("about:blank", 390, "light")
	b.look(s.base+"/search/#l402="+macaroon+":"+secret, 390, "light")
	b.until(`document.querySelector("dialog[open]")?.innerText.includes("This browser already has 100 searches; both stay")`)
	if hash := b.text("location.hash"); hash != "" {
		t.Errorf("the address still has %s", hash)
	}
	b.press("Add it")
	b.until(`document.querySelectorAll(".pass").length == 2`)
	b.until(`document.querySelector(".mast .balance").textContent == "198 searches left"`)
	b.shot("buy-two")
}
