package main

import (
	"net/http"
	"strings"
	"testing"

	"almanac/catalog"
	"almanac/l402/lnd/simnet"
	"almanac/problem"
	"almanac/server/servertest"
)

// TestLightning is the program as an operator runs it, on a real network: the offer is published
// exactly while the node answers, what was bought goes on without it, and it comes back by itself.
func TestLightning(t *testing.T) {
	net := simnet.Start(t)
	p := startServe(t, "-payments", "lnd", "-lnd-url", net.Merchant.URL, "-lnd-cert", net.Merchant.CertFile,
		"-lnd-macaroon", net.Merchant.MacaroonFile, "-lnd-network", net.Merchant.Network)
	s := &servertest.Client{T: t, URL: p.base}
	search := func(credential string) (*http.Response, string) {
		res, body := s.Do(http.MethodGet, "/v1/search?q=macaroon", "", "Authorization", credential)
		return res, string(body)
	}
	offered := func() bool {
		_, body := s.Do(http.MethodGet, catalog.SupportJSONPath, "")
		return strings.Contains(string(body), `"paid_api"`)
	}

	if !offered() {
		t.Fatal("support.json does not offer the paid interface while the node answers")
	}
	res, body := s.Do(http.MethodGet, "/v1/search?q=macaroon", "")
	if res.StatusCode != http.StatusPaymentRequired {
		t.Fatalf("status %d, want 402: %s", res.StatusCode, body)
	}
	c := servertest.Decode[servertest.Challenge](t, body)
	preimage, err := net.Pay(t.Context(), c.Invoice)
	if err != nil {
		t.Fatal(err)
	}
	credential := "L402 " + c.Macaroon + ":" + preimage
	if res, body := search(credential); res.StatusCode != http.StatusOK || res.Header.Get("X-Credit-Balance") != "99" {
		t.Fatalf("paid: status %d, balance %s: %s", res.StatusCode, res.Header.Get("X-Credit-Balance"), body)
	}

	net.StopMerchant()
	servertest.WaitUntil(t, "the offer vanishes", func() bool { return !offered() })
	if res, body := search(credential); res.StatusCode != http.StatusOK {
		t.Errorf("paid, without the node: status %d: %s", res.StatusCode, body)
	}
	res, body = s.Do(http.MethodGet, "/v1/search?q=macaroon", "")
	if code := servertest.Decode[servertest.Challenge](t, body).Code; res.StatusCode != http.StatusServiceUnavailable || problem.Code(code) != problem.NodeUnavailable || res.Header.Get("Retry-After") == "" {
		t.Errorf("unpaid, without the node: status %d, code %q, Retry-After %q", res.StatusCode, code, res.Header.Get("Retry-After"))
	}
	if res.Header.Get("WWW-Authenticate") != "" {
		t.Error("a 503 carries a challenge")
	}

	net.StartMerchant()
	servertest.WaitUntil(t, "the offer is back", offered)
	res, body = s.Do(http.MethodGet, "/v1/search?q=macaroon", "")
	if res.StatusCode != http.StatusPaymentRequired {
		t.Errorf("unpaid, with the node back: status %d: %s", res.StatusCode, body)
	}
	p.waitLog(`"path":"/v1/search","status":200`)
	if log := p.logged(); strings.Contains(log, preimage) || strings.Contains(log, c.Macaroon) {
		t.Error("the log holds the preimage or the macaroon")
	}
}
