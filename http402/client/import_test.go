package client_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.almanac.example/http402/challenge"
	"go.almanac.example/http402/client"
)

// TestImport: a credential that somebody else bought is presented, also after a restart, and nothing is paid; so is a copy
// that they narrowed.
func TestImport(t *testing.T) {
	m := newMarket(t)
	m.wantServed("/a")
	bought := m.client.Find(t.Context(), m.url, "/a").Value()
	token, proof, _ := strings.Cut(strings.TrimPrefix(bought, "L402 "), ":")
	mac, _ := challenge.ReadMacaroon(token)
	if mac == nil || mac.AddFirstPartyCaveat([]byte("shop_credits=7")) != nil {
		t.Fatalf("%s cannot be narrowed", bought)
	}
	copied, err := mac.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	for _, credential := range []string{bought, "authorization: " + bought + "\n", "l402 " + base64.StdEncoding.EncodeToString(copied) + ":" + proof,
		"L402 " + token + "," + base64.StdEncoding.EncodeToString(copied) + ":" + proof} {
		helper := newMarket(t)
		helper.url = m.url
		for _, bad := range []string{"", "L402", "L402 x:y", "Bearer x", strings.TrimSpace(credential)[:len(credential)-2]} {
			if err := helper.client.Import(t.Context(), m.url, "/a", bad); err == nil {
				t.Errorf("imported %q", bad)
			}
		}
		if err := helper.client.Import(t.Context(), m.url, "/a", credential); err != nil {
			t.Fatal(err)
		}
		helper.wantServed("/a")
		helper.reopen()
		helper.wantServed("/a")
		helper.wantPayments(0)
	}
	m.wantPayments(1)
}

// TestLeft reads what an answer says is left, of a budget too.
func TestLeft(t *testing.T) {
	for list, want := range map[string]client.Left{
		`"credits";r=70;t=60`:                        {Known: true, Remaining: 70, For: time.Minute},
		`"budget";r=4;t=60, "credits";r=70;t=60`:     {Known: true, Remaining: 4, For: time.Minute},
		`"budget";r=4;t=60, "credits";r=2;t=60`:      {Known: true, Remaining: 2, For: time.Minute},
		`"per-minute";r=4;t=60`:                      {},
		`"per-minute";r=4;t=60, "credits";r=2;t=120`: {Known: true, Remaining: 2, For: 2 * time.Minute},
	} {
		if got := client.LeftOf(http.Header{"Ratelimit": {list}}); got != want {
			t.Errorf("%s: %+v, want %+v", list, got, want)
		}
	}
}

// TestPrices: a price is a number as JSON writes one, and of no exponent that takes memory.
func TestPrices(t *testing.T) {
	for stated, want := range map[string]bool{"100": true, "100.0": true, "1e2": true, "1.0E+2": true, "99": false, "1e3": false, "1e99": false, "1e999999999": false, "0x1p2": false, "": false} {
		if client.IsPrice(stated, 100_000) != want {
			t.Errorf("%s is 100 sat: %t", stated, !want)
		}
	}
}
