package client_test

import (
	"encoding/base64"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"gopkg.in/macaroon.v2"

	"go.almanac.example/http402/client"
	"go.almanac.example/http402/client/clienttest"
)

// caveatsOf returns the caveats of an Authorization value.
func caveatsOf(t *testing.T, authorization string) (caveats []string) {
	t.Helper()
	token, _, _ := strings.Cut(strings.TrimPrefix(authorization, "L402 "), ":")
	raw, err := base64.StdEncoding.DecodeString(token)
	if err != nil {
		t.Fatal(err)
	}
	var mac macaroon.Macaroon
	if err := mac.UnmarshalBinary(raw); err != nil {
		t.Fatal(err)
	}
	if _, err := mac.VerifySignature([]byte("a key"), nil); err != nil {
		t.Errorf("the copy is not signed on from the original: %v", err)
	}
	for _, c := range mac.Caveats() {
		caveats = append(caveats, string(c.Id))
	}
	return caveats
}

// TestShare: a copy for a helper is narrower, and serves them with a store of their own.
func TestShare(t *testing.T) {
	const end = 4_000_000_000
	m := newMarket(t)
	m.seller.Edit = func(h http.Header) {
		parts := strings.Split(h.Get("WWW-Authenticate"), `"`)
		invoice, mac := parts[3], parts[1]
		raw, _ := base64.StdEncoding.DecodeString(mac)
		var id macaroon.Macaroon
		if err := id.UnmarshalBinary(raw); err != nil {
			t.Error(err)
		}
		h.Set("WWW-Authenticate", clienttest.L402Header(clienttest.Macaroon(t, [32]byte(id.Id()[2:34]), "services=shop:0", "shop_valid_until=4000000000", "shop_credits=100"), invoice))
	}
	if _, err := m.client.Share(t.Context(), m.url, "/a", 5, time.Time{}); !errors.Is(err, client.ErrNothingToShare) {
		t.Errorf("shared before anything was bought: %v", err)
	}
	m.wantServed("/a")
	m.wantServed("/a") // 98 left
	until := time.Unix(end-1000, 0)
	shared, err := m.client.Share(t.Context(), m.url, "/a", 5, until)
	if err != nil {
		t.Fatal(err)
	}
	if got := caveatsOf(t, shared); strings.Join(got[3:], " ") != "shop_credits=7 shop_valid_until=3999999000" {
		t.Errorf("caveats %v", got)
	}
	wider, err := m.client.Share(t.Context(), m.url, "/a", 5000, time.Unix(end+1000, 0))
	if err != nil {
		t.Fatal(err)
	}
	if got := caveatsOf(t, wider); strings.Join(got[3:], " ") != "shop_credits=100 shop_valid_until=4000000000" {
		t.Errorf("caveats of what would be wider: %v", got)
	}
	helper := newMarket(t)
	helper.url = m.url
	if err := helper.client.Import(t.Context(), m.url, "/a", shared); err != nil {
		t.Fatal(err)
	}
	helper.wantServed("/a")
	helper.reopen()
	helper.wantServed("/a")
	helper.wantPayments(0)
	m.wantPayments(1)
	for _, bad := range []string{"", "L402", "L402 x:y", "Bearer x", shared[:len(shared)-1]} {
		if err := helper.client.Import(t.Context(), m.url, "/a", bad); err == nil {
			t.Errorf("imported %q", bad)
		}
	}
}

// TestShareBudget: where the seller counts budgets, the copy has requests of its own, and a copy of the copy at most as many.
func TestShareBudget(t *testing.T) {
	m := newMarket(t)
	m.seller.Edit = func(h http.Header) {
		parts := strings.Split(h.Get("WWW-Authenticate"), `"`)
		raw, _ := base64.StdEncoding.DecodeString(parts[1])
		var id macaroon.Macaroon
		if err := id.UnmarshalBinary(raw); err != nil {
			t.Error(err)
		}
		h.Set("WWW-Authenticate", clienttest.L402Header(clienttest.Macaroon(t, [32]byte(id.Id()[2:34]),
			"almanac_sold=paid:100:1795262400", "services=almanac:0", "almanac_valid_until=4000000000", "almanac_credits=100"), parts[3]))
	}
	m.wantServed("/a")
	names := map[string]bool{}
	for asked, want := range map[int64]string{5: "5", 100: "100", 5000: "100"} {
		shared, err := m.client.Share(t.Context(), m.url, "/a", asked, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		name, n, _ := strings.Cut(strings.TrimPrefix(caveatsOf(t, shared)[4], "almanac_budget="), ":")
		if n != want || len(name) != 16 || names[name] {
			t.Errorf("%d: a branch %q of %s requests, want one of its own of %s", asked, name, n, want)
		}
		names[name] = true
		helper := newMarket(t)
		if err := helper.client.Import(t.Context(), m.url, "/a", shared); err != nil {
			t.Fatal(err)
		}
		for more, want := range map[int64]string{3: "3", 200: want} {
			again, err := helper.client.Share(t.Context(), m.url, "/a", more, time.Time{})
			if err != nil {
				t.Fatal(err)
			}
			if caveats := caveatsOf(t, again); len(caveats) != 6 || !strings.HasSuffix(caveats[5], ":"+want) {
				t.Errorf("%d of %d: %v", more, asked, caveats)
			}
		}
	}
}

// TestLeft reads what an answer says is left, of a budget too.
func TestLeft(t *testing.T) {
	for list, want := range map[string]client.Left{
		`"credits";r=70;t=60`:                        {Known: true, Remaining: 70, Total: 100, For: time.Minute},
		`"budget";r=4;t=60, "credits";r=70;t=60`:     {Known: true, Remaining: 4, Total: 5, For: time.Minute},
		`"budget";r=4;t=60, "credits";r=2;t=60`:      {Known: true, Remaining: 2, Total: 5, For: time.Minute},
		`"per-minute";r=4;t=60`:                      {},
		`"per-minute";r=4;t=60, "credits";r=2;t=120`: {Known: true, Remaining: 2, Total: 100, For: 2 * time.Minute},
	} {
		policy := map[bool]string{true: `"budget";q=5, "credits";q=100;w=9`, false: `"per-minute";q=5, "credits";q=100;w=9`}[strings.Contains(list, "budget")]
		if !strings.Contains(list, "credits") {
			policy = ""
		}
		if got := client.LeftOf(http.Header{"Ratelimit": {list}, "Ratelimit-Policy": {policy}}); got != want {
			t.Errorf("%s: %+v, want %+v", list, got, want)
		}
	}
}

// TestShareNothing: what cannot be narrowed is not shared.
func TestShareNothing(t *testing.T) {
	m := newMarket(t) // its macaroons have no caveats
	m.wantServed("/a")
	if _, err := m.client.Share(t.Context(), m.url, "/a", 5, time.Time{}); !errors.Is(err, client.ErrNothingToShare) {
		t.Errorf("shared without a caveat for requests: %v", err)
	}
	if _, err := m.client.Share(t.Context(), m.url, "/a", 0, time.Now().Add(time.Hour)); !errors.Is(err, client.ErrNothingToShare) {
		t.Errorf("shared without a caveat for time: %v", err)
	}
	p := newMarket(t, func(_ *client.Config, s *clienttest.Seller) { s.Payment = true })
	p.wantServed("/a")
	if _, err := p.client.Share(t.Context(), p.url, "/a", 1, time.Time{}); !errors.Is(err, client.ErrNothingToShare) {
		t.Errorf("shared a charge: %v", err)
	}
}
