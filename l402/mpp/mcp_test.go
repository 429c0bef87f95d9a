package mpp_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/lightningnetwork/lnd/lntypes"

	"go.almanac.example/http402/challenge"
	"go.almanac.example/l402/mpp"
)

// TestReceipt: a receipt has the members that the drafts require of a charge over Lightning, in their canonical form,
// and never the proof.
func TestReceipt(t *testing.T) {
	p, err := lntypes.MakePreimageFromStr(preimage)
	if err != nil {
		t.Fatal(err)
	}
	const hash = "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"
	at := time.Date(2026, 12, 1, 11, 55, 7, 0, time.UTC)
	for name, tt := range map[string]struct {
		id        string
		hash      lntypes.Hash
		at        time.Time
		want, ref string
	}{
		"the worked example":    {"VoDSnTOPZZs7ooJFFgGRpqTiJJjAmnqTk77ykAAliT0", p.Hash(), at, "2026-12-01T11:55:07Z", hash},
		"another challenge":     {"_9D0WlPoPRltxAd6AdpQd6auVOOeQGJ_J8BkGeBE_bU", p.Hash(), at, "2026-12-01T11:55:07Z", hash},
		"an hour east":          {"i", p.Hash(), at.In(time.FixedZone("CET", 3600)), "2026-12-01T11:55:07Z", hash},
		"half an hour west":     {"i", p.Hash(), at.In(time.FixedZone("", -1800)), "2026-12-01T11:55:07Z", hash},
		"parts of a second":     {"i", p.Hash(), at.Add(999 * time.Millisecond), "2026-12-01T11:55:07Z", hash},
		"another year":          {"i", p.Hash(), at.AddDate(1, 1, 0), "2028-01-01T11:55:07Z", hash},
		"a hash of zeros":       {"i", lntypes.Hash{}, at, "2026-12-01T11:55:07Z", strings.Repeat("0", 64)},
		"a quote within the id": {`i"\`, p.Hash(), at, "2026-12-01T11:55:07Z", hash},
	} {
		receipt := mpp.NewReceipt(tt.id, tt.hash, tt.at)
		text, err := challenge.Decode(challenge.Encode(receipt.Canonical()))
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]string
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"challengeId": tt.id, "method": "lightning", "reference": tt.ref, "status": "success", "timestamp": tt.want}
		if diff := cmp.Diff(want, got); diff != "" || strings.Contains(text, preimage) {
			t.Errorf("%s: %s", name, diff)
		}
	}
	got := mpp.NewReceipt("VoDS", p.Hash(), at).Canonical()
	if want := `{"challengeId":"VoDS","method":"lightning","reference":"` + hash + `","status":"success","timestamp":"2026-12-01T11:55:07Z"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestMembers: a challenge of MCP is that of HTTP with a native request, and a credential that answers it is that of
// HTTP, however its members are ordered and spaced. One thing broken at a time is refused, or is not the challenge that
// was issued.
func TestMembers(t *testing.T) {
	secret := []byte("secret")
	c := mpp.NewChallenge(secret, "api.test", "d", challenge.CanonicalObject{"amount": "1", "methodDetails": challenge.CanonicalObject{"invoice": "lnbc1"}}, time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC))
	members := c.Members()
	want := `{"description":"d","expires":"2026-12-01T12:00:00Z","id":"` + c.ID + `","intent":"charge","method":"lightning","realm":"api.test","request":{"amount":"1","methodDetails":{"invoice":"lnbc1"}}}`
	if got := members.Canonical(); got != want {
		t.Fatalf("got %s, want %s", got, want)
	}
	good := `{"challenge":` + want + `,"payload":{"preimage":"` + preimage + `"}}`
	read := func(text string) (*mpp.Credential, error) {
		encoded, err := mpp.CredentialText([]byte(text))
		if err != nil {
			return nil, err
		}
		return mpp.ParseCredential(encoded)
	}
	replace := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("%s is not in %s", old, good)
		}
		return strings.Replace(good, old, new, 1)
	}
	for name, text := range map[string]string{
		"as it came":                good,
		"another order":             replace(`{"amount":"1","methodDetails":{"invoice":"lnbc1"}}`, `{"methodDetails":{"invoice":"lnbc1"},"amount":"1"}`),
		"spaces":                    replace(`{"amount":"1",`, " { \"amount\" : \"1\" ,\n"),
		"escapes":                   replace(`"lnbc1"`, `"\u006cnbc1"`),
		"the request as HTTP has":   replace(`{"amount":"1","methodDetails":{"invoice":"lnbc1"}}`, `"`+c.Request+`"`),
		"another description":       replace(`"description":"d"`, `"description":"e"`),
		"with a payer":              replace(`,"payload"`, `,"source":"did:key:x","payload"`),
		"members that nobody knows": replace(`{"challenge"`, `{"x":[1],"challenge"`),
	} {
		if got, err := read(text); err != nil || !got.Challenge.IsFrom(secret) || got.Preimage.String() != preimage {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	for name, text := range map[string]string{
		"another amount": replace(`"1"`, `"2"`), "amount as a number": replace(`"1"`, `1`), "a member more": replace(`"amount"`, `"a":null,"amount"`),
		"no request": replace(`,"request":{"amount":"1","methodDetails":{"invoice":"lnbc1"}}`, ``), "request is a list": replace(`{"amount":"1","methodDetails":{"invoice":"lnbc1"}}`, `[]`),
		"no challenge": `{"payload":{}}`, "challenge is a string": `{"challenge":"x","payload":{}}`, "no preimage": replace(preimage, ""), "capitals": replace(preimage, strings.ToUpper(preimage)),
		"no id": replace(`"id":"`+c.ID+`",`, ``), "a digest": replace(`"id"`, `"digest":"sha-256=:x:","id"`), "later": replace(`2026`, `2027`),
		"null": `null`, "a list": `[]`, "not JSON": `{`,
	} {
		if got, err := read(text); err == nil && got.Challenge.IsFrom(secret) {
			t.Errorf("%s: accepted as %+v", name, got)
		}
	}
}
