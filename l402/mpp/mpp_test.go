package mpp_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"go.almanac.example/http402/challenge"
	"go.almanac.example/l402/mpp"
)

// The ids of other implementations, and of the worked example: HMAC-SHA256 over six bars and what is between them.
func TestChallengeIDs(t *testing.T) {
	for name, tt := range map[string]struct {
		secret string
		c      mpp.Challenge
	}{
		"charge": {"mpp-test-vector-secret", mpp.Challenge{ID: "_9D0WlPoPRltxAd6AdpQd6auVOOeQGJ_J8BkGeBE_bU",
			Realm: "api.example.com", Method: "lightning", Intent: "charge", Request: "eyJhbW91bnQiOiIxMDAifQ"}},
		"every slot": {"mpp-test-vector-secret", mpp.Challenge{ID: "Wb8N5-PD4XjMfYGzuuY2bdpsrCQZzkQUX-A_ByIetHw", Realm: "api.example.com", Method: "lightning",
			Intent: "session", Request: "eyJhbW91bnQiOiIzIn0", Expires: "2026-03-15T12:05:00Z", Digest: "sha-256=:X48E9q:", Opaque: "eyJvcmRlcklkIjoiMTIzIn0"}},
		"a bar within a slot": {"mpp-test-vector-secret", mpp.Challenge{ID: "hE7mzL8ATHSnNdtPSJsxCRkpoUjIlf1sQErzg-VsbAA",
			Realm: "a|b", Method: "lightning", Intent: "charge", Request: "cQ"}},
		"another method": {"test-vector-secret-minimum-32-byte-secret", mpp.Challenge{ID: "6QDs0BmhrI_v67iWeCMvGqQJEFQ6ErWKlk7zi5xL6t0",
			Realm: "api.example.com", Method: "tempo", Intent: "charge", Request: challenge.Encode(`{"amount":"1000000"}`)}},
		"expires": {"test-vector-secret-minimum-32-byte-secret", mpp.Challenge{ID: "ZcHgfEi5_Qyda9NQwUzamsCgCcWXw6N6EH2NLyaSTlg",
			Realm: "api.example.com", Method: "tempo", Intent: "charge", Request: challenge.Encode(`{"amount":"1000000"}`), Expires: "2025-01-06T12:00:00Z"}},
		"the worked example": {"test-vector-secret-minimum-32-byte-secret", mpp.Challenge{ID: "VoDSnTOPZZs7ooJFFgGRpqTiJJjAmnqTk77ykAAliT0",
			Realm: "almanac.example", Method: "lightning", Intent: "charge", Expires: "2026-12-01T12:00:00Z",
			Request: challenge.Encode(challenge.CanonicalObject{"amount": "100", "currency": "sat", "description": "almanac search bundle", "methodDetails": challenge.CanonicalObject{
				"invoice": "lnbcrt1uexample", "network": "regtest", "paymentHash": "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd",
			}}.Canonical())}},
	} {
		t.Run(name, func(t *testing.T) {
			if !tt.c.IsFrom([]byte(tt.secret)) {
				t.Error("the id is not that of the challenge")
			}
			for member, edit := range map[string]func(*mpp.Challenge){
				"realm": func(c *mpp.Challenge) { c.Realm += "x" }, "method": func(c *mpp.Challenge) { c.Method += "x" },
				"intent": func(c *mpp.Challenge) { c.Intent += "x" }, "request": func(c *mpp.Challenge) { c.Request += "x" },
				"expires": func(c *mpp.Challenge) { c.Expires += "x" },
				"digest":  func(c *mpp.Challenge) { c.Digest += "x" },
				"opaque":  func(c *mpp.Challenge) { c.Opaque += "x" },
				"id":      func(c *mpp.Challenge) { c.ID = "" },
			} {
				changed := tt.c
				if edit(&changed); changed.IsFrom([]byte(tt.secret)) {
					t.Errorf("%s can be changed", member)
				}
			}
			if tt.c.IsFrom([]byte("another secret")) {
				t.Error("another secret gives the same id")
			}
		})
	}
}

func TestHeader(t *testing.T) {
	at := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	c := mpp.NewChallenge([]byte("secret"), "api.test", `say "hi" \o/`, challenge.CanonicalObject{"amount": "1"}, at)
	want := `Payment id="` + c.ID + `", realm="api.test", method="lightning", intent="charge", request="eyJhbW91bnQiOiIxIn0", ` +
		`expires="2026-12-01T12:00:00Z", description="say \"hi\" \\o/"`
	if diff := cmp.Diff(want, c.Header()); diff != "" {
		t.Error(diff)
	}
}

const preimage = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

func TestCredentials(t *testing.T) {
	const good = `{"challenge":{"expires":"2026-12-01T12:00:00Z","id":"i","intent":"charge","method":"lightning","opaque":"o","realm":"r","request":"q"},"payload":{"preimage":"` + preimage + `"},"source":"did:key:x","more":1}`
	for _, text := range []string{challenge.Encode(good), challenge.Encode(" " + good), challenge.Encode(good) + strings.Repeat("=", (4-len(challenge.Encode(good))%4)%4)} {
		c, err := mpp.ParseCredential(text)
		if err != nil {
			t.Fatal(err)
		}
		want := mpp.Challenge{ID: "i", Realm: "r", Method: "lightning", Intent: "charge", Request: "q", Expires: "2026-12-01T12:00:00Z", Opaque: "o"}
		if diff := cmp.Diff(want, c.Challenge); diff != "" || c.Preimage.String() != preimage {
			t.Errorf("%s\n%s", diff, c.Preimage)
		}
	}
	for name, doc := range map[string]string{
		"not JSON": "x", "empty": "", "null": "null", "a list": "[]", "a string": `"x"`, "no challenge": `{"payload":{"preimage":"` + preimage + `"}}`,
		"no payload": strings.Replace(good, "payload", "pay", 1), "no preimage": strings.Replace(good, `"preimage"`, `"x"`, 1),
		"upper case": strings.Replace(good, preimage, strings.ToUpper(preimage), 1), "short": strings.Replace(good, preimage, preimage[2:], 1),
		"not hexadecimal": strings.Replace(good, preimage, "zz"+preimage[2:], 1), "a number for a string": strings.Replace(good, `"i"`, "1", 1),
		"an object for the request": strings.Replace(good, `"q"`, "{}", 1), "two documents": good + good,
	} {
		if _, err := mpp.ParseCredential(challenge.Encode(doc)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	for _, text := range []string{"", "!", good, challenge.Encode(good) + "\n"} {
		if _, err := mpp.ParseCredential(text); err == nil {
			t.Errorf("%.20q: accepted", text)
		}
	}
}

// FuzzCredential holds that whatever is accepted has the parts that a credential must have.
func FuzzCredential(f *testing.F) {
	f.Add(challenge.Encode(`{"challenge":{"id":"i"},"payload":{"preimage":"` + preimage + `"}}`))
	f.Add("e30")
	f.Fuzz(func(t *testing.T, text string) {
		if c, err := mpp.ParseCredential(text); err == nil && len(c.Preimage) != 32 {
			t.Errorf("%q: %+v", text, c)
		}
	})
}
