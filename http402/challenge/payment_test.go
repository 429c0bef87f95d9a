package challenge_test

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"go.almanac.example/http402/challenge"
)

// charge is a challenge of the scheme Payment.
func charge() string {
	return `Payment id="i", realm="r", method="lightning", intent="charge", request="` + request() + `", expires="2026-12-01T12:00:00Z"`
}

// TestPaymentHeaders reads one challenge of the scheme Payment in each spelling that the grammar allows (RFC 9110, section 11), and finds every parameter.
func TestPaymentHeaders(t *testing.T) {
	want := challenge.ChargeRequest{
		ID: "i", Realm: "r", Method: "lightning", Intent: "charge", Request: request(), Expires: "2026-12-01T12:00:00Z",
		ExpiresAt: time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC), AmountSats: 100, Network: "regtest", Description: "d",
	}
	for name, tt := range map[string]struct {
		header string
		edit   func(*challenge.ChargeRequest)
	}{
		"as it is written":        {charge(), nil},
		"tokens":                  {strings.ReplaceAll(strings.Replace(charge(), `"2026-12-01T12:00:00Z"`, `"2026-12-01T12:00:00Z" `, 1), `"r"`, `r`), nil},
		"a time in small letters": {strings.Replace(charge(), "2026-12-01T12:00:00Z", "2026-12-01t12:00:00z", 1), func(r *challenge.ChargeRequest) { r.Expires = "2026-12-01t12:00:00z" }},
		"names in capitals":       {strings.NewReplacer("Payment", "PAYMENT", "realm", "REALM", "request", "Request").Replace(charge()), nil},
		"spaces around equals":    {strings.ReplaceAll(charge(), `="`, ` = "`), nil},
		"no spaces":               {strings.ReplaceAll(charge(), ", ", ","), nil},
		"another order":           {`Payment request="` + request() + `", expires="2026-12-01T12:00:00Z", intent="charge", method="lightning", realm="r", id="i"`, nil},
		"quoted pairs":            {strings.Replace(charge(), `realm="r"`, `realm="a \"b\" \\ c"`, 1), func(r *challenge.ChargeRequest) { r.Realm = `a "b" \ c` }},
		"a comma in quotes":       {strings.Replace(charge(), `realm="r"`, `realm="a, b"`, 1), func(r *challenge.ChargeRequest) { r.Realm = "a, b" }},
		"a scheme in quotes":      {strings.Replace(charge(), `realm="r"`, `realm="x, Payment id=\"y\""`, 1), func(r *challenge.ChargeRequest) { r.Realm = `x, Payment id="y"` }},
		"every optional one": {charge() + `, digest="sha-256=:x:", opaque="e30", description="shown", header="Payment-Authorization"`, func(r *challenge.ChargeRequest) {
			r.Digest, r.Opaque, r.Description, r.Header = "sha-256=:x:", "e30", "shown", "Payment-Authorization"
		}},
		"unknown ones":      {charge() + `, x="y", z=1`, nil},
		"another zone":      {strings.Replace(charge(), "12:00:00Z", "13:00:00+01:00", 1), func(r *challenge.ChargeRequest) { r.Expires = "2026-12-01T13:00:00+01:00" }},
		"padded request":    {strings.Replace(charge(), request(), padded(request()), 1), func(r *challenge.ChargeRequest) { r.Request = padded(request()) }},
		"without an expiry": {strings.Replace(charge(), `, expires="2026-12-01T12:00:00Z"`, "", 1), func(r *challenge.ChargeRequest) { r.Expires, r.ExpiresAt = "", time.Time{} }},
		"members in the request": {strings.Replace(charge(), request(), base64.RawURLEncoding.EncodeToString([]byte(strings.Replace(requestJSON, `{"amount"`, `{"recipient":"x","externalId":"1:2","amount"`, 1))), 1), func(r *challenge.ChargeRequest) {
			r.Request = base64.RawURLEncoding.EncodeToString([]byte(strings.Replace(requestJSON, `{"amount"`, `{"recipient":"x","externalId":"1:2","amount"`, 1)))
		}},
	} {
		expected := want
		if tt.edit != nil {
			tt.edit(&expected)
		}
		found, unusable := challenge.Parse([]string{tt.header})
		if len(found) != 1 || len(unusable) != 0 {
			t.Errorf("%s: found %d, unusable %v", name, len(found), unusable)
			continue
		}
		got := *found[0].Charge
		if !got.ExpiresAt.Equal(expected.ExpiresAt) {
			t.Errorf("%s: expires at %s, want %s", name, got.ExpiresAt, expected.ExpiresAt)
		}
		got.ExpiresAt = expected.ExpiresAt
		if diff := cmp.Diff(expected, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func padded(text string) string { return text + strings.Repeat("=", (4-len(text)%4)%4) }

// TestPaymentLists finds the challenges of the scheme Payment in lists with others: in one line or in several, they come out whole and in
// order, nothing of another scheme gets into them, and what cannot be used neither hides the rest nor passes for a challenge.
func TestPaymentLists(t *testing.T) {
	other := strings.Replace(charge(), `id="i"`, `id="j"`, 1)
	session := strings.Replace(charge(), `"charge"`, `"session"`, 1)
	tempo := strings.Replace(charge(), `"lightning"`, `"tempo"`, 1)
	const basic = `Basic realm="x", charset="UTF-8"`
	for name, tt := range map[string]struct {
		values   []string
		ids      string // of what was found
		unusable int
	}{
		"nothing":                          {nil, "", 0},
		"an empty line":                    {[]string{""}, "", 0},
		"one":                              {[]string{charge()}, "i", 0},
		"two in one line":                  {[]string{charge() + ", " + other}, "ij", 0},
		"two in two lines":                 {[]string{charge(), other}, "ij", 0},
		"no space after the comma":         {[]string{charge() + "," + other}, "ij", 0},
		"empty elements":                   {[]string{", ," + charge() + ", , ," + other + ",,"}, "ij", 0},
		"after another scheme":             {[]string{basic + ", " + charge()}, "i", 0},
		"before another scheme":            {[]string{charge() + ", " + basic}, "i", 0},
		"between schemes without members":  {[]string{"Negotiate, " + charge() + ", Bearer"}, "i", 0},
		"after a token68":                  {[]string{"Negotiate a2V5PT0==, " + charge()}, "i", 0},
		"members of Basic do not leak":     {[]string{`Payment realm="r", method="lightning", intent="charge", request="` + request() + `", Basic id="i"`}, "", 1},
		"nor do those of Payment":          {[]string{`Payment id="i", Basic realm="r", method="lightning", intent="charge", request="` + request() + `"`}, "", 1},
		"a scheme's name within quotes":    {[]string{`Basic realm="Payment id=\"x\", method=\"lightning\"", ` + charge()}, "i", 0},
		"a scheme that begins like it":     {[]string{strings.Replace(charge(), "Payment", "Payments", 1), strings.Replace(charge(), "Payment", "Payment-X", 1)}, "", 0},
		"two intents":                      {[]string{session + ", " + charge()}, "i", 1},
		"two methods":                      {[]string{tempo + ", " + charge()}, "i", 1},
		"an incomplete one is passed over": {[]string{`Payment id="x", method="lightning", ` + charge()}, "i", 1},
		"all incomplete":                   {[]string{`Payment id="x"`, `Payment realm="r"`}, "", 2},
		"no other scheme is Payment":       {[]string{basic, "Bearer", "Negotiate a2V5"}, "", 0},
		"a member twice":                   {[]string{charge() + `, id="k"`, other}, "j", 1},
		"beside L402":                      {[]string{`L402 macaroon="` + token(t) + `", invoice="lnbcrt1u"`, charge()}, "Li", 0},
		"before L402, joined":              {[]string{charge() + `, L402 macaroon="` + token(t) + `", invoice="lnbcrt1u"`}, "iL", 0},
	} {
		found, unusable := challenge.Parse(tt.values)
		ids := ""
		for _, c := range found {
			switch {
			case c.Charge == nil:
				ids += "L"
			case c.Charge.Realm != "r" || c.Invoice != "lnbcrt1u1example":
				t.Errorf("%s: found %+v", name, c.Charge)
			default:
				ids += c.Charge.ID
			}
		}
		if ids != tt.ids || len(unusable) != tt.unusable {
			t.Errorf("%s: found %q, %d unusable (%v); want %q and %d", name, ids, len(unusable), unusable, tt.ids, tt.unusable)
		}
	}
}
