package challenge_test

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"go.almanac.example/http402/challenge"
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
		{"creqb1", "", 1},
		{"CREQB1QYQQWER9D4HNZV3NQGQQSQQQQQQQQQQRAQPSQQGQQSQQZQG9QQVXSAR5WPEN5TE0D45KUAPWV4UXZMTSD3JJUCM0D5RQQRJRDANXVET9YPCXZ7TDV4H8GXHR3TQ", "1000", 0}, // the example of NUT-26
		{strings.ToLower("CREQB1QYQQWER9D4HNZV3NQGQQSQQQQQQQQQQRAQPSQQGQQSQQZQG9QQVXSAR5WPEN5TE0D45KUAPWV4UXZMTSD3JJUCM0D5RQQRJRDANXVET9YPCXZ7TDV4H8GXHR3TQ"), "1000", 0},
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
		{"the header of L402", challenge.ReadHTTP(http.Header{"Www-Authenticate": {`LSAT macaroon="` + token(t) + `", invoice="lnbcrt1u"`}}, nil), "l402", "WWW-Authenticate"},
		{"the header of Payment", challenge.ReadHTTP(http.Header{"Www-Authenticate": {charge()}}, nil), "payment", "WWW-Authenticate"},
		{"the header of x402", challenge.ReadHTTP(header, nil), "x402", "PAYMENT-REQUIRED"},
		{"the header of Cashu", challenge.ReadHTTP(http.Header{"X-Cashu": {"creqB1"}}, nil), "cashu", "X-Cashu"},
		{"the body of x402", challenge.ReadHTTP(nil, []byte(v1)), "x402", "body"},
		{"the body of L402", challenge.ReadHTTP(nil, []byte(l402)), "l402", "body"},
		{"the header of x402 before version 2", challenge.ReadHTTP(http.Header{"X-Payment-Required": {base64.StdEncoding.EncodeToString([]byte(v1))}}, nil), "x402", "PAYMENT-REQUIRED"},
		{"an error of x402", challenge.ReadMessage([]byte(`{"error":{"code":402,"data":` + v1 + `}}`)), "x402", "error"},
		{"an error of MCP with x402's object", challenge.ReadMessage([]byte(`{"error":{"code":-32042,"data":` + v2 + `}}`)), "x402", "error"},
		{"an error of MCP with x402's object by its name", challenge.ReadMessage([]byte(`{"error":{"code":-32042,"data":{"x402":` + v1 + `}}}`)), "x402", "error"},
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

// TestBase64Forms: servers encode objects in every form of base64. Each is read, the wrong ones with one fault, and a request
// is echoed as it came.
func TestBase64Forms(t *testing.T) {
	object := strings.Replace(requestJSON, `"d"`, `"~~~????"`, 1)
	x402 := `{"x402Version":2,"resource":{"url":"https://x.example/~~~???"},"accepts":[{"scheme":"exact","network":"eip155:8453","amount":"1","asset":"0x1","payTo":"0x2","maxTimeoutSeconds":1}]}`
	for i, enc := range []*base64.Encoding{base64.RawURLEncoding, base64.URLEncoding, base64.StdEncoding, base64.RawStdEncoding} {
		text := enc.EncodeToString([]byte(object))
		found := challenge.ReadHTTP(http.Header{"Www-Authenticate": {strings.Replace(charge(), request(), text, 1)},
			"Payment-Required": {enc.EncodeToString([]byte(x402))}}, nil)
		if len(found) != 2 || found[0].Challenge == nil || found[0].Challenge.Charge.Request != text || found[1].Amount != "1" {
			t.Fatalf("form %d: %+v", i, found)
		}
		faults := []int{0, 0}
		for j, o := range found {
			for _, f := range o.Faults {
				if strings.Contains(f.Sentence+f.Remedy, "base64") {
					faults[j]++
				}
			}
		}
		if want := [][]int{{0, 1}, {1, 1}, {1, 0}, {1, 1}}[i]; !slices.Equal(faults, want) {
			t.Errorf("form %d: %v faults of the encoding, want %v", i, faults, want)
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
		`A x=1, b="c\`:   {Name: "b", Value: `c\`},
		`A x=1, b="`:     {Name: "b"},
		`A x=1, b="c\"`:  {Name: "b", Value: `c"`},
		`A x=1, b=c(`:    {Name: "b", Value: "c("},
		`A x=1, b="c\"d`: {Name: "b", Value: `c"d`},
		"A x=1, b=c\x7f": {Name: "b", Value: "c\x7f"},
		"A x=1, b=c\x01": {Name: "b", Value: "c\x01"},
	} {
		raw := challenge.Split([]string{text})
		if len(raw) != 1 || len(raw[0].Params) != 2 || raw[0].Params[1] != want || len(raw[0].Faults) != 1 {
			t.Errorf("%q: %+v", text, raw)
		}
	}
}

// TestTokens: a token is sent back as it came, in standard base64 if it is a macaroon, and commits to the payment hash
// that it names.
func TestTokens(t *testing.T) {
	const hash = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	inJSON := base64.RawURLEncoding.EncodeToString([]byte(`{"path":"/x?y=~~~","paymentHash":"` + hash + `"}`))
	for name, tt := range map[string]struct {
		token, hash string
		opaque      bool
	}{
		"of Alby's library":      {inJSON + "." + hash, hash, true},
		"a JSON Web Token":       {"eyJhbGciOiJIUzI1NiJ9." + inJSON + ".c2ln", hash, true},
		"JSON in base64":         {inJSON, hash, true},
		"a word":                 {"session-5f3c", "", true},
		"an identifier in words": {encode(t, []byte("version=0, payment_hash = "+hash)), hash, false},
		"an identifier in JSON":  {encode(t, []byte(`{"payment_hash":"`+hash+`","token_id":"`+strings.Repeat("f", 64)+`"}`)), hash, false},
		"a caveat":               {encode(t, []byte("id"), "payment_hash="+hash), hash, false},
		"another identifier":     {encode(t, []byte("id")), "", false},
	} {
		found, unusable := challenge.Parse([]string{`L402 version="0" token="` + tt.token + `", invoice="lnbcrt1u"`})
		if len(found) != 1 {
			t.Errorf("%s: %v", name, unusable)
			continue
		}
		c := found[0]
		if got := hex.EncodeToString(c.Hash[:]); c.HasHash != (tt.hash != "") || c.HasHash && got != tt.hash || c.Opaque != tt.opaque {
			t.Errorf("%s: opaque %t, hash %t %s", name, c.Opaque, c.HasHash, got)
		}
		if got := c.Credential([32]byte{}).Value; got != "L402 "+tt.token+":"+strings.Repeat("0", 64) {
			t.Errorf("%s: credential %s", name, got)
		}
	}
}

// TestIdentifiers: a macaroon commits to a payment hash by an identifier of version 0, which is 66 bytes, or by the bare
// hash. Any other identifier without the name of one commits to nothing.
func TestIdentifiers(t *testing.T) {
	hash := strings.Repeat("h", 31) + "~"
	for id, ok := range map[string]bool{
		"\x00\x00" + hash + strings.Repeat("i", 32): true,
		"\x00\x01" + hash + strings.Repeat("i", 32): false,
		"\x00\x00" + hash + strings.Repeat("i", 31): false,
		"\x00\x00" + hash + strings.Repeat("i", 33): false,
		hash:          true,
		hash[:31]:     false,
		hash + "\x00": false,
		"":            false,
	} {
		found := challenge.ReadHTTP(http.Header{"Www-Authenticate": {`L402 macaroon="` + encode(t, []byte(id)) + `", invoice="lnbcrt1u"`}}, nil)
		if len(found) != 1 || found[0].Challenge.HasHash != ok {
			t.Errorf("an identifier of %d bytes that begins with %.2q: %+v", len(id), id, found)
			continue
		}
		if c := found[0].Challenge; ok {
			if !c.HasHash || string(c.Hash[:]) != hash {
				t.Errorf("an identifier of %d bytes commits to %q", len(id), c.Hash)
			}
			if c.Charge != nil {
				t.Errorf("a macaroon states the amount %d", c.Charge.AmountSats)
			}
		}
	}
}

// TestMacaroonsAreBounded: a macaroon of 8 KiB is read, and a larger one is not.
func TestMacaroonsAreBounded(t *testing.T) {
	hash := strings.Repeat("h", 32)
	size := func(filler int) string { return encode(t, []byte(hash), strings.Repeat("x", filler)) }
	filler := 8 << 10
	for base64.StdEncoding.DecodedLen(len(size(filler)))-strings.Count(size(filler), "=") > 8<<10 {
		filler--
	}
	for more, ok := range map[int]bool{0: true, 3: false} {
		found, unusable := challenge.Parse([]string{`L402 macaroon="` + size(filler+more) + `", invoice="lnbcrt1u"`})
		if (len(found) == 1) != ok {
			t.Errorf("%d bytes more than 8 KiB: %v", more, unusable)
		}
	}
}

// TestNetworksAsStated: a request that names its chain is on it, whatever its draft implies.
func TestNetworksAsStated(t *testing.T) {
	for _, f := range forms {
		if f.offer != "tempo subscription" && f.offer != "tempo charge" && f.offer != "hedera session" {
			continue
		}
		request := decode(t, f.request)
		details, _ := request["methodDetails"].(map[string]any)
		if details == nil {
			details = map[string]any{}
			request["methodDetails"] = details
		}
		details["chainId"] = 7.0
		if o := readForm(t, f.offer, request); o.Network != "eip155:7" || len(o.Faults) > 0 {
			t.Errorf("%s: network %q, faults %v", f.offer, o.Network, o.Faults)
		}
	}
}

// TestCashuValues: a value that a payment request does not use is passed over, and the next one is read.
func TestCashuValues(t *testing.T) {
	const rest = "6161 01 6175 63736174 616d 816178" // a: 1, u: sat, m: [x]
	for _, value := range []string{"21", "3863", "f4", "fb3ff0000000000000", "c221", "4121"} {
		o := challenge.ReadCashu(cashu(t, "a4 6164"+value+rest))
		if o.Amount != "1" || o.Currency != "sat" || len(o.Faults) > 0 {
			t.Errorf("%s: amount %q %s, faults %v", value, o.Amount, o.Currency, o.Faults)
		}
	}
	tags := strings.Repeat("c1", 16)
	for prefix, faults := range map[string]int{tags[2:]: 0, tags: 1} {
		if o := challenge.ReadCashu(cashu(t, "a4 6164"+prefix+"01"+rest)); len(o.Faults) != faults {
			t.Errorf("%d tags: %v", len(prefix)/2, o.Faults)
		}
	}
	for _, value := range []string{"oWFhAQ", "creqA!"} { // a map without its prefix, and no base64 behind one
		o := challenge.ReadCashu(value)
		if len(o.Faults) != 1 || o.Faults[0].Clause != "Cashu, NUT-24, Server response" {
			t.Errorf("%s: %v", value, o.Faults)
		}
	}
}

// TestEachPartOnce: a challenge has one token and one invoice; a token under both names must be the same.
func TestEachPartOnce(t *testing.T) {
	mac, other := token(t), token(t, "x=1")
	for params, ok := range map[string]bool{
		`macaroon="` + mac + `", invoice="i"`:                         true,
		`token="` + mac + `", invoice="i"`:                            true,
		`macaroon="` + mac + `", token="` + mac + `", invoice="i"`:    true,
		`macaroon="` + mac + `", token="` + other + `", invoice="i"`:  false,
		`macaroon="` + mac + `", macaroon="` + mac + `", invoice="i"`: false,
		`token="` + mac + `", token="` + mac + `", invoice="i"`:       false,
		`macaroon="` + mac + `", invoice="i", invoice="i"`:            false,
		`macaroon="` + mac + `", invoice=""`:                          false,
		`macaroon="` + mac + `"`:                                      false,
		`invoice="i"`:                                                 false,
		`version="0", macaroon="` + mac + `", invoice="i"`:            true,
		`version="1", macaroon="` + mac + `", invoice="i"`:            false,
	} {
		if found, unusable := challenge.Parse([]string{"L402 " + params}); (len(found) == 1) != ok || len(found)+len(unusable) != 1 {
			t.Errorf("%.60s: %d challenges, %v", params, len(found), unusable)
		}
	}
}

// TestOptionalParameters: header may name Payment-Authorization alone, opaque has strings alone, expires is a time; each
// departure is one fault, which names its parameter.
func TestOptionalParameters(t *testing.T) {
	plain := strings.Replace(charge(), `, expires="2026-12-01T12:00:00Z"`, "", 1)
	base := challenge.ReadHTTP(http.Header{"Www-Authenticate": {plain}}, nil)
	for params, want := range map[string]string{
		"":                                 "",
		`, header="Payment-Authorization"`: "",
		`, header="Authorization"`:         `The parameter header is "Authorization"`,
		`, expires="2026-12-01T12:00:00Z"`: "",
		`, expires="tomorrow"`:             "The parameter expires is",
		`, opaque="` + challenge.Encode(`{"a":"b"}`) + `"`:                                 "",
		`, opaque="` + challenge.Encode(`{"a":1,"b":2,"c":3}`) + `"`:                       "The parameter opaque has a value",
		`, opaque="` + challenge.Encode(`[]`) + `"`:                                        "The parameter opaque is not a JSON object",
		`, opaque="` + challenge.Encode(`null`) + `"`:                                      "The parameter opaque is not a JSON object",
		`, opaque="` + challenge.Encode(`{"b":"b","a":"a"}`) + `"`:                         "The parameter opaque is not canonical JSON",
		`, opaque="` + base64.URLEncoding.EncodeToString([]byte(`{"a":"bcd"}`)) + `"`:      "The parameter opaque is in base64 of another form",
		`, opaque="` + challenge.Encode(`{"a":"`+strings.Repeat("x", 12<<10-8)+`"}`) + `"`: "",
		`, opaque="` + challenge.Encode(`{"a":"`+strings.Repeat("x", 12<<10)+`"}`) + `"`:   "The parameter opaque is not a JSON object",
	} {
		found := challenge.ReadHTTP(http.Header{"Www-Authenticate": {plain + params}}, nil)
		if len(base) != 1 || len(found) != 1 {
			t.Fatalf("%.60s: %d offers", params, len(found))
		}
		more := found[0].Faults[len(base[0].Faults):]
		if want == "" && len(more) > 0 || want != "" && len(more) == 0 {
			t.Errorf("%.60s: %v", params, found[0].Faults)
		}
		told := 0
		for _, f := range found[0].Faults {
			if want != "" && strings.HasPrefix(f.Sentence, want) {
				told++
			}
		}
		if want != "" && told != 1 {
			t.Errorf("%.60s: told %d times: %v", params, told, found[0].Faults)
		}
	}
}

// TestSchemesAlone: a scheme may stand alone, a value that follows it hides no other scheme, and a parameter that belongs to
// nothing is no scheme.
func TestSchemesAlone(t *testing.T) {
	for text, want := range map[string]string{
		"Bearer ,Basic":             "Bearer Basic",
		"Negotiate\tYWJj":           "Negotiate YWJj",
		"Negotiate YWJj=,x=y, A":    "Negotiate A",
		"Negotiate YWJj==, A b=c":   "Negotiate A",
		"Negotiate YWJj= \t, A b=c": "Negotiate A",
		"x=y":                       "y",
	} {
		var got []string
		for _, raw := range challenge.Split([]string{text}) {
			got = append(got, raw.Scheme)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestSizes: a request of 16 KiB and a message of 64 KiB are read, and larger ones are not; one satoshi is an amount.
func TestSizes(t *testing.T) {
	sized := func(chars int) string {
		text := strings.Replace(requestJSON, `"amount":"100"`, `"amount":"1"`, 1)
		return challenge.Encode(text + strings.Repeat(" ", chars*3/4-len(text)))
	}
	for chars, want := range map[int]int{16 << 10: 1, 16<<10 + 4: 0} {
		found, unusable := challenge.Parse([]string{strings.Replace(charge(), request(), sized(chars), 1)})
		if len(found) != want || want == 1 && found[0].Charge.AmountSats != 1 {
			t.Errorf("a request of %d characters: %d challenges, %v", chars, len(found), unusable)
		}
	}
	message := `{"error":{"code":-32043,"data":{}}}`
	for size, want := range map[int]int{64 << 10: 1, 64<<10 + 1: 0} {
		if n := len(challenge.ReadMessage([]byte(message + strings.Repeat(" ", size-len(message))))); n != want {
			t.Errorf("a message of %d bytes has %d offers", size, n)
		}
	}
	for ways, want := range map[int]int{64: 64, 65: 64} {
		list := strings.Repeat(`{},`, ways-1) + `{}`
		if n := len(challenge.ReadHTTP(nil, []byte(`{"x402Version":1,"accepts":[`+list+`]}`))); n != want {
			t.Errorf("%d ways to pay are %d offers", ways, n)
		}
	}
	if found := challenge.ReadHTTP(nil, []byte(`{"x402Version":"2","accepts":[{}]}`)); len(found) != 1 || found[0].Version != 0 || !strings.Contains(found[0].Faults[0].Sentence, `"2"`) {
		t.Errorf("a version that is a text is a fault of x402: %+v", found)
	}
}
