package challenge_test

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/macaroon.v2"

	"go.almanac.example/http402/challenge"
)

// token returns a macaroon for the payment hash of 32 bytes 0xab, with caveats.
func token(t testing.TB, caveats ...string) string {
	t.Helper()
	id := make([]byte, 66)
	for i := 2; i < 34; i++ {
		id[i] = 0xab
	}
	return encode(t, id, caveats...)
}

func encode(t testing.TB, id []byte, caveats ...string) string {
	t.Helper()
	mac, err := macaroon.New([]byte("key"), id, "almanac", macaroon.LatestVersion)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range caveats {
		if err := mac.AddFirstPartyCaveat([]byte(c)); err != nil {
			t.Fatal(err)
		}
	}
	b, err := mac.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b)
}

const requestJSON = `{"amount":"100","currency":"sat","description":"d","methodDetails":{"invoice":"lnbcrt1u1example","network":"regtest","paymentHash":"630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"}}`

func request() string { return base64.RawURLEncoding.EncodeToString([]byte(requestJSON)) }

// TestParse reads one challenge in every shape that was seen of servers, and finds the same in each.
func TestParse(t *testing.T) {
	mac := token(t)
	url := strings.NewReplacer("+", "-", "/", "_", "=", "").Replace(mac)
	payment := `Payment id="i", realm="r", method="lightning", intent="charge", request="` + request() + `", expires="2026-12-01T12:00:00Z"`
	for _, tt := range []struct {
		name   string
		values []string
		want   []string // schemes
	}{
		{"as almanac", []string{`L402 macaroon="` + mac + `", invoice="lnbcrt1u", version="0", token="` + mac + `"`}, []string{"L402"}},
		{"as the text of 2026", []string{`L402 version="0", token="` + mac + `", invoice="lnbcrt1u"`}, []string{"L402"}},
		{"as aperture", []string{`LSAT macaroon="` + mac + `", invoice="lnbcrt1u"`, `L402 macaroon="` + mac + `", invoice="lnbcrt1u"`}, []string{"LSAT", "L402"}},
		{"as Alby, without a comma", []string{`L402 version="0" token="` + mac + `", invoice="lnbcrt1u"`}, []string{"L402"}},
		{"as paygate", []string{`L402 version="0", token="` + mac + `", macaroon="` + mac + `", invoice="lnbcrt1u"`}, []string{"L402"}},
		{"invoice first", []string{`L402 invoice="lnbcrt1u", macaroon="` + mac + `"`}, []string{"L402"}},
		{"lower case", []string{`l402 MACAROON="` + mac + `", Invoice="lnbcrt1u"`}, []string{"L402"}},
		{"no space after the comma", []string{`L402 macaroon="` + mac + `",invoice="lnbcrt1u"`}, []string{"L402"}},
		{"spaces everywhere", []string{"  L402 \t macaroon = \"" + mac + "\"  ,  invoice\t=\t\"lnbcrt1u\" "}, []string{"L402"}},
		{"no quotes", []string{`L402 macaroon=` + mac + `, invoice=lnbcrt1u`}, []string{"L402"}},
		{"base64url without padding", []string{`L402 macaroon="` + url + `", invoice="lnbcrt1u"`}, []string{"L402"}},
		{"empty elements", []string{`, ,L402 macaroon="` + mac + `", ,, invoice="lnbcrt1u",`}, []string{"L402"}},
		{"escapes", []string{`L402 macaroon="` + mac + `", invoice="ln\bcrt1u"`}, []string{"L402"}},
		{"joined by comma", []string{`LSAT macaroon="` + mac + `", invoice="lnbcrt1u", L402 macaroon="` + mac + `", invoice="lnbcrt1u", ` + payment}, []string{"LSAT", "L402", "Payment"}},
		{"joined without a space", []string{payment + `,L402 macaroon="` + mac + `", invoice="lnbcrt1u"`}, []string{"Payment", "L402"}},
		{"between others", []string{`Negotiate abc==, Basic realm="a, L402 macaroon=\"x\""`, `Bearer`, payment, `Digest qop="auth"`}, []string{"Payment"}},
		{"scheme after scheme", []string{`Negotiate, Bearer, L402 macaroon="` + mac + `", invoice="lnbcrt1u"`}, []string{"L402"}},
		{"unknown parameters", []string{`L402 foo="bar", macaroon="` + mac + `", invoice="lnbcrt1u", x=y`}, []string{"L402"}},
		{"Payment without quotes", []string{`payment id=i, realm=r, method=lightning, intent=charge, request=` + request()}, []string{"Payment"}},
		{"Payment among other methods", []string{strings.Replace(payment, "lightning", "tempo", 1), payment}, []string{"Payment"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found, unusable := challenge.Parse(tt.values)
			var schemes []string
			for _, c := range found {
				schemes = append(schemes, c.Scheme)
				if c.Scheme == challenge.Payment {
					if c.Invoice != "lnbcrt1u1example" || c.Charge.AmountSats != 100 || c.Charge.Network != "regtest" || !c.HasHash || hex.EncodeToString(c.Hash[:2]) != "630d" {
						t.Errorf("found %+v of %+v", c, c.Charge)
					}
				} else if c.Macaroon != mac || c.Invoice != "lnbcrt1u" || c.Hash[0] != 0xab || !c.HasHash {
					t.Errorf("found %+v", c)
				}
			}
			if diff := cmp.Diff(tt.want, schemes); diff != "" {
				t.Errorf("schemes (-want +got):\n%s\nunusable: %v", diff, unusable)
			}
		})
	}
}

// TestUnusable breaks one thing at a time; the error says which.
func TestUnusable(t *testing.T) {
	mac := token(t)
	l402 := `L402 macaroon="` + mac + `", invoice="lnbcrt1u"`
	payment := `Payment id="i", realm="r", method="lightning", intent="charge", request="` + request() + `"`
	with := func(old, new string) string {
		edited := strings.Replace(requestJSON, old, new, 1)
		if edited == requestJSON {
			t.Fatalf("%q is not in the request", old)
		}
		return strings.Replace(payment, request(), base64.RawURLEncoding.EncodeToString([]byte(edited)), 1)
	}
	for _, tt := range []struct{ name, value, want string }{
		{"no macaroon", `L402 invoice="lnbcrt1u"`, "neither a macaroon nor a token"},
		{"no invoice", `L402 macaroon="` + mac + `"`, "has no invoice"},
		{"empty invoice", `L402 macaroon="` + mac + `", invoice=""`, "has no invoice"},
		{"two macaroons", l402 + `, macaroon="` + mac + `"`, "repeats a parameter"},
		{"two invoices", l402 + `, invoice="lnbcrt2u"`, "repeats a parameter"},
		{"another token", l402 + `, token="` + token(t, "a=b") + `"`, "differ"},
		{"later version", l402 + `, version="1"`, "version"},
		{"a token with a colon", `L402 token="a:b", invoice="lnbcrt1u"`, "characters"},
		{"a token with a space", `L402 token="a b", invoice="lnbcrt1u"`, "characters"},
		{"an empty token", `L402 token="", invoice="lnbcrt1u"`, "neither a macaroon nor a token"},
		{"a macaroon cut off", `L402 macaroon="` + mac[:40] + `", invoice="lnbcrt1u"`, "cut off"},
		{"huge macaroon", `L402 macaroon="` + strings.Repeat("A", 20000) + `", invoice="lnbcrt1u"`, "20000 characters"},
		{"nested quotes", `L402 macaroon="` + mac + `" invoice="lnbc"rt1u"`, "lnbc"},
		{"no id", strings.Replace(payment, `id="i", `, "", 1), "id is missing"},
		{"no realm", strings.Replace(payment, `realm="r", `, "", 1), "realm is missing"},
		{"two requests", payment + `, request="e30"`, "request is repeated"},
		{"another method", strings.Replace(payment, "lightning", "tempo", 1), `"tempo"`},
		{"another intent", strings.Replace(payment, "charge", "session", 1), `"session"`},
		{"another header", payment + `, header="Cookie"`, `"Cookie"`},
		{"expires never", payment + `, expires="soon"`, `"soon"`},
		{"request not base64url", strings.Replace(payment, request(), "a+b/", 1), "base64url"},
		{"request not base64", strings.Replace(payment, request(), "***", 1), "base64url"},
		{"request not JSON", strings.Replace(payment, request(), "AAAA", 1), "not a JSON object"},
		{"huge request", strings.Replace(payment, request(), strings.Repeat("A", 20000), 1), "not a JSON object"},
		{"amount as a number", with(`"100"`, `100`), "not a string of digits"},
		{"amount of nothing", with(`"100"`, `"0"`), `"0"`},
		{"negative amount", with(`"100"`, `"-1"`), `"-1"`},
		{"amount with a point", with(`"100"`, `"1.5"`), `"1.5"`},
		{"amount with a plus", with(`"100"`, `"+5"`), `"+5"`},
		{"amount beyond 64 bits", with(`"100"`, `"99999999999999999999"`), "99999999999999999999"},
		{"currency", with(`"sat"`, `"usd"`), `"usd"`},
		{"no invoice in the request", with(`"invoice":"lnbcrt1u1example",`, ``), "no methodDetails.invoice"},
		{"short hash", with(`630dcd`, ``), "64 lower-case hexadecimal digits"},
		{"hash of letters", with(`630dcd`, `xyzxyz`), "64 lower-case hexadecimal digits"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found, unusable := challenge.Parse([]string{tt.value})
			if tt.name == "nested quotes" { // it can be read, but not as the invoice that a person sees
				if len(found) == 1 && strings.Contains(found[0].Invoice, "rt1u") {
					t.Errorf("invoice %q", found[0].Invoice)
				}
				return
			}
			if len(found) != 0 || len(unusable) != 1 || !strings.Contains(unusable[0].Error(), tt.want) {
				t.Errorf("found %d, unusable %v; want an error that says %q", len(found), unusable, tt.want)
			}
		})
	}
}

func TestCaveats(t *testing.T) {
	mac := token(t, "services=almanac:0", "almanac_valid_until=1800000000", "almanac_credits=100", "almanac_valid_until=1790000000")
	c, err := challenge.FromL402(mac, "lnbc1")
	if err != nil {
		t.Fatal(err)
	}
	if !c.ValidUntil.Equal(time.Unix(1790000000, 0)) || c.Credits != 100 {
		t.Errorf("valid until %s, %d credits", c.ValidUntil, c.Credits)
	}
}

// TestCredential compares the credential with the worked example of the Payment drafts.
func TestCredential(t *testing.T) {
	var preimage [32]byte
	for i := range preimage {
		preimage[i] = byte(i)
	}
	const proof = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
	c, err := challenge.FromL402(token(t), "lnbc1")
	if err != nil {
		t.Fatal(err)
	}
	got := c.Credential(preimage)
	if want := (challenge.Credential{Header: "Authorization", Value: "L402 " + token(t) + ":" + proof}); got != want {
		t.Errorf("L402: %v", got)
	}
	found, _ := challenge.Parse([]string{`Payment id="VoDSnTOPZZs7ooJFFgGRpqTiJJjAmnqTk77ykAAliT0", realm="almanac.example", method="lightning", intent="charge", request="` + request() + `", expires="2026-12-01T12:00:00Z", description="<shown & not sent>"`})
	got = found[0].Credential(preimage)
	body, err := base64.RawURLEncoding.DecodeString(strings.TrimPrefix(got.Value, "Payment "))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"challenge":{"expires":"2026-12-01T12:00:00Z","id":"VoDSnTOPZZs7ooJFFgGRpqTiJJjAmnqTk77ykAAliT0","intent":"charge","method":"lightning","realm":"almanac.example","request":"` + request() + `"},"payload":{"preimage":"` + proof + `"}}`
	if diff := cmp.Diff(want, string(body)); diff != "" || got.Header != "Authorization" {
		t.Errorf("%s (-want +got):\n%s", got.Header, diff)
	}
}

// TestReadMessage: a challenge as JSON with a native request is the one of the header.
func TestReadMessage(t *testing.T) {
	offers := challenge.ReadMessage([]byte(`{"error":{"code":-32042,"data":{"challenges":[{"id":"i","realm":"r","method":"lightning","intent":"charge","request":` + requestJSON + `}]}}}`))
	if len(offers) != 1 || offers[0].Challenge == nil {
		t.Fatalf("%+v", offers)
	}
	c := offers[0].Challenge
	if c.Charge.Request != request() {
		t.Errorf("request %s, want %s", c.Charge.Request, request())
	}
}

// FuzzParse: whatever a header holds, parsing ends, keeps within bounds, and what was found can be answered.
func FuzzParse(f *testing.F) {
	mac := token(f)
	f.Add(`L402 macaroon="`+mac+`", invoice="lnbcrt1u"`, `Payment id="i", realm="r", method="lightning", intent="charge", request="`+request()+`"`)
	f.Add(`L402 version="0" token=`+mac+`,invoice=lnbc`, `Basic realm="\"`)
	f.Add(`,,=",L402 =`, "Negotiate a==")
	f.Fuzz(func(t *testing.T, one, two string) {
		found, _ := challenge.Parse([]string{one, two})
		for _, c := range found {
			if c.Invoice == "" || c.Charge == nil && (c.Macaroon == "" || !c.HasHash) {
				t.Errorf("incomplete: %+v", c)
			}
			if scheme, proof, _ := strings.Cut(c.Credential([32]byte{}).Value, " "); scheme != c.Scheme || proof == "" {
				t.Errorf("cannot be answered: %+v", c)
			}
		}
		for _, raw := range challenge.Split([]string{one, two}) {
			if raw.Scheme == "" {
				t.Errorf("a challenge without a scheme in %q, %q", one, two)
			}
		}
	})
}

// FuzzQuoted: a value in quotes arrives as it was, whatever it holds.
func FuzzQuoted(f *testing.F) {
	f.Add(`a", L402 macaroon="x`, "b")
	f.Add(`\`, `,`)
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a)+len(b) > 1000 {
			return
		}
		quote := func(s string) string {
			return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
		}
		all := challenge.Split([]string{`X a=` + quote(a) + `, b=` + quote(b)})
		if len(all) != 1 || len(all[0].Faults) != 0 {
			t.Fatalf("%+v", all)
		}
		gotA, _ := all[0].Get("a")
		gotB, _ := all[0].Get("b")
		if gotA != a || gotB != b {
			t.Errorf("got %q, %q; want %q, %q", gotA, gotB, a, b)
		}
	})
}
