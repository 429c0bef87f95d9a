package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.almanac.example/internal/parttest"
	"go.almanac.example/server/servertest"
)

// viewPolicy is the policy that a host must set for a view that declares no domains (SEP-1865).
const viewPolicy = "default-src 'none'; script-src 'self' 'unsafe-inline'; " +
	"style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; connect-src 'none'; frame-src 'none'; object-src 'none'; base-uri 'self'"

// A host is a page that shows views by the reference implementation of hosts, in a browser.
type host struct {
	*tab
	s     *servertest.Client
	url   string
	view  string // the page that is shown
	shown struct {
		Input  json.RawMessage `json:"input"`
		Result json.RawMessage `json:"result"`
		Theme  string          `json:"theme"`
	}
}

func newHost(t *testing.T, s *servertest.Client) *host {
	t.Helper()
	dir := parttest.Cached(t, "setup-mcp.sh", "npm-mcp")
	bridge := filepath.Join(t.TempDir(), "bridge.js")
	bundle := exec.Command(filepath.Join(dir, "node_modules", ".bin", "node"), "node_modules/.bin/rolldown",
		"node_modules/@modelcontextprotocol/ext-apps/dist/src/app-bridge.js",
		"--file", bridge, "--format", "esm", "--platform", "browser")
	bundle.Dir = dir
	if out, err := bundle.CombinedOutput(); err != nil {
		t.Fatalf("bundle the host: %v\n%s", err, out)
	}
	h := &host{tab: newTab(t), s: s}
	page, err := os.ReadFile("testdata/host.html")
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { w.Write(page) })
	mux.HandleFunc("GET /bridge.js", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, bridge) })
	mux.HandleFunc("GET /call", func(w http.ResponseWriter, _ *http.Request) { json.NewEncoder(w).Encode(h.shown) })
	mux.HandleFunc("GET /view", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Security-Policy", viewPolicy)
		w.Write([]byte(h.view))
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	h.url = server.URL
	return h
}

// show calls a tool and shows the result in the tool's view.
func (h *host) show(tool, input, theme string, width int64, until string) {
	h.Helper()
	var tools struct {
		Result struct {
			Tools []struct {
				Name string
				Meta struct{ UI struct{ ResourceURI string } } `json:"_meta"`
			}
		}
	}
	if err := json.Unmarshal(h.s.RPC("tools/list", struct{}{}), &tools); err != nil {
		h.Fatal(err)
	}
	h.view = ""
	for _, listed := range tools.Result.Tools {
		if listed.Name == tool {
			h.view = h.s.Resource(listed.Meta.UI.ResourceURI)
		}
	}
	if h.view == "" || len(h.view) > 40<<10 {
		h.Fatalf("the view of %s has %d bytes", tool, len(h.view))
	}
	var answer struct{ Result json.RawMessage }
	called := h.s.RPC("tools/call", map[string]any{"name": tool, "arguments": json.RawMessage(input)})
	if err := json.Unmarshal(called, &answer); err != nil {
		h.Fatal(err)
	}
	h.shown.Input, h.shown.Result, h.shown.Theme = json.RawMessage(input), answer.Result, theme
	other := map[string]string{"light": "dark", "dark": "light"}[theme] // the host's theme wins
	h.look(h.url+"/", width, other)
	h.until(`!!window.view?.(` + fmt.Sprintf("%q", until) + `)`)
	h.until(`seen.sizes.length > 0`)
	if wide := h.text(`view("html").scrollWidth - view("html").clientWidth`); wide != "0" {
		h.Errorf("%s %s at %d px: the view is %s px too wide", tool, input, width, wide)
	}
	if loaded := h.text(`frame.contentWindow.performance.getEntriesByType("resource").length`); loaded != "0" {
		h.Errorf("%s: the view loads %s files", tool, loaded)
	}
	h.shot(fmt.Sprintf("view-%s-%d-%s", tool, width, theme))
	h.axeView(fmt.Sprintf("%s %s at %d px, %s", tool, input, width, theme))
}

// axeView reports what axe-core, with all its rules, finds wrong in the view.
func (h *host) axeView(where string) {
	h.Helper()
	script, err := os.ReadFile(parttest.Cached(h, "setup-pages.sh", "npm-pages", "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		h.Fatal(err)
	}
	source, err := json.Marshal(string(script))
	if err != nil {
		h.Fatal(err)
	}
	h.text(`(s => { s.textContent = ` + string(source) + `; view("head").append(s); })(
		frame.contentDocument.createElement("script"))`)
	h.runAxe("frame.contentWindow", where)
}

// TestViewOfFacts: the view of get_protocol_facts shows every value and source of its result, on a phone and a desk,
// light and dark, loads nothing, and opens sources by way of the host.
func TestViewOfFacts(t *testing.T) {
	h := newHost(t, &servertest.Client{T: t, URL: startServe(t).base})
	inputs := []string{
		`{}`, `{"protocols":["l402","x402"]}`, `{"fields":["refund","fees"],"evidence":true}`,
		`{"protocols":["x402"],"fields":["networks"],"match":"usdc"}`,
	}
	for i, input := range inputs {
		for _, width := range []int64{320, 1280} {
			h.show("get_protocol_facts", input, []string{"light", "dark"}[i%2], width, "table")
			if missing := h.text(`missing().join("\n")`); missing != "" {
				t.Errorf("%s: the view lacks %s", input, missing)
			}
		}
	}
	h.text(`view("sup a, ol a").click()`)
	h.until(`seen.links.length == 1 && seen.links[0].startsWith("https://")`)
	h.until(`view("html").style.colorScheme == "dark"`)
	h.text(`(repaint("light"), 0)`)
	h.until(`view("html").style.colorScheme == "light"`)
	h.text(`(leave().then(() => (window.left = true)), 0)`)
	h.until(`window.left`)
	h.show("get_protocol_facts", `{"protocols":["no-such-protocol"]}`, "dark", 320, ".text")
}

// TestViewOfPayment: the view of search_passages asks a person before a payment, has the invoice as a QR code, checks a
// pasted proof, passes it and a refusal to the assistant only, and shows what the paid search found.
func TestViewOfPayment(t *testing.T) {
	s := &servertest.Client{T: t, URL: startServe(t).base}
	h := newHost(t, s)
	const query = `{"query":"macaroon caveats"}`
	for _, width := range []int64{320, 1280} {
		h.show("search_passages", query, map[int64]string{320: "dark", 1280: "light"}[width], width, "svg.qr")
	}
	var shown struct {
		StructuredContent struct {
			Required servertest.Challenge `json:"payment_required"`
		}
	}
	if err := json.Unmarshal(h.shown.Result, &shown); err != nil {
		t.Fatal(err)
	}
	c := shown.StructuredContent.Required
	offer := fmt.Sprintf("Pay %d sats for %d searches?", c.PriceSats, c.Credits)
	if text := h.text(`view("main").innerText`); !strings.Contains(text, offer) || !strings.Contains(text, c.Invoice) {
		t.Errorf("the view says %s", text)
	}
	press := func(label string) {
		const find = `[...view("main").querySelectorAll("button")].find(b => b.textContent == %q).click()`
		h.text(fmt.Sprintf(find, label))
	}
	send := func(proof string) {
		h.text(fmt.Sprintf(`view("#preimage").value = %q`, proof))
		press("Send it to the assistant")
	}
	press("Open a wallet")
	h.until(fmt.Sprintf(`seen.links[0] == "lightning:" + %q`, c.Invoice))
	send("proof")
	h.until(`view(".said").textContent.includes("64 hexadecimal digits")`)
	send(strings.Repeat("ab", 32))
	h.until(`view(".said").textContent.includes("another payment")`)
	press("Don’t pay")
	h.until(`seen.messages.length == 1 && seen.messages[0].includes("do not want to pay")`)

	order, err := json.Marshal(map[string]string{"invoice": c.Invoice})
	if err != nil {
		t.Fatal(err)
	}
	_, body := s.Do(http.MethodPost, "/demo/pay", string(order), "Content-Type", "application/json")
	preimage := servertest.Decode[struct{ Preimage string }](t, body).Preimage
	credential := c.Macaroon + ":" + preimage
	send(preimage)
	h.until(fmt.Sprintf(`seen.messages.length == 2 && seen.messages[1].endsWith(%q)`, credential))
	h.until(`view(".said").textContent == "The assistant has the proof of payment."`)
	h.text(`(window.refuse = true, 0)`)
	send(preimage)
	h.until(`view(".said code")?.textContent.includes("search_passages")`)

	paid := `{"query":"macaroon caveats","l402":"` + credential + `"}`
	h.show("search_passages", paid, "light", 320, "article blockquote")
	text := h.text(`view("main").innerText`)
	if !strings.Contains(text, "99 searches left") || strings.Contains(text, preimage) {
		t.Errorf("the view of the results says %.300s", text)
	}
	h.show("search_passages", `{"l402":"`+credential+`"}`, "dark", 320, ".text")
}
