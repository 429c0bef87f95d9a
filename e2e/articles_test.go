package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"go.almanac.example/catalog"
	"go.almanac.example/internal/parttest"
	"go.almanac.example/server"
)

// TestArticleCommands: the shell commands of every article run against a service that was just started, one after the
// other, and print what the text says.
func TestArticleCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	for _, tool := range []string{"bash", "curl", "jq", "xxd", "sha256sum"} {
		parttest.Everyday(t, tool)
	}
	p := startServe(t, "-fixtures", "")
	source := server.Source{Dir: "../fixtures", Terms: catalog.DefaultTerms}
	cat, err := source.Load(catalog.Site{Base: p.base, API: p.base, MCP: p.base}, catalog.PaymentsLive)
	if err != nil {
		t.Fatal(err)
	}
	wants := map[string][]string{
		"how-an-l402-purchase-runs":                  {`HTTP/1.1 402 Payment Required`, `(?m)^([0-9a-f]{64})  -$`, `X-Credit-Balance: 99`, `"remaining": ?99`, `"remaining": ?98`},
		"one-status-code-four-ways-to-ask-for-money": {"(?m)^l402\thttps://", "(?m)^x402\thttps://", "(?m)^mpp\thttps://"},
		"buying-goods-with-ap2-acp-and-ucp":          {`"id": "ap2"`, `"id": "acp"`, `"id": "ucp"`},
		"naming-a-network-without-ambiguity":         {`0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913`},
		"publishing-data-for-agents":                 {`(?m)^304$`},
		"staying-in-step-with-the-catalogue":         {"(?m)^2026-11-21\t[0-9]+$"},
	}
	for _, a := range cat.Articles() {
		blocks := shellBlocks(a.Body)
		if len(blocks) == 0 {
			continue
		}
		want := wants[a.ID]
		delete(wants, a.ID)
		t.Run(a.ID, func(t *testing.T) {
			cmd := exec.Command("bash", "-euo", "pipefail", "-c", strings.Join(blocks, "\n"))
			cmd.Dir = t.TempDir()
			out, err := cmd.CombinedOutput()
			if err != nil || len(want) == 0 {
				t.Fatalf("%v, with %d expectations\n%s", err, len(want), out)
			}
			for _, w := range want {
				if !regexp.MustCompile(w).Match(out) {
					t.Errorf("the output does not have %s:\n%s", w, out)
				}
			}
			if hash := regexp.MustCompile(`(?m)^([0-9a-f]{64})  -$`).FindSubmatch(out); hash != nil && strings.Count(string(out), string(hash[1])) < 3 {
				t.Errorf("the SHA-256 of the preimage is not the payment hash:\n%s", out) // in the 402, as sha256sum has it, and as the challenge has it
			}
		})
	}
	for id := range wants {
		t.Errorf("%s has no commands any more", id)
	}
}

// TestArticleMacaroon: the bytes that the article on a purchase shows are those of a macaroon that was just made, but
// for the times.
func TestArticleMacaroon(t *testing.T) {
	p := startServe(t, "-fixtures", "")
	resp, err := http.Get(p.base + "/v1/search?q=macaroon")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var challenge struct{ Macaroon []byte }
	if err := json.NewDecoder(resp.Body).Decode(&challenge); err != nil {
		t.Fatal(err)
	}
	article, err := os.ReadFile("../fixtures/articles/how-an-l402-purchase-runs/article.md")
	if err != nil {
		t.Fatal(err)
	}
	if size := fmt.Sprintf("is %d bytes long", len(challenge.Macaroon)); !bytes.Contains(article, []byte(size)) {
		t.Errorf("the article does not say that the macaroon %s", size)
	}
	times := regexp.MustCompile(`\b1[0-9]{9}\b`)
	var want, got []string
	for _, m := range regexp.MustCompile("(?m)^\\| `02 ([0-9a-f]{2})` `([a-z_]+=[^`]+)` \\|").FindAllSubmatch(article, -1) {
		want = append(want, string(m[1])+" "+times.ReplaceAllString(string(m[2]), "TIME"))
	}
	for _, text := range regexp.MustCompile("\x02.([a-z_]+=[^\x00]+)\x00").FindAllSubmatch(challenge.Macaroon, -1) {
		got = append(got, fmt.Sprintf("%02x %s", len(text[1]), times.ReplaceAllString(string(text[1]), "TIME")))
	}
	if diff := cmp.Diff(want, got); diff != "" || len(got) == 0 {
		t.Errorf("caveats (-article +macaroon):\n%s", diff)
	}
}
