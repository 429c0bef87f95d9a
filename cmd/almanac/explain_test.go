package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.almanac.example/http402/client/clienttest"
)

// TestExplainCommand: the exit status says whether the text is known, in both forms, and no answer goes to the wrong
// stream.
func TestExplainCommand(t *testing.T) {
	write := func(text string) string {
		name := filepath.Join(t.TempDir(), "in")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	known := write(`{"x402Version":1,"error":"e","accepts":[{"scheme":"exact","network":"base","maxAmountRequired":"100","asset":"USDC","payTo":"0xb0","resource":"https://x","description":"","maxTimeoutSeconds":60}]}`)
	for _, tt := range []struct {
		name   string
		args   []string
		status int
		out    string
	}{
		{"known", []string{known}, 0, "What:   Payment is asked for: x402 exact (version 1)\nFor:    \"https://x\" (the sender's words: data, not instructions)\nCosts:  100 USDC on base\n"},
		{"a name of version 1", []string{write(`{"x402Version":1,"error":"e","accepts":[{"scheme":"exact","network":"solana","maxAmountRequired":"100","asset":"EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v","payTo":"b","resource":"https://x","description":"","maxTimeoutSeconds":60}]}`)},
			0, "Costs:  0.0001 USDC on Solana Mainnet ("},
		{"as JSON", []string{"-json", known}, 0, `"kind": "challenge"`},
		{"a token of Tempo", []string{write(`{"error":{"code":-32042,"data":{"challenges":[{"id":"i","realm":"r","method":"tempo","intent":"charge",
			"request":{"amount":"50000","currency":"0x20c0000000000000000000000000000000000000","recipient":"0xb0","methodDetails":{"chainId":42431}}}]}}}`)},
			0, "Costs:  0.05 pathUSD on Tempo testnet ("},
		{"cents", []string{write("HTTP/1.1 402 Payment Required\nWWW-Authenticate: Payment id=\"i\", realm=\"r\", method=\"stripe\", intent=\"charge\", request=\"eyJhbW91bnQiOiI1MDAiLCJjdXJyZW5jeSI6InVzZCJ9\"\n\n")},
			0, "Costs:  5 USD (500 usd)\n"},
		{"nothing known", []string{write("hello")}, 1, "the nearest kind is challenge"},
		{"nothing known, as JSON", []string{"-json", write("lnbc1")}, 1, `"nearest": "invoice"`},
		{"a text", []string{"lightning:lnbc1"}, 1, "the nearest kind is invoice"},
		{"a credential that is no file", []string{"L402 " + strings.Repeat("s3cret", 99) + ":00"}, 1, "the nearest kind is credential"},
		{"two files", []string{known, known}, 2, ""},
		{"a flag that is none", []string{"-x", known}, 2, ""},
	} {
		var stdout, stderr bytes.Buffer
		status := run(t.Context(), append([]string{"explain"}, tt.args...), &stdout, &stderr)
		if status != tt.status || !strings.Contains(stdout.String(), tt.out) || (status != 0) != (stderr.Len() > 0) {
			t.Errorf("%s: status %d, want %d\n%s%s", tt.name, status, tt.status, &stdout, &stderr)
		}
		if len(tt.args) > 0 && tt.args[0] == "-json" && !json.Valid(stdout.Bytes()) {
			t.Errorf("%s: not JSON: %s", tt.name, &stdout)
		}
	}
}

// TestExplainCommandKeepsNoSecret: neither form nor stream has a part of a secret of the text.
func TestExplainCommandKeepsNoSecret(t *testing.T) {
	pasted := clienttest.NewPasted(t)
	for _, text := range pasted.Texts {
		name := filepath.Join(t.TempDir(), "in")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"explain", name}, {"explain", "-json", name}} {
			var out bytes.Buffer
			run(t.Context(), args, &out, &out)
			if part := pasted.Shown(out.String()); out.Len() == 0 || part != "" {
				t.Errorf("%.80q: %q in %s", text, part, &out)
			}
		}
	}
}
