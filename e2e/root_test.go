package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestServeBelowAPath: a person and a buyer's program use a service whose base address has a path: find as they type,
// buy in a browser, whose storage is of this path, and pay with almanac get, search and mcp.
func TestServeBelowAPath(t *testing.T) {
	b := newTab(t)
	address := fmt.Sprintf("localhost:%d", freePort(t))
	p := startServe(t, "-http", address, "-base-url", "http://"+address+"/docs/almanac")
	for path, text := range map[string]string{"/library/entry/mqtt-5/": `href="/docs/almanac/library/"`, "/api/entries/mqtt-5.json": p.base + "/", "/changes/feed.atom": p.base + "/", "/trust/": `href="/docs/almanac/`} {
		if status, body := p.get(path); status != http.StatusOK || !strings.Contains(body, text) {
			t.Errorf("%s: status %d, %q is not in it", path, status, text)
		}
	}
	buyInBrowser(b, p.base, 390, "light", nil)
	if keys := b.text(`Object.keys(localStorage).sort()`); keys != "almanac/docs/almanac.asked,almanac/docs/almanac.balance,almanac/docs/almanac.credential" {
		t.Errorf("the storage has %s", keys)
	}
	b.look(p.base+"/library/entry/mqtt5/", 390, "light")
	b.until(`document.querySelector(".found a").getAttribute("href") == "/docs/almanac/library/entry/mqtt-5/"`)
	b.until(`document.querySelector(".balance")?.getAttribute("href") == "/docs/almanac/search/#buy"`)
	b.do("type", chromedp.SendKeys(".find input", "agent wallet"))
	b.until(`document.querySelectorAll(".drop a").length == 9`)
	if outside := b.text(`[...document.querySelectorAll("a")].filter(a => a.origin == location.origin && !a.pathname.startsWith("/docs/almanac/")).length`); outside != "0" {
		t.Errorf("%s links leave the path", outside)
	}

	s := newShopper(t, "ALMANAC_WALLET=demo:"+p.base)
	s.want(0, []string{`"remaining":99`}, "get", p.base+"/v1/search?q=macaroon")
	s.want(0, []string{"98 requests are left"}, "search", "-at", p.base, "macaroon")
	h := startHost(t, s.command("mcp", p.base+"/mcp", "-max-day", "1000"))
	h.begin(map[string]any{})
	if text, failed := h.call("get_entry", map[string]any{"ids": []string{"mqtt-5"}}); failed || !strings.Contains(text, `"id":"mqtt-5"`) {
		t.Errorf("get_entry over the bridge: %s", text)
	}
	if text, failed := h.call("search_passages", map[string]any{"query": "macaroon"}); failed || !strings.Contains(text, "97 requests are left") {
		t.Errorf("search_passages over the bridge: %s", text)
	}
	if status := h.end(); status != 0 {
		t.Errorf("the bridge ended with status %d", status)
	}
}
