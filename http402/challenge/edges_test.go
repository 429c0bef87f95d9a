package challenge_test

import (
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"go.almanac.example/http402/challenge"
)

// cashu returns the header of a payment request in CBOR.
func cashu(t *testing.T, hexadecimal string) string {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(hexadecimal, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return "creqA" + base64.RawURLEncoding.EncodeToString(b)
}

// TestCashuEncodings reads every width, sign and kind of CBOR that a payment request may have (RFC 8949), and finds a
// fault in each that it may not.
func TestCashuEncodings(t *testing.T) {
	const unit, mints = " 6175 63736174 ", " 616d 816178 " // u: sat, m: [x]
	nested := func(depth int) string { return strings.Repeat("81", depth) + "00" }
	for _, tt := range []struct {
		name, cbor, amount string
		faults             int
	}{
		{"in the item", "a3 6161 0a" + unit + mints, "10", 0},
		{"a byte", "a3 6161 18ff" + unit + mints, "255", 0},
		{"two bytes", "a3 6161 190100" + unit + mints, "256", 0},
		{"four bytes", "a3 6161 1a00010000" + unit + mints, "65536", 0},
		{"eight bytes", "a3 6161 1b0000000100000000" + unit + mints, "4294967296", 0},
		{"a tag, true, null and bytes besides", "a6 6161 01" + unit + mints + "6164 c101 6173 f5 6174 41ff", "1", 0},
		{"a nested map", "a4 6161 01" + unit + mints + "6164 a1 6178 01", "1", 0},
		{"no amount", "a2" + unit + mints, "", 1},
		{"an amount of nothing", "a3 6161 00" + unit + mints, "", 1},
		{"a negative amount", "a3 6161 20" + unit + mints, "", 1},
		{"no unit", "a2 6161 01" + mints, "1", 1},
		{"no mints", "a2 6161 01" + unit, "1", 1},
		{"an empty list of mints", "a3 6161 01" + unit + "616d 80", "1", 1},
		{"an indefinite map", "bf ff", "", 1},
		{"cut off in a width", "a3 6161 19", "", 1},
		{"cut off in a text", "a3 6161 01" + unit + "616d 816278", "", 1},
		{"a key that is a number", "a1 01 01", "", 1},
		{"bytes behind", "a3 6161 01" + unit + mints + "00", "", 1},
		{"fewer elements than it says", "b8ff 6161 01", "", 1},
		{"a list", "80", "", 1},
		{"nothing", "", "", 1},
		{"deep", "a4 6161 01" + unit + mints + "6164" + nested(15), "1", 0},
		{"deeper than anybody writes", "a4 6161 01" + unit + mints + "6164" + nested(16), "", 1},
	} {
		o := challenge.ReadCashu(cashu(t, tt.cbor))
		if o.Amount != tt.amount || len(o.Faults) != tt.faults || tt.faults == 0 && o.Currency != "sat" {
			t.Errorf("%s: amount %q %s, faults %v", tt.name, o.Amount, o.Currency, o.Faults)
		}
	}
	binary := cashu(t, "a4 6161 01"+unit+mints+"6164 43fbefbf") // has - and _ in the URL alphabet
	for _, value := range []string{binary, strings.NewReplacer("-", "+", "_", "/").Replace(binary), " " + binary + "== "} {
		if o := challenge.ReadCashu(value); len(o.Faults) > 0 {
			t.Errorf("%s: %v", value, o.Faults)
		}
	}
	if !strings.ContainsAny(binary, "-_") {
		t.Error("the request has neither - nor _")
	}
}

// TestCaveatsInChallenges: the earliest end and the fewest credits of a macaroon are known, whatever else it says.
func TestCaveatsInChallenges(t *testing.T) {
	for _, tt := range []struct {
		caveats []string
		until   int64
		credits int64
	}{
		{[]string{"a_valid_until=100", "b_valid_until=50", "c_valid_until=70"}, 50, 0},
		{[]string{"a_credits=5", "b_credits=3", "c_credits=4"}, -1, 3},
		{[]string{"a_valid_until=-1", "a_credits=-1", "valid until=5", "a_credits=x", "a_valid_until=x", "services=3", "a_credits"}, -1, 0},
		{[]string{"a_valid_until=0"}, 0, 0},
	} {
		found, _ := challenge.Parse([]string{`L402 macaroon="` + token(t, tt.caveats...) + `", invoice="lnbcrt1u"`})
		if len(found) != 1 {
			t.Fatalf("%q: %d challenges", tt.caveats, len(found))
		}
		c := found[0]
		if c.ValidUntil.IsZero() != (tt.until < 0) || tt.until > 0 && c.ValidUntil != time.Unix(tt.until, 0).UTC() || c.Credits != tt.credits {
			t.Errorf("%q: until %s, %d credits", tt.caveats, c.ValidUntil, c.Credits)
		}
	}
}

// TestCredentialEchoes: a credential repeats every parameter that the server gave, but the description, and stands in
// the header that it asked for.
func TestCredentialEchoes(t *testing.T) {
	for _, name := range []string{"expires", "digest", "opaque", "header", "description"} {
		value := map[string]string{"expires": "2036-01-01T00:00:00Z", "header": "Payment-Authorization"}[name]
		if value == "" {
			value = "e30"
		}
		found, unusable := challenge.Parse([]string{strings.Replace(charge(), `, expires="2026-12-01T12:00:00Z"`, ``, 1) + `, ` + name + `="` + value + `"`})
		if len(found) != 1 {
			t.Fatalf("%s: %v", name, unusable)
		}
		c := found[0].Credential([32]byte{1})
		text, err := challenge.Decode(strings.TrimPrefix(c.Value, "Payment "))
		if err != nil || strings.Contains(text, `"`+name+`":`) == (name == "description") {
			t.Errorf("%s: %s (%v)", name, text, err)
		}
		if want := map[bool]string{true: "Payment-Authorization", false: "Authorization"}[name == "header"]; c.Header != want {
			t.Errorf("%s: in %s, want %s", name, c.Header, want)
		}
	}
}

// TestTitles: every offer has a short name.
func TestTitles(t *testing.T) {
	for want, o := range map[string]challenge.Offer{
		"L402": {Scheme: challenge.OfferL402}, "Cashu": {Scheme: challenge.OfferCashu}, "x402": {Scheme: challenge.OfferX402},
		"x402 exact": {Scheme: challenge.OfferX402, Method: "exact"}, "Payment a/b": {Scheme: challenge.OfferPayment, Method: "a", Intent: "b"},
	} {
		if o.Title() != want {
			t.Errorf("%q, want %q", o.Title(), want)
		}
	}
}

// TestReadingIsBounded: of headers beyond 64 KiB the rest is passed over, and a larger body is not read. Whatever they say, there are
// at most 64 offers, and few faults of each.
func TestReadingIsBounded(t *testing.T) {
	good, filler := cashu(t, "a3 6161 01 6175 63736174 616d 816178"), strings.Repeat("x", 64<<10)
	if n := len(challenge.ReadHTTP(http.Header{"X-Cashu": {good, filler, good}}, nil)); n != 1 {
		t.Errorf("%d offers, want that before the bound", n)
	}
	body := `{"x402Version":1,"accepts":[{"scheme":"exact","network":"base","maxAmountRequired":"1"}],"error":"` // more follows
	for size, want := range map[int]int{64 << 10: 1, 64<<10 + 1: 0} {
		text := body + strings.Repeat("x", size-len(body)-2) + `"}`
		if n := len(challenge.ReadHTTP(http.Header{}, []byte(text))); n != want {
			t.Errorf("a body of %d bytes has %d offers, want %d", size, n, want)
		}
	}
	for name, value := range map[string]string{"quotes": "L402 " + strings.Repeat(`"`, 60_000), "schemes": strings.Repeat("L402 ", 12_000),
		"parameters": "Payment " + strings.Repeat("a=b,c=d ", 8_000), "lines": "x"} {
		lines := slices.Repeat([]string{value}, max(1, 300-len(value)))
		offers := challenge.ReadHTTP(http.Header{"Www-Authenticate": lines, "X-Cashu": lines, "Payment-Required": lines}, nil)
		if len(offers) == 0 || len(offers) > 64 || slices.ContainsFunc(offers, func(o challenge.Offer) bool { return len(o.Faults) > 16 }) {
			t.Errorf("%s: %d offers, the first with %d faults", name, len(offers), len(offers[0].Faults))
		}
	}
}

// TestMessageParameters: a challenge in a JSON message keeps its parameters and says where it stood.
func TestMessageParameters(t *testing.T) {
	const list = `{"challenges":[{"id":"i","realm":"r","method":"lightning","intent":"charge","expires":"2036-01-01T00:00:00Z","digest":"d","opaque":"e30","description":"shown","header":"Payment-Authorization","request":` + requestJSON + `}]}`
	for place, message := range map[string]string{
		"error": `{"error":{"code":-32042,"data":` + list + `}}`,
		"_meta": `{"result":{"isError":true,"_meta":{"org.paymentauth/payment-required":` + list + `}}}`,
	} {
		offers := challenge.ReadMessage([]byte(message))
		if len(offers) != 1 || offers[0].Challenge == nil {
			t.Fatalf("%s: %+v", place, offers)
		}
		o, c := offers[0], offers[0].Challenge.Charge
		if o.Place != place || c.Expires != "2036-01-01T00:00:00Z" || c.Digest != "d" || c.Description != "shown" || c.Opaque != "e30" || c.Header != "Payment-Authorization" || c.Request != request() {
			t.Errorf("in %s: %+v", o.Place, c)
		}
	}
}

// TestSplitEdges: a header of exactly 64 KiB is read, one byte more is not; a name may have every character of a token;
// an unquoted value ends at a blank or comma, and may be empty.
func TestSplitEdges(t *testing.T) {
	for size, want := range map[int]int{64 << 10: 1, 64<<10 + 1: 0} {
		if n := len(challenge.Split([]string{"Bearer x=\"" + strings.Repeat("a", size-len(`Bearer x=""`)) + "\""})); n != want {
			t.Errorf("a header of %d bytes has %d challenges, want %d", size, n, want)
		}
	}
	raw := challenge.Split([]string{`A~z one~two=3, b=c d="e"`})
	if len(raw) != 1 || raw[0].Scheme != "A~z" || len(raw[0].Params) != 3 || len(raw[0].Faults) != 1 {
		t.Fatalf("%+v", raw)
	}
	for i, want := range []challenge.Param{{Name: "one~two", Value: "3"}, {Name: "b", Value: "c"}, {Name: "d", Value: "e"}} {
		if raw[0].Params[i] != want {
			t.Errorf("%+v, want %+v", raw[0].Params[i], want)
		}
	}
	raw = challenge.Split([]string{`A b=~c`, `A b=`, `A b= `})
	for i, value := range []string{"~c", "", ""} {
		if len(raw) != 3 || len(raw[i].Params) != 1 || raw[i].Params[0].Value != value {
			t.Errorf("%+v", raw)
		}
	}
}

// TestForgives reads challenges that leave no doubt, though their grammar is another: semicolons for commas, which is a fault, and an
// empty old name beside the new one.
func TestForgives(t *testing.T) {
	mac := token(t)
	for params, faults := range map[string]int{
		`macaroon="` + mac + `"; invoice="lnbcrt1u"`:           1,
		`macaroon=` + mac + `;invoice="lnbcrt1u"`:              2,
		`macaroon="", token="` + mac + `", invoice="lnbcrt1u"`: 0,
	} {
		raws := challenge.Split([]string{"L402 " + params})
		found, unusable := challenge.Parse([]string{"L402 " + params})
		if len(raws) != 1 || len(raws[0].Faults) != faults || len(found) != 1 {
			t.Errorf("%s: %+v, %v", params, raws, unusable)
		}
	}
}

// TestQuotesInQuotes: quotes that a description has in its middle end neither the challenge nor its end, which a buyer must not
// miss; a challenge behind a comma or a blank still begins.
func TestQuotesInQuotes(t *testing.T) {
	const more = `, expires="2026-01-29T12:05:00Z", header="Payment-Authorization"`
	for text, want := range map[string]int{
		`Payment id="a", description="Payment for "Premium" service"` + more:              1,
		`Payment id="a", description="Payment for "the most" premium service"` + more:     1,
		`Payment id="a", description="Say "hi""` + more:                                   1,
		`Payment id="a", description="Say "hi""` + more + `, L402 token="b", invoice="c"`: 2,
		`Payment id="a", description="Say hi"` + more + ` L402 token="b", invoice="c"`:    2,
	} {
		all := challenge.Split([]string{text})
		if end, _ := all[0].Get("expires"); len(all) != want || end == "" {
			t.Errorf("%s: %+v", text, all)
		} else if _, n := all[0].Get("header"); n != 1 || strings.Contains(text, `hi""`) && len(all[0].Faults) == 0 {
			t.Errorf("%s: %+v", text, all)
		}
	}
}
