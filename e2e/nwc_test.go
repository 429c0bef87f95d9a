package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/btcsuite/btcd/chaincfg"
	"github.com/lightningnetwork/lnd/zpay32"

	"go.almanac.example/internal/problem"
	"go.almanac.example/l402/node/lnd/simnet"
	"go.almanac.example/l402/node/nwc/nip47test"
	"go.almanac.example/server/servertest"
)

// A lightningWallet is a wallet service over the merchant's node: it makes invoices, and shows the preimages of those
// that are paid.
type lightningWallet struct {
	net *simnet.Network
}

func (w lightningWallet) handle(method string, raw json.RawMessage) map[string]any {
	var params struct {
		Amount, Expiry int64
		Description    string
		PaymentHash    string `json:"payment_hash"`
	}
	if err := json.Unmarshal(raw, &params); err != nil {
		return nip47test.Fault("OTHER")
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	switch method {
	case "make_invoice":
		text, hash, err := w.net.Invoice(ctx, params.Amount, params.Description, time.Duration(params.Expiry)*time.Second)
		if err != nil {
			return nip47test.Fault("INTERNAL")
		}
		return map[string]any{"result": map[string]any{"type": "incoming", "invoice": text, "payment_hash": fmt.Sprintf("%x", hash), "amount": params.Amount}}
	case "lookup_invoice":
		state, err := w.net.InvoiceState(ctx, params.PaymentHash)
		if err != nil {
			return nip47test.Fault("NOT_FOUND")
		}
		return map[string]any{"result": map[string]any{"type": "incoming", "payment_hash": params.PaymentHash, "state": strings.ToLower(state)}}
	}
	return nip47test.Fault("NOT_IMPLEMENTED")
}

// A nodeShop is the program selling with the node of others, and a buyer with one.
type nodeShop struct {
	*process
	client *servertest.Client
	net    *simnet.Network
	seen   map[string]bool // invoices
}

func openNWCShop(t *testing.T, net *simnet.Network, uri string) *nodeShop {
	t.Helper()
	file := filepath.Join(t.TempDir(), "connection")
	if err := os.WriteFile(file, []byte(uri), 0o600); err != nil {
		t.Fatal(err)
	}
	p := startServe(t, append(hurried, "-payments", "nwc", "-nwc-connection", file, "-nwc-network", "simnet", "-price", "10", "-credits", "3")...)
	return &nodeShop{p, &servertest.Client{T: t, URL: p.base}, net, map[string]bool{}}
}

func (s *nodeShop) search(credential string) (*http.Response, []byte) {
	return s.client.Do(http.MethodGet, "/v1/search?q=macaroon", "", "Authorization", credential)
}

// wantDown asks until something else than a challenge comes, which must be a clear refusal; a challenge that still
// comes must be a good one.
func (s *nodeShop) wantDown(what string) {
	s.t.Helper()
	servertest.WaitUntil(s.t, what+": 503", func() bool {
		res, body := s.search("")
		if res.StatusCode == http.StatusPaymentRequired {
			s.check(body)
			return false
		}
		p := servertest.Decode[servertest.Challenge](s.t, body)
		if res.StatusCode != http.StatusServiceUnavailable || problem.Code(p.Code) != problem.NodeUnavailable || res.Header.Get("Retry-After") == "" || res.Header.Get("WWW-Authenticate") != "" || p.Invoice != "" {
			s.t.Errorf("%s: status %d, Retry-After %q: %s", what, res.StatusCode, res.Header.Get("Retry-After"), body)
		}
		return true
	})
}

// check returns a challenge if its invoice is for this network, the price and this time, and new.
func (s *nodeShop) check(body []byte) servertest.Challenge {
	s.t.Helper()
	c := servertest.Decode[servertest.Challenge](s.t, body)
	inv, err := zpay32.Decode(c.Invoice, &chaincfg.SimNetParams)
	if err != nil || inv.MilliSat == nil || *inv.MilliSat != 10_000 || fmt.Sprintf("%x", *inv.PaymentHash) != c.PaymentHash || !time.Now().Before(inv.Timestamp.Add(inv.Expiry())) || s.seen[c.Invoice] {
		s.t.Errorf("a wrong invoice (%v), seen before: %t: %s", err, s.seen[c.Invoice], body)
	}
	s.seen[c.Invoice] = true
	return c
}

// buy waits for a challenge, pays it, and uses the credential until it is used up.
func (s *nodeShop) buy(what string) {
	s.t.Helper()
	var c servertest.Challenge
	servertest.WaitUntil(s.t, what+": a challenge", func() bool {
		res, body := s.search("")
		if res.StatusCode == http.StatusPaymentRequired {
			c = s.check(body)
		}
		return res.StatusCode == http.StatusPaymentRequired
	})
	preimage, err := s.net.Pay(s.t.Context(), c.Invoice)
	if err != nil {
		s.t.Fatal(err)
	}
	for left := 2; left >= 0; left-- {
		if res, body := s.search("L402 " + c.Macaroon + ":" + preimage); res.StatusCode != http.StatusOK || res.Header.Get("X-Credit-Balance") != fmt.Sprint(left) {
			s.t.Errorf("%s, with %d left: status %d, balance %q: %s", what, left+1, res.StatusCode, res.Header.Get("X-Credit-Balance"), body)
		}
	}
}

func (s *nodeShop) readyz() string {
	_, body := servertest.Ask(s.t, http.MethodGet, "http://"+s.admin+"/readyz", "")
	return string(body)
}

// wantSecret fails if the connection's secret stands in the list of processes or in the log.
func (s *nodeShop) wantSecret(secret string) {
	s.t.Helper()
	if args, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", s.cmd.Process.Pid)); err == nil && strings.Contains(string(args), secret) {
		s.t.Error("the list of processes shows the secret")
	}
	if strings.Contains(s.logged(), secret) {
		s.t.Error("the log shows the secret")
	}
}
