package challenge_test

import (
	"encoding/hex"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"

	"go.almanac.example/http402/bolt11"
	"go.almanac.example/http402/challenge"
)

// invoice returns an invoice for the regression network that commits to a hash, begins in 2036 and lasts an hour.
func invoice(hash [32]byte, amount string) string {
	key := secp256k1.PrivKeyFromBytes([]byte(strings.Repeat("k", 32)))
	return bolt11.Draft{Human: "lnbcrt" + amount, Time: time.Date(2036, 1, 1, 0, 0, 0, 0, time.UTC).Unix(), Fields: []bolt11.Field{
		{Type: "p", Data: bolt11.Groups(hash[:])}, {Type: "s", Data: bolt11.Groups(make([]byte, 32))},
		{Type: "d", Data: bolt11.Groups([]byte("d"))}, {Type: "9", Data: bolt11.Number(1<<8 | 1<<14)},
	}}.Sign(key)
}

// TestLightningRequests: a charge and a session say of their invoice what it says; each departure is one fault of the
// draft. Network and end are those of the invoice, unless the challenge ends earlier.
func TestLightningRequests(t *testing.T) {
	hash := [32]byte{31: 7}
	other := strings.Repeat("ab", 32)
	end := time.Date(2036, 1, 1, 1, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name, intent string
		edit         func(request, details map[string]any)
		expires      string
		faults       []string
	}{
		{name: "all members", intent: "charge"},
		{name: "no hash and no network", intent: "charge", edit: func(_, d map[string]any) { delete(d, "paymentHash"); delete(d, "network") }},
		{name: "no invoice", intent: "charge", edit: func(_, d map[string]any) { delete(d, "invoice") }, faults: []string{"The request has no methodDetails.invoice."}},
		{name: "an empty invoice", intent: "charge", edit: func(_, d map[string]any) { d["invoice"] = "" }, faults: []string{"The request has no methodDetails.invoice."}},
		{name: "another invoice", intent: "charge", edit: func(_, d map[string]any) { d["invoice"] = "lnbcrt1u1x" }, faults: []string{"The invoice "}},
		{name: "another hash", intent: "charge", edit: func(_, d map[string]any) { d["paymentHash"] = other }, faults: []string{"The paymentHash is not that"}},
		{name: "a hash in capitals", intent: "charge", edit: func(_, d map[string]any) { d["paymentHash"] = strings.ToUpper(other) }, faults: []string{"The paymentHash is not 64"}},
		{name: "another amount", intent: "charge", edit: func(r, _ map[string]any) { r["amount"] = "99" }, faults: []string{"The amount is 99 sat"}},
		{name: "no amount", intent: "charge", edit: func(r, _ map[string]any) { r["amount"] = "0" }, faults: []string{`The amount "0"`}},
		{name: "another currency", intent: "charge", edit: func(r, _ map[string]any) { r["currency"] = "usd" }, faults: []string{`The currency is "usd"`}},
		{name: "another network", intent: "charge", edit: func(_, d map[string]any) { d["network"] = "mainnet" }, faults: []string{`The network is "mainnet"`}},
		{name: "an earlier end", intent: "charge", expires: "2036-01-01T00:30:00Z"},
		{name: "the end of the invoice", intent: "charge", expires: "2036-01-01T01:00:00Z"},
		{name: "rounded up", intent: "charge", expires: "2036-01-01T01:00:01Z"},
		{name: "a later end", intent: "charge", expires: "2036-01-01T01:00:02Z", faults: []string{"The challenge expires at 2036-01-01T01:00:02Z"}},
		{name: "a deposit", intent: "session"},
		{name: "another hash", intent: "session", edit: func(r, _ map[string]any) { r["paymentHash"] = other }, faults: []string{"The paymentHash is not that"}},
		{name: "another deposit", intent: "session", edit: func(r, _ map[string]any) { r["depositAmount"] = "99" }, faults: []string{"The amount is 99 sat"}},
		{name: "no hash", intent: "session", edit: func(r, _ map[string]any) { delete(r, "paymentHash") }, faults: []string{"The request has no paymentHash."}},
	} {
		details := map[string]any{"invoice": invoice(hash, "1u"), "paymentHash": hex.EncodeToString(hash[:]), "network": "regtest"}
		request := map[string]any{"amount": "100", "currency": "sat", "methodDetails": details}
		if tt.intent == "session" {
			request = map[string]any{"amount": "2", "currency": "sat", "depositInvoice": details["invoice"], "paymentHash": details["paymentHash"], "depositAmount": "100"}
		}
		if tt.edit != nil {
			tt.edit(request, details)
		}
		value := `Payment id="i", realm="r", method="lightning", intent="` + tt.intent + `", request="` + challenge.Encode(challenge.CanonicalObject(request).Canonical()) + `"`
		if tt.expires != "" {
			value += `, expires="` + tt.expires + `"`
		}
		found := challenge.ReadHTTP(http.Header{"Www-Authenticate": {value}}, nil)
		if len(found) != 1 || len(found[0].Faults) != len(tt.faults) {
			t.Errorf("%s, %s: %+v", tt.intent, tt.name, found)
			continue
		}
		for i, f := range found[0].Faults {
			if !strings.HasPrefix(f.Sentence, tt.faults[i]) {
				t.Errorf("%s, %s: %s", tt.intent, tt.name, f.Sentence)
			}
		}
		if strings.Contains(tt.name, "invoice") && tt.name != "the end of the invoice" {
			continue // which is not read
		}
		want := end
		if tt.name == "an earlier end" {
			want = end.Add(-30 * time.Minute)
		}
		if o := found[0]; o.Network != "regtest" || !o.End.Equal(want) {
			t.Errorf("%s, %s: %s until %s, want regtest until %s", tt.intent, tt.name, o.Network, o.End, want)
		}
	}
}

// TestL402Offers: the price, network and end of an L402 are those of its invoice. Each departure is a fault of one
// clause, and a token that commits to another hash is paid for nothing.
func TestL402Offers(t *testing.T) {
	hash := [32]byte{31: 7}
	id := append([]byte{0, 0}, hash[:]...)
	mac := encode(t, append(id, make([]byte, 32)...))
	bare := strings.NewReplacer("+", "-", "/", "_", "=", "").Replace(mac)
	for _, tt := range []struct{ name, value, amount, clause string }{
		{"an amount", `L402 version="0", token="` + mac + `", invoice="` + invoice(hash, "1u") + `"`, "100000", ""},
		{"no amount", `LSAT macaroon="` + mac + `", invoice="` + invoice(hash, "") + `"`, "", ""},
		{"another hash", `L402 token="` + mac + `", invoice="` + invoice([32]byte{1}, "1u") + `"`, "100000", "L402, macaroon-spec.md, Identifier Structure"},
		{"another alphabet", `L402 token="` + bare + `", invoice="` + invoice(hash, "1u") + `"`, "100000", "L402, macaroon-spec.md, HTTP Header Encoding"},
		{"another kind of token", `L402 token="AAAA", invoice="` + invoice(hash, "1u") + `"`, "100000", ""},
		{"a cut macaroon", `L402 token="` + mac[:40] + `", invoice="` + invoice(hash, "1u") + `"`, "100000", "L402, protocol-specification.md, Server Flow"},
		{"no comma", `L402 token="` + mac + `" invoice="` + invoice(hash, "1u") + `"`, "100000", "RFC 9110, section 11.2"},
		{"an invoice of which the beginning alone can be read", `L402 token="` + mac + `", invoice="lnbcrt1u1x"`, "100000", "BOLT 11"},
	} {
		found := challenge.ReadHTTP(http.Header{"Www-Authenticate": {tt.value}}, nil)
		if len(found) != 1 {
			t.Fatalf("%s: %d offers", tt.name, len(found))
		}
		o := found[0]
		var clauses []string
		for _, f := range o.Faults {
			clauses = append(clauses, f.Clause)
		}
		if strings.Join(clauses, "; ") != tt.clause || o.Amount != tt.amount {
			t.Errorf("%s: amount %q, faults %+v", tt.name, o.Amount, o.Faults)
		}
		if tt.clause != "BOLT 11" && (o.Currency != "msat" || o.Network != "regtest" || o.End.IsZero() || o.Method != "lightning") {
			t.Errorf("%s: %+v", tt.name, o)
		}
		if scheme, _, _ := strings.Cut(tt.value, " "); o.Challenge != nil && o.Challenge.Scheme != scheme {
			t.Errorf("%s: scheme %s", tt.name, o.Challenge.Scheme)
		}
	}
}

// TestImpliedNetwork: a charge without network is for mainnet, as its draft says, if no invoice says otherwise.
func TestImpliedNetwork(t *testing.T) {
	for network, want := range map[string]string{"": "mainnet", "regtest": "regtest"} {
		details := map[string]any{}
		if network != "" {
			details["network"] = network
		}
		o := readForm(t, "lightning charge", map[string]any{"amount": "1", "currency": "sat", "methodDetails": details})
		if o.Network != want || len(o.Faults) != 1 {
			t.Errorf("%q: network %q, faults %v", network, o.Network, o.Faults)
		}
	}
}

// TestX402Errors: x402 version 1 is sent as an error of JSON-RPC, and version 2 is not.
func TestX402Errors(t *testing.T) {
	for version, faults := range map[string]int{
		`"x402Version":1`: 0,
		`"x402Version":2,"resource":{"url":"https://x.example/"}`: 1,
	} {
		ways := `"accepts":[{"scheme":"exact","network":"eip155:8453","amount":"1","maxAmountRequired":"1","asset":"0x1","payTo":"0x2","resource":"https://x.example/","description":"","maxTimeoutSeconds":60}]`
		found := challenge.ReadMessage([]byte(`{"error":{"code":402,"data":{` + version + `,` + ways + `}}}`))
		if len(found) != 1 || len(found[0].Faults) != faults {
			t.Errorf("%s: %+v", version, found)
		}
	}
	if found := challenge.ReadMessage([]byte(`{"error":{"code":402,"data":{"accepts":[{}]}}}`)); len(found) != 0 {
		t.Errorf("an error without a version is x402: %+v", found)
	}
}

// TestL402Bodies: a macaroon and an invoice in the body are an L402 that misses its header, unless the header has one; an
// invoice alone is none.
func TestL402Bodies(t *testing.T) {
	mac, inv := token(t), invoice([32]byte{1}, "1u")
	header := `L402 macaroon="` + mac + `", invoice="` + inv + `"`
	for _, tt := range []struct {
		header http.Header
		body   string
		places string
	}{
		{nil, `{"macaroon":"` + mac + `","invoice":"` + inv + `"}`, "body"},
		{http.Header{"Www-Authenticate": {header}}, `{"macaroon":"` + mac + `","invoice":"` + inv + `"}`, "WWW-Authenticate"},
		{nil, `{"invoice":"` + inv + `"}`, ""},
		{nil, `{"macaroon":"` + mac + `"}`, ""},
		{nil, `{"macaroon":7,"invoice":"` + inv + `"}`, "body"},
	} {
		var places []string
		for _, o := range challenge.ReadHTTP(tt.header, []byte(tt.body)) {
			places = append(places, o.Place)
		}
		if strings.Join(places, " ") != tt.places {
			t.Errorf("%.40s: %q, want %q", tt.body, places, tt.places)
		}
	}
}
