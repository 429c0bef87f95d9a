package challenge_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"almanac/l402/client/challenge"
)

// TestMacaroonsHaveNoLineEnds: Go's decoders skip line ends, and a token with one would have two texts.
func TestMacaroonsHaveNoLineEnds(t *testing.T) {
	for _, text := range []string{"AAAA\nAAAA", "AAAA\rAAAA", "AAAA\n"} {
		if _, err := challenge.DecodeMacaroon(text); err == nil {
			t.Errorf("%q is decoded", text)
		}
	}
}

// TestCashuWidths: an integer has at most eight bytes, and may end with the text; bech32m has a text after its name.
func TestCashuWidths(t *testing.T) {
	for _, tt := range []struct {
		value  string
		amount string
		faults int
	}{
		{cashu(t, "a1 6161 1801"), "1", 2}, // neither a unit nor mints
		{cashu(t, "a1 6161 1c"+strings.Repeat("00", 15)+"01"), "", 1},
		{"creqB", "", 1},
		{"creqB1", "", 0},
		{"creqA", "", 1},
	} {
		if o := challenge.ReadCashu(tt.value); o.Amount != tt.amount || len(o.Faults) != tt.faults {
			t.Errorf("%s: amount %q, faults %v", tt.value, o.Amount, o.Faults)
		}
	}
}

// TestSessionNetworks: a session of Tempo is on the chain that it names, and else on Tempo's own.
func TestSessionNetworks(t *testing.T) {
	for chain, want := range map[string]string{`"chainId":42431,`: "eip155:42431", "": "eip155:4217"} {
		o := readForm(t, "tempo session", decode(t, `{"amount":"1","currency":"0x1","methodDetails":{`+chain+`"escrowContract":"0x2"},"recipient":"0x3"}`))
		if o.Network != want || len(o.Faults) > 0 {
			t.Errorf("%s: network %q, faults %v", chain, o.Network, o.Faults)
		}
	}
}

// TestLightningIsInSatoshis: a charge and a session of Lightning are in satoshis, and say so.
func TestLightningIsInSatoshis(t *testing.T) {
	for currency, faults := range map[string]int{"sat": 0, "usd": 1} {
		o := readForm(t, "lightning session", map[string]any{"amount": "1", "currency": currency, "paymentHash": strings.Repeat("ab", 32)})
		if len(o.Faults) != faults {
			t.Errorf("%s: faults %v", currency, o.Faults)
		}
	}
}

// TestRealmMayBeEmpty: a realm may be empty (RFC 9110, section 11.5), and no other required parameter may.
func TestRealmMayBeEmpty(t *testing.T) {
	header := charge()
	for _, name := range []string{"id", "realm", "method", "intent"} {
		start := strings.Index(header, name+`="`) + len(name) + 2
		end := start + strings.IndexByte(header[start:], '"')
		found := challenge.ReadHTTP(http.Header{"Www-Authenticate": {header[:start] + header[end:]}}, nil)
		if len(found) != 1 {
			t.Fatalf("%s: %d offers", name, len(found))
		}
		missing := false
		for _, f := range found[0].Faults {
			missing = missing || f.Sentence == "The parameter "+name+" is missing." && f.Clause == "draft-httpauth-payment, section 5.1.1"
		}
		if missing != (name != "realm") {
			t.Errorf("an empty %s: %v", name, found[0].Faults)
		}
	}
}

// TestUnknownFormsNameTheirIntent: a method that mpp-specs does not define is judged by the draft of its intent.
func TestUnknownFormsNameTheirIntent(t *testing.T) {
	o := readForm(t, "unheard charge", map[string]any{"amount": "1"})
	if len(o.Faults) != 1 || o.Faults[0].Clause != "draft-payment-intent-charge, Request Schema" {
		t.Errorf("%v", o.Faults)
	}
}

// TestPlaces: an offer names the part of the response or message that it was read from.
func TestPlaces(t *testing.T) {
	const (
		v1 = `{"x402Version":1,"accepts":[{"scheme":"exact","network":"base","maxAmountRequired":"1","asset":"0x1","payTo":"0x2","resource":"https://x.example/","description":"","maxTimeoutSeconds":60}]}`
		v2 = `{"x402Version":2,"resource":{"url":"https://x.example/"},"accepts":[{"scheme":"exact","network":"eip155:8453","amount":"1","asset":"0x1","payTo":"0x2","maxTimeoutSeconds":1}]}`
	)
	l402 := `{"macaroon":"` + token(t) + `","invoice":"lnbcrt1u"}`
	header := http.Header{"Payment-Required": {base64.StdEncoding.EncodeToString([]byte(v2))}}
	for _, tt := range []struct {
		name   string
		offers []challenge.Offer
		scheme string
		place  string
	}{
		{"the header of Payment", challenge.ReadHTTP(http.Header{"Www-Authenticate": {charge()}}, nil), "payment", "WWW-Authenticate"},
		{"the header of x402", challenge.ReadHTTP(header, nil), "x402", "PAYMENT-REQUIRED"},
		{"the header of Cashu", challenge.ReadHTTP(http.Header{"X-Cashu": {"creqB1"}}, nil), "cashu", "X-Cashu"},
		{"the body of x402", challenge.ReadHTTP(nil, []byte(v1)), "x402", "body"},
		{"the body of L402", challenge.ReadHTTP(nil, []byte(l402)), "l402", "body"},
		{"an error of x402", challenge.ReadMessage([]byte(`{"error":{"code":402,"data":` + v1 + `}}`)), "x402", "error"},
		{"an error of Payment", challenge.ReadMessage([]byte(`{"error":{"code":-32043,"data":{}}}`)), "payment", "error"},
		{"a result of x402", challenge.ReadMessage([]byte(`{"result":{"isError":true,"structuredContent":` + v2 + `}}`)), "x402", "result"},
		{"a result of L402", challenge.ReadMessage([]byte(`{"result":{"isError":true,"structuredContent":{"payment_required":` + l402 + `}}}`)), "l402", "result"},
		{"a request of A2A", challenge.ReadMessage([]byte(`{"params":{"message":{"metadata":{"x402.payment.required":` + v1 + `}}}}`)), "x402", "metadata"},
		{"a task of A2A", challenge.ReadMessage([]byte(`{"result":{"status":{"message":{"metadata":{"x402.payment.required":` + v1 + `}}}}}`)), "x402", "metadata"},
	} {
		if len(tt.offers) != 1 || tt.offers[0].Scheme != tt.scheme || tt.offers[0].Place != tt.place {
			t.Errorf("%s: %+v", tt.name, tt.offers)
		}
	}
}

// TestX402Amounts: an empty amount has one fault, not two; a time limit of nothing is none; a header may have 64 KiB of
// JSON.
func TestX402Amounts(t *testing.T) {
	read := func(amount, timeout, more string) []challenge.Offer {
		text := `{"x402Version":2,"resource":{"url":"https://x.example/"},"accepts":[{"scheme":"exact","network":"eip155:8453","amount":"` +
			amount + `","asset":"0x1","payTo":"0x2","maxTimeoutSeconds":` + timeout + `}],"error":"` + more + `"}`
		return challenge.ReadHTTP(http.Header{"Payment-Required": {base64.StdEncoding.EncodeToString([]byte(text))}}, nil)
	}
	for _, tt := range []struct {
		amount, timeout string
		faults          int
	}{{"1", "1", 0}, {"", "1", 1}, {"1.5", "1", 1}, {"1", "0", 1}, {"1", "0.5", 0}, {"1", `"60"`, 1}} {
		if found := read(tt.amount, tt.timeout, ""); len(found) != 1 || len(found[0].Faults) != tt.faults {
			t.Errorf("amount %q, time %s: %+v", tt.amount, tt.timeout, found)
		}
	}
}

// TestRepeatedParameters: a token or invoice given twice can be read in two ways, which the grammar forbids.
func TestRepeatedParameters(t *testing.T) {
	for _, name := range []string{"macaroon", "token", "invoice"} {
		header := fmt.Sprintf(`L402 macaroon=%q, invoice="lnbcrt1u"`, token(t))
		if name == "token" {
			header = strings.Replace(header, "macaroon", "token", 1)
		}
		found := challenge.ReadHTTP(http.Header{"Www-Authenticate": {header + `, ` + name + `="x"`}}, nil)
		if len(found) != 1 || found[0].Challenge != nil {
			t.Fatalf("%s: %+v", name, found)
		}
		named := false
		for _, f := range found[0].Faults {
			named = named || f.Clause == "RFC 9110, section 11.2"
		}
		if !named {
			t.Errorf("%s twice: %v", name, found[0].Faults)
		}
	}
}

// TestQuotedEdges: a backslash at the end escapes nothing, a quote may open at the end, and a control character needs
// quotes (RFC 9110, section 5.6).
func TestQuotedEdges(t *testing.T) {
	for text, want := range map[string]challenge.Param{
		`A x=1, b="c\`:   {Name: "b", Value: `c\`, Quoted: true},
		`A x=1, b="`:     {Name: "b", Quoted: true},
		`A x=1, b="c\"d`: {Name: "b", Value: `c"d`, Quoted: true},
		"A x=1, b=c\x7f": {Name: "b", Value: "c\x7f"},
		"A x=1, b=c\x01": {Name: "b", Value: "c\x01"},
	} {
		raw := challenge.Split([]string{text})
		if len(raw) != 1 || len(raw[0].Params) != 2 || raw[0].Params[1] != want || len(raw[0].Faults) != 1 {
			t.Errorf("%q: %+v", text, raw)
		}
	}
	if raw := challenge.Split([]string{"Negotiate YWJj=, Bearer"}); len(raw) != 2 || raw[0].Token68 != "YWJj=" {
		t.Errorf("%+v", raw)
	}
}
