package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// A visitor does a task from the home page, and counts the clicks and the screens that pass before the next place is in sight.
type visitor struct {
	*tab
	shop    *shop
	clicks  int
	screens float64
}

// reach scrolls to an element.
func (v *visitor) reach(selector string) {
	v.Helper()
	v.until(fmt.Sprintf("!!document.querySelector(%q)?.getClientRects().length", selector))
	var passed float64
	fmt.Sscan(v.text(fmt.Sprintf(`(e => {
		const r = e.getBoundingClientRect(), h = innerHeight;
		e.scrollIntoView({block: "nearest"});
		return Math.max(0, -r.top, Math.min(r.top, r.bottom - h)) / h;
	})(document.querySelector(%q))`, selector)), &passed)
	v.screens += passed
}

func (v *visitor) click(selector string) {
	v.Helper()
	v.reach(selector)
	v.do("click "+selector, chromedp.Click(selector))
	v.clicks++
}

// write clicks into a field and writes a text.
func (v *visitor) write(selector, text string) {
	v.Helper()
	v.click(selector)
	v.do("write", chromedp.SendKeys(selector, text))
}

// sees reaches an element that has a text.
func (v *visitor) sees(selector, text string) {
	v.Helper()
	v.until(fmt.Sprintf("document.querySelector(%q)?.innerText.includes(%q)", selector, text))
	v.reach(selector)
}

const l402Card = `.cards a[href="/protocols/l402/"]`

// tasks are what people come for, in the order of docs/figures.md; the purchase comes before its uses.
var tasks = []struct {
	name string
	do   func(v *visitor)
}{
	{"L402's status code", func(v *visitor) {
		v.write(".find input", "status code l402")
		v.sees(".drop .found li", "402")
	}},
	{"compare any three protocols", func(v *visitor) {
		v.click(`.cards a[href="/protocols/compare/?protocols=l402"]`)
		v.click(".glance [value=ap2]")
		v.click(".glance [value=ucp]")
		v.until(`[...document.querySelectorAll("thead [data-protocol]")].filter(e => e.offsetParent).map(e => e.dataset.protocol).join() == "l402,ap2,ucp"`)
		v.reach("[data-row=rail]")
	}},
	{"what changed in the last month", func(v *visitor) {
		v.click(`.mast a[href="/history/"]`)
		v.sees("main section h2", "2026")
		v.sees(`.news li:has(a[href="/protocols/l402/"])`, "L402")
	}},
	{"the evidence of a fact", func(v *visitor) {
		v.click(l402Card)
		v.click(`a[href="/evidence/protocol.l402/#http_status_codes"]`)
		v.sees("section:has(#http_status_codes) blockquote", "401")
	}},
	{"buy with a phone's wallet", func(v *visitor) {
		v.click("#sale a")
		v.click("#buy button.main")
		v.reach("#buy svg.qr")
		v.write("#preimage", v.shop.pay(v.text(`document.querySelector("#buy code").textContent`)))
		v.sees("#buy .left", "100 of 100")
	}},
	{"find again what was bought", func(v *visitor) {
		v.click(".mast .balance")
		v.sees("#buy .left", "100 of 100")
	}},
	{"use it with curl", func(v *visitor) {
		v.click(".mast .balance")
		v.click(".pass summary")
		v.sees(".pass .line + .line pre", "curl -H @")
	}},
	{"use it on another device", func(v *visitor) {
		credential := v.text(`(c => c.macaroon + ":" + c.preimage)(JSON.parse(localStorage.getItem("almanac.credential"))[0])`)
		v.text("localStorage.clear()")
		v.home()
		v.click("#sale a")
		v.click("#buy details:has(#credential) summary")
		v.write("#credential", "Authorization: L402 "+credential)
		v.click("#buy details:has(#credential) button")
		v.click("dialog[open] button")
		v.sees("#buy .left", "100 of 100")
	}},
	{"subscribe", func(v *visitor) {
		v.click(`.foot a[href="/changes/feed.atom"]`)
		v.until(`location.pathname == "/changes/feed.atom"`)
	}},
	{"download a dataset", func(v *visitor) {
		v.click(`.start a[href="/datasets/"]`)
		v.click(`h2 a[href="/datasets/library/"]`)
		v.click(`a[download][href$=".csv"]`)
	}},
	{"cite an entry", func(v *visitor) {
		v.click(`#browse + .pair a[href^="/library/entry/"]`)
		v.click(".cite summary")
		v.sees(".cite pre", "@misc")
	}},
	{"report an error", func(v *visitor) {
		v.click(l402Card)
		v.reach(`.head a[href^="https://tracker.example/"]`)
		v.clicks++ // it leaves the site
		if href := v.text(`document.querySelector('.head a[href^="https://tracker.example/"]').href`); !strings.Contains(href, "L402") || !strings.Contains(href, "protocols%2Fl402") {
			v.Errorf("the report does not name its page: %s", href)
		}
	}},
	{"connect an MCP host", func(v *visitor) {
		v.click(`.start a[href="/connect/"]`)
		v.sees("section:has(#claude-code) pre", "claude mcp add ")
	}},
	{"share a fact", func(v *visitor) {
		v.click(l402Card)
		v.click(`.toc a[href="#http_status_codes"]`)
		v.until(`location.hash == "#http_status_codes"`)
	}},
}

func (v *visitor) home() { v.do("open the home page", chromedp.Navigate(v.shop.base+"/")) }

// TestPageTasks does each task on a phone and at a desk, with no more clicks than docs/figures.md says.
func TestPageTasks(t *testing.T) {
	b := newTab(t)
	data := filepath.Join(t.TempDir(), "fixtures")
	if err := os.CopyFS(data, os.DirFS("../fixtures")); err != nil {
		t.Fatal(err)
	}
	site := filepath.Join(data, "site.json")
	identity, err := os.ReadFile(site)
	if err != nil {
		t.Fatal(err)
	}
	identity = bytes.Replace(identity, []byte(`"report": ""`), []byte(`"report": "https://tracker.example/new?title={title}&body={address}"`), 1)
	if err := os.WriteFile(site, identity, 0o600); err != nil {
		t.Fatal(err)
	}
	figures, err := os.ReadFile("../docs/figures.md")
	if err != nil {
		t.Fatal(err)
	}
	s := &shop{TB: t, base: startServe(t, "-fixtures", data).base}
	screens := make(map[string][]string)
	for _, width := range []int64{390, 1280} {
		b.look(s.base+"/", width, "light")
		b.text("localStorage.clear()")
		for _, task := range tasks {
			v := &visitor{tab: b, shop: s}
			v.home()
			task.do(v)
			screens[task.name] = append(screens[task.name], fmt.Sprintf("%.1f", v.screens))
			want := regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(task.name) + ` \| [^|]+ \| (\d+) \|`).FindSubmatch(figures)
			if want == nil || string(want[1]) != fmt.Sprint(v.clicks) {
				t.Errorf("%s at %d px: %d clicks, and docs/figures.md says %q", task.name, width, v.clicks, want)
			}
			if len(screens[task.name]) == 2 {
				t.Logf("| %s | %d | %s |", task.name, v.clicks, strings.Join(screens[task.name], " | "))
			}
		}
	}
}
