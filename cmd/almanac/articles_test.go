package main

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"almanac/catalog"
	"almanac/server"
)

// TestArticleCommands: the shell commands of every article run against a service that was just started, one after the other,
// and print what the text says.
func TestArticleCommands(t *testing.T) {
	for _, tool := range []string{"bash", "curl", "jq", "xxd", "sha256sum"} {
		if _, err := exec.LookPath(tool); err != nil {
			if os.Getenv("ALMANAC_REAL") != "" {
				t.Fatalf("%s is missing", tool)
			}
			t.Skipf("%s is not installed", tool)
		}
	}
	p := startServe(t)
	source := server.Source{Dir: "../../fixtures", Terms: catalog.DefaultTerms}
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
