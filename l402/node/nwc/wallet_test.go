package nwc_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"go.almanac.example/http402/bolt11"
	"go.almanac.example/http402/client/clienttest"
	"go.almanac.example/http402/wallet"
	"go.almanac.example/http402/wallet/nwc"
	"go.almanac.example/http402/wallet/wallettest"
	"go.almanac.example/l402/node/nwc/nip47test"
)

// A service is a wallet service over a node.
type service struct {
	relay  *nip47test.Relay
	wallet *nip47test.Wallet
	node   *clienttest.Node
	mu     sync.Mutex
	fail   string // error code for every request
	paid   []map[string]any
}

func (s *service) setFail(code string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail = code
}

func (s *service) answer(method string, raw json.RawMessage) map[string]any {
	s.mu.Lock()
	fail := s.fail
	s.mu.Unlock()
	if fail != "" {
		return nip47test.Fault(fail)
	}
	var params struct {
		Invoice     string
		PaymentHash string `json:"payment_hash"`
		From        int64
		Offset      int
		Limit       int
	}
	json.Unmarshal(raw, &params)
	switch method {
	case "pay_invoice":
		inv, err := bolt11.Decode(params.Invoice)
		if err != nil {
			return nip47test.Fault("OTHER")
		}
		out, err := s.node.Pay(context.Background(), wallet.Payment{Invoice: params.Invoice, Hash: inv.Hash, AmountMilliSats: inv.MilliSats, FeeLimitMilliSats: 10_000})
		if err != nil {
			return nip47test.Fault("INTERNAL")
		}
		if out.Status != wallet.Succeeded {
			return nip47test.Fault("PAYMENT_FAILED")
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.paid = append(s.paid, map[string]any{"type": "outgoing", "state": "settled", "payment_hash": hex.EncodeToString(inv.Hash[:]),
			"preimage": hex.EncodeToString(out.Preimage[:]), "amount": inv.MilliSats, "fees_paid": out.FeeMilliSats, "created_at": time.Now().Unix()})
		return map[string]any{"result": map[string]any{"preimage": hex.EncodeToString(out.Preimage[:]), "fees_paid": out.FeeMilliSats}}
	case "list_transactions":
		s.mu.Lock()
		defer s.mu.Unlock()
		page := []map[string]any{}
		for _, p := range s.paid[min(params.Offset, len(s.paid)):] {
			if p["created_at"].(int64) >= params.From && len(page) < params.Limit {
				page = append(page, p)
			}
		}
		return map[string]any{"result": map[string]any{"transactions": page}}
	case "lookup_invoice":
		var hash [32]byte
		hex.Decode(hash[:], []byte(params.PaymentHash))
		out, _ := s.node.Track(context.Background(), hash)
		if out.Status != wallet.Succeeded {
			return nip47test.Fault("NOT_FOUND")
		}
		return map[string]any{"result": map[string]any{"type": "outgoing", "state": "settled", "preimage": hex.EncodeToString(out.Preimage[:]), "payment_hash": params.PaymentHash}}
	}
	return nip47test.Fault("NOT_IMPLEMENTED")
}

// connect starts a service and returns the connection's URI.
func connect(t *testing.T, withNIP44 bool) (*service, string) {
	t.Helper()
	s := &service{node: clienttest.NewNode(), relay: nip47test.NewRelay(t)}
	s.wallet = nip47test.NewWallet(t, withNIP44, s.answer, s.relay)
	return s, s.wallet.URI()
}

// TestWalletLaw runs the law with both encryptions, and with one relay of two out of reach.
func TestWalletLaw(t *testing.T) {
	t.Parallel()
	for name, withNIP44 := range map[string]bool{"NIP-44": true, "NIP-04": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // it waits for an invoice to expire
			s, uri := connect(t, withNIP44)
			other := clienttest.NewNode()
			w, err := nwc.New(uri)
			if err != nil {
				t.Fatal(err)
			}
			wallettest.Test(t, wallettest.Subject{
				Wallet: w,
				Invoice: func(t testing.TB, msat int64, expiry time.Duration) (string, [32]byte) {
					return s.node.Invoice(t, clienttest.Terms{MilliSats: msat, Expiry: expiry})
				},
				Unpayable: func(t testing.TB) (string, [32]byte, int64) {
					text, hash := other.Invoice(t, clienttest.Terms{MilliSats: 1000})
					return text, hash, 1000
				},
				Received: func(testing.TB) int { n, _, _ := s.node.Payments(); return n },
				Reopen: func(t testing.TB) wallet.Wallet {
					w, err := nwc.New(uri)
					if err != nil {
						t.Fatal(err)
					}
					return w
				},
			})
		})
	}
}

// TestFaults: an error that may hide a payment is no failure.
func TestFaults(t *testing.T) {
	s, uri := connect(t, true)
	w, err := nwc.New(uri)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		code   string
		failed bool
	}{
		{"INSUFFICIENT_BALANCE", true}, {"QUOTA_EXCEEDED", true}, {"RESTRICTED", true}, {"PAYMENT_FAILED", true}, {"NOT_IMPLEMENTED", true},
		{"INTERNAL", false}, {"OTHER", false}, {"SOMETHING_NEW", false},
	} {
		s.setFail(tt.code)
		text, hash := s.node.Invoice(t, clienttest.Terms{MilliSats: 1000})
		out, err := w.Pay(t.Context(), wallet.Payment{Invoice: text, Hash: hash, AmountMilliSats: 1000})
		if failed := err == nil && out.Status == wallet.Failed && strings.Contains(out.Reason, tt.code); failed != tt.failed {
			t.Errorf("%s: %s %q (%v), want failed %v", tt.code, out.Status, out.Reason, err, tt.failed)
		}
	}
}

// TestOrderAgain: of a wallet that looks up its own invoices alone, and refuses to pay again, an order that may have been given
// before has not failed; the list of payments has it.
func TestOrderAgain(t *testing.T) {
	node, paid, listed := clienttest.NewNode(), map[string]any{}, true
	service := nip47test.NewWallet(t, true, func(method string, _ json.RawMessage) map[string]any {
		switch {
		case method == "lookup_invoice":
			return nip47test.Fault("NOT_FOUND")
		case method == "list_transactions" && listed:
			return map[string]any{"result": map[string]any{"transactions": []any{paid}}}
		}
		return nip47test.Fault("PAYMENT_FAILED")
	}, nip47test.NewRelay(t))
	w, err := nwc.New(service.URI())
	if err != nil {
		t.Fatal(err)
	}
	text, hash := node.Invoice(t, clienttest.Terms{MilliSats: 1000})
	order := wallet.Payment{Invoice: text, Hash: hash, AmountMilliSats: 1000, FeeLimitMilliSats: 10_000, Again: true}
	before, err := node.Pay(t.Context(), order)
	if err != nil {
		t.Fatal(err)
	}
	paid["payment_hash"], paid["preimage"], paid["type"] = hex.EncodeToString(hash[:]), hex.EncodeToString(before.Preimage[:]), "outgoing"
	if out, err := w.Pay(t.Context(), order); err != nil || out.Status != wallet.Succeeded || out.Preimage != before.Preimage {
		t.Errorf("paid again: %s %q (%v), want the payment of the list", out.Status, out.Reason, err)
	}
	listed = false
	if out, err := w.Pay(t.Context(), order); err == nil || out.Status == wallet.Failed {
		t.Errorf("paid again without a list: %s %q (%v), want an outcome that is not known", out.Status, out.Reason, err)
	}
}

// TestSilence: a wallet that does not answer leaves the outcome open.
func TestSilence(t *testing.T) {
	t.Parallel()
	s, uri := connect(t, true)
	s.wallet.Handle(nil)
	w, err := nwc.New(uri)
	if err != nil {
		t.Fatal(err)
	}
	text, hash := s.node.Invoice(t, clienttest.Terms{MilliSats: 1000})
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	if out, err := w.Pay(ctx, wallet.Payment{Invoice: text, Hash: hash, AmountMilliSats: 1000}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%s (%v), want that the time has passed", out.Status, err)
	}
}

// TestNoInfoEvent: a wallet whose abilities no relay states is asked a question in NIP-04 first, and gets an order if it answers.
func TestNoInfoEvent(t *testing.T) {
	s, uri := connect(t, false)
	s.relay.Forgets.Store(true)
	w, err := nwc.New(uri)
	if err != nil {
		t.Fatal(err)
	}
	text, hash := s.node.Invoice(t, clienttest.Terms{MilliSats: 1000})
	pay := func(wait time.Duration) (wallet.Outcome, error) {
		ctx, cancel := context.WithTimeout(t.Context(), wait)
		defer cancel()
		return w.Pay(ctx, wallet.Payment{Invoice: text, Hash: hash, AmountMilliSats: 1000})
	}
	s.wallet.Handle(func(method string, params json.RawMessage) map[string]any {
		if method != "get_info" {
			t.Errorf("%s was sent to a wallet that has not answered", method)
		}
		return nil
	})
	if out, err := pay(300 * time.Millisecond); err == nil || !strings.Contains(err.Error(), "does not know the wallet") {
		t.Errorf("a wallet that is not there: %s (%v)", out.Status, err)
	}
	s.wallet.Handle(s.answer)
	if out, err := pay(time.Minute); err != nil || out.Status != wallet.Succeeded {
		t.Errorf("%s (%v), want a success", out.Status, err)
	}
}

// TestLookups: a record has the state of the payment if it is of the payment. That of an invoice, which a wallet finds when
// the payee has the same one, says only that it was paid.
func TestLookups(t *testing.T) {
	s, uri := connect(t, true)
	w, err := nwc.New(uri)
	if err != nil {
		t.Fatal(err)
	}
	_, hash := s.node.Invoice(t, clienttest.Terms{MilliSats: 1000})
	preimage := strings.Repeat("01", 32)
	for _, tt := range []struct {
		record map[string]any
		want   wallet.Status
		fails  bool
	}{
		{map[string]any{"state": "settled", "preimage": preimage}, wallet.Succeeded, false},
		{map[string]any{"state": "SETTLED", "preimage": preimage}, wallet.Succeeded, false},
		{map[string]any{"settled_at": 1, "preimage": preimage}, wallet.Succeeded, false},
		{map[string]any{"preimage": preimage}, wallet.Succeeded, false},
		{map[string]any{"state": "settled", "preimage": preimage, "payment_hash": "0e1c8a34-5dd1-4c1c-9d0b-6f0d5a2b8c11"}, wallet.Succeeded, false},
		{map[string]any{"state": "settled", "preimage": preimage, "payment_hash": preimage}, wallet.Unknown, true},
		{map[string]any{"state": "settled", "preimage": ""}, wallet.Unknown, true},
		{map[string]any{"state": "failed"}, wallet.Failed, false},
		{map[string]any{"state": "pending"}, wallet.Pending, false},
		{map[string]any{"type": "incoming", "state": "settled", "preimage": preimage}, wallet.Succeeded, false},
		{map[string]any{"type": "incoming", "state": "expired"}, wallet.Pending, false},
		{map[string]any{"type": "incoming", "state": "failed"}, wallet.Pending, false},
		{map[string]any{"type": "incoming", "preimage": preimage}, wallet.Pending, false}, // which some wallets show before
	} {
		s.wallet.Handle(func(string, json.RawMessage) map[string]any { return map[string]any{"result": tt.record} })
		if out, err := w.Track(t.Context(), hash); out.Status != tt.want || (err != nil) != tt.fails {
			t.Errorf("%v: %s (%v), want %s", tt.record, out.Status, err, tt.want)
		}
	}
}

// TestURI breaks one part at a time; no error shows the secret.
func TestURI(t *testing.T) {
	_, uri := connect(t, true)
	secret := uri[strings.Index(uri, "secret=")+7:]
	for name, good := range map[string]string{
		"without slashes":   strings.Replace(uri, "://", ":", 1),
		"slash at the key":  strings.Replace(uri, "?", "/?", 1),
		"of BTCPay Server":  "type=nwc;key=" + uri,
		"before the NIP":    strings.Replace(uri, "nostr+walletconnect", "nostrwalletconnect", 1),
		"encoded relays":    strings.ReplaceAll(uri, "ws://", "ws%3A%2F%2F"),
		"capitals, address": strings.Replace(uri, uri[len("nostr+walletconnect://"):][:64], strings.ToUpper(uri[len("nostr+walletconnect://"):][:64]), 1) + "&lud16=a@b.example\n",
	} {
		if _, err := nwc.New(good); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, bad := range map[string]string{
		"scheme":        strings.Replace(uri, "nostr+walletconnect", "https", 1),
		"no key":        strings.Replace(uri, uri[len("nostr+walletconnect://"):len("nostr+walletconnect://")+64], "", 1),
		"no secret":     strings.Replace(uri, "secret", "other", 1),
		"short secret":  uri[:len(uri)-2],
		"no relay":      strings.ReplaceAll(uri, "relay=", "other="),
		"relay on http": strings.Replace(uri, "ws://", "http://", 1),
	} {
		if _, err := nwc.New(bad); err == nil || strings.Contains(err.Error(), secret[:60]) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
