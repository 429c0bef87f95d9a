package text

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// lexiconOfTests are the lines of a library's lexicon.
const lexiconOfTests = "series bolt bip eip erc=eip x=x402\nsame l402 = lsat\nsame x402 = x 402\nsame bolt12 = bolt 12\n" +
	"same mcp = model context protocol\nsame lnd = lightning network daemon\nsame did = decentralized identifier\n"

func TestTerms(t *testing.T) {
	a, err := NewAnalyzer(lexiconOfTests)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ text, want string }{
		{"Macaroons", "macaroon"},
		{"MCP", "mcp =mcp"},
		{"model context protocol", "model =mcp context protocol"},
		{"BOLT #12: offers", "bolt bolt12 =bolt12 12 offer"},
		{"BIP-0021", "bip bip21 -bip0021 0021"},
		{"bip0021", "bip0021 bip21"},
		{"ERC-3009", "erc eip3009 -erc3009 3009"},
		{"lsat", "lsat =l402"},
		{"key-send", "key -keysend send"},
		{"pay_invoice", "pay -payinvoic invoic"},
		{"the agent's keys", "agent key"},
		{"don't stop", "stop"},
		{"Éclair naïve ＬＮＤ", "eclair naiv lnd =lnd"},
		{"x402 v2", "x402 =x402 v2"},
		{"x 0402, x 403", "x x402 0402 x 403"},
		{"tokenised, precise", "token precis"},
		{"a DID that did", "did =did"},
		{"a AND b", "b"},
		{"", ""},
		{"💸 \u200f\u202e", ""},
	} {
		ws := a.Words(nil, tt.text)
		var got []string
		for _, tm := range a.Terms(nil, ws, tt.text) {
			got = append(got, tm.Text)
		}
		if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%q: %s", tt.text, diff)
		}
		for _, w := range ws {
			if w.Start >= w.End || w.End > len(tt.text) {
				t.Errorf("%q: %q stands at %d to %d", tt.text, w.Text, w.Start, w.End)
			}
		}
	}
}

func TestLexiconFaults(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"sam a = b", `"sam" is not a directive`},
		{"# fine\nsame a", "line 2"},
		{"same a = ", "no words"},
		{"same a = b\nsame c = b", "already belongs to"},
		{"spell licence", "is one word"},
		{"means a", "has one name"},
	} {
		_, err := newLexicon(strings.Fields, tt.text)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.text, err, tt.want)
		}
	}
}

func TestIsEnglish(t *testing.T) {
	lines := strings.Fields(englishWords)
	for _, w := range []string{lines[0], lines[len(lines)-1], "prevent", "autonomous", "invoicing", "organise", "organize"} {
		if !IsEnglish(w) {
			t.Errorf("%s is not English", w)
		}
	}
	for _, w := range []string{"", "invoce", "macaron", "prevents\nprevious", "a", "zzzzz", "aaaaa"} {
		if IsEnglish(w) {
			t.Errorf("%q is English", w)
		}
	}
}
