package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/http402/testvectors"
)

// responseOf returns a shape as a newcomer would paste it.
func responseOf(s *testvectors.Shape) string {
	if s.Transport != "http" {
		return string(s.Message)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "HTTP/1.1 %d Payment Required\r\n", s.Status)
	for _, line := range s.Headers {
		fmt.Fprintf(&b, "%s: %s\r\n", line[0], line[1])
	}
	return b.String() + "\r\n" + s.Body
}

// TestOneExplanation: a 402 of x402, one of MPP over MCP and one as aperture writes it have the same explanation on the
// page into which they were pasted, by the command, by the tool and by the address for programs.
func TestOneExplanation(t *testing.T) {
	p := startServe(t, "-fixtures", "")
	base := "http://" + p.serving["http"].(string)
	client, err := mcp.NewClient(&mcp.Implementation{Name: "newcomer", Version: "1"}, nil).
		Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: base + "/mcp", DisableStandaloneSSE: true}, nil)
	must(t, err)
	defer client.Close()
	b := newTab(t)
	shapes := testvectors.Shapes()
	wanted := map[string]string{"x402-v2": "x402", "mcp-payment": "payment", "lsat-l402": "l402"}
	for _, s := range shapes {
		scheme := wanted[s.ID]
		if scheme == "" {
			continue
		}
		text := responseOf(&s)
		cmd := command(t, "explain", "-json", "-")
		cmd.Stdin = strings.NewReader(text)
		byCommand, err := cmd.Output()
		must(t, err)

		b.look(base+"/explain/", 390, "light")
		b.text(`document.querySelector("#text").focus()`)
		_, err = chromedp.Call(b.ctx, input.InsertText, input.InsertTextParams{Text: text})
		must(t, err)
		b.do("press Explain", chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Enter))
		b.until(`!!document.querySelector("#reading ~ * code")`)
		pasted := b.text(`[...document.querySelectorAll(".reading-of code")].find(c => c.textContent.startsWith("{")).textContent`)
		b.shot("explain-" + s.ID)

		res, err := http.Post(base+"/v1/explain", "text/plain", strings.NewReader(text))
		must(t, err)
		posted := readAll(t, res)

		result, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "explain_402", Arguments: map[string]any{"text": text}})
		must(t, err)
		byTool, err := json.Marshal(result.StructuredContent)
		must(t, err)

		want := decoded(t, string(byCommand))
		for way, got := range map[string]string{"page": pasted, "address": posted, "tool": string(byTool)} {
			if diff := cmp.Diff(want, decoded(t, got)); diff != "" {
				t.Errorf("%s: command and %s differ (-command +%s):\n%s", s.ID, way, way, diff)
			}
		}
		offers, _ := want["offers"].([]any)
		if want["kind"] != "challenge" || len(offers) == 0 || offers[0].(map[string]any)["scheme"] != scheme {
			t.Errorf("%s: the reading is %v, want an offer of %s", s.ID, want, scheme)
		}
		delete(wanted, s.ID)
	}
	if len(wanted) > 0 {
		t.Errorf("no shapes %v", wanted)
	}
}

func readAll(t *testing.T, res *http.Response) string {
	t.Helper()
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	must(t, err)
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %s", res.Request.URL, res.Status, b)
	}
	return string(b)
}

func decoded(t *testing.T, s string) (v map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		t.Fatalf("%v: %.300s", err, s)
	}
	return v
}
