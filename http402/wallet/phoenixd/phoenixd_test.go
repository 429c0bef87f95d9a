package phoenixd_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.almanac.example/http402/bolt11"
	"go.almanac.example/http402/client"
	"go.almanac.example/http402/client/clienttest"
	"go.almanac.example/http402/journal"
	"go.almanac.example/http402/wallet"
	"go.almanac.example/http402/wallet/phoenixd"
	"go.almanac.example/http402/wallet/wallettest"
)

const password = "full access"

// A fake answers as the source of phoenixd 0.6 does: forms in, JSON or plain text out, failures with status 200, one
// attempt at an invoice at a time, and by hash the record of the latest.
type fake struct {
	node *clienttest.Node

	mu      sync.Mutex
	records map[[32]byte]record
	paid    [][32]byte // in their order
	lose    bool       // breaks off instead of answering an order
	blind   bool       // finds no payment by its hash
	says    string     // answers an order, with status 200; "" for none
}

type record struct {
	Preimage    *string `json:"preimage"`
	IsPaid      bool    `json:"isPaid"`
	Fees        int64   `json:"fees"`
	CompletedAt *int64  `json:"completedAt"`
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if _, given, _ := r.BasicAuth(); given != password {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if r.URL.Path == "/payments/outgoing" {
		f.list(w, r)
		return
	}
	if text, ok := strings.CutPrefix(r.URL.Path, "/payments/outgoingbyhash/"); ok {
		var hash [32]byte
		hex.Decode(hash[:], []byte(text))
		f.mu.Lock()
		defer f.mu.Unlock()
		if rec, ok := f.records[hash]; ok && !f.blind {
			json.NewEncoder(w).Encode(rec)
			return
		}
		w.WriteHeader(http.StatusNotFound)
		return
	}
	if f.says != "" {
		io.WriteString(w, f.says)
		return
	}
	inv, err := bolt11.Decode(r.FormValue("invoice"))
	if r.URL.Path != "/payinvoice" || err != nil {
		w.WriteHeader(http.StatusBadRequest)
		io.WriteString(w, "Parameter invoice must be of type bolt11invoice")
		return
	}
	f.pay(w, inv)
}

// list answers with a page of the payments that succeeded.
func (f *fake) list(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	from, _ := strconv.ParseInt(r.FormValue("from"), 10, 64)
	offset, _ := strconv.Atoi(r.FormValue("offset"))
	page := []map[string]any{}
	for _, hash := range f.paid[min(offset, len(f.paid)):] {
		if rec := f.records[hash]; *rec.CompletedAt >= from {
			page = append(page, map[string]any{"type": "outgoing_payment", "paymentHash": hex.EncodeToString(hash[:]), "preimage": rec.Preimage, "isPaid": true,
				"sent": 21, "fees": rec.Fees, "createdAt": *rec.CompletedAt, "completedAt": rec.CompletedAt})
		}
	}
	json.NewEncoder(w).Encode(page)
}

func (f *fake) pay(w http.ResponseWriter, inv bolt11.Invoice) {
	f.mu.Lock()
	rec, tried := f.records[inv.Hash]
	reason := ""
	switch {
	case tried && rec.IsPaid:
		reason = "this invoice has already been paid"
	case tried && rec.CompletedAt == nil:
		reason = "another payment is in progress for that invoice"
	default:
		f.records[inv.Hash] = record{}
	}
	lose := f.lose
	f.mu.Unlock()
	if reason == "" {
		now := time.Now().UnixMilli()
		out, _ := f.node.Pay(context.Background(), wallet.Payment{Hash: inv.Hash, AmountMilliSats: inv.MilliSats, FeeLimitMilliSats: 1 << 40})
		rec = record{CompletedAt: &now}
		if reason = out.Reason; out.Status == wallet.Succeeded {
			preimage := hex.EncodeToString(out.Preimage[:])
			rec = record{&preimage, true, out.FeeMilliSats, &now}
		}
		f.mu.Lock()
		if rec.IsPaid {
			f.paid = append(f.paid, inv.Hash)
		}
		f.records[inv.Hash] = rec
		f.mu.Unlock()
	}
	switch hash := hex.EncodeToString(inv.Hash[:]); {
	case lose:
		panic(http.ErrAbortHandler)
	case reason != "":
		json.NewEncoder(w).Encode(map[string]any{"type": "payment_failed", "paymentHash": hash, "reason": reason})
	default:
		json.NewEncoder(w).Encode(map[string]any{"type": "payment_sent", "recipientAmountSat": inv.MilliSats / 1000,
			"routingFeeSat": rec.Fees / 1000, "paymentHash": hash, "paymentPreimage": rec.Preimage})
	}
}

func newFake(t *testing.T) (*fake, func(testing.TB) wallet.Wallet) {
	t.Helper()
	f := &fake{node: clienttest.NewNode(), records: map[[32]byte]record{}}
	srv := httptest.NewServer(f)
	t.Cleanup(srv.Close)
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte(password+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return f, func(t testing.TB) wallet.Wallet {
		t.Helper()
		w, err := phoenixd.New(srv.URL, "", file)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
}

// TestPhoenixd is the law at a fake, since no phoenixd runs without its peer.
func TestPhoenixd(t *testing.T) {
	f, open := newFake(t)
	f.node.Fee = 4001
	wallettest.Test(t, wallettest.Subject{
		Wallet: open(t),
		Invoice: func(t testing.TB, msat int64, expiry time.Duration) (string, [32]byte) {
			return f.node.Invoice(t, clienttest.Terms{MilliSats: msat, Expiry: expiry})
		},
		Unpayable: func(t testing.TB) (string, [32]byte, int64) {
			text, hash := clienttest.NewNode().Invoice(t, clienttest.Terms{MilliSats: 21_000})
			return text, hash, 21_000
		},
		Received: func(testing.TB) int { n, _, _ := f.node.Payments(); return n },
		Reopen:   open,
	})
}

// TestLostAnswer: when the answer to an order is lost, the wallet does not know, and finds the payment by its hash. The
// record of an attempt that failed is no proof that none is under way.
func TestLostAnswer(t *testing.T) {
	f, open := newFake(t)
	f.lose = true
	w := open(t)
	text, hash := f.node.Invoice(t, clienttest.Terms{MilliSats: 21_000})
	if out, err := w.Pay(t.Context(), wallet.Payment{Invoice: text, Hash: hash, AmountMilliSats: 21_000}); err == nil {
		t.Errorf("Pay: %s without an error", out.Status)
	}
	if out, err := w.Track(t.Context(), hash); err != nil || out.Status != wallet.Succeeded {
		t.Errorf("Track: %s (%v), want a success", out.Status, err)
	}
	text, hash = clienttest.NewNode().Invoice(t, clienttest.Terms{MilliSats: 21_000})
	if out, err := w.Pay(t.Context(), wallet.Payment{Invoice: text, Hash: hash, AmountMilliSats: 21_000}); err == nil {
		t.Errorf("Pay: %s without an error", out.Status)
	}
	if out, err := w.Track(t.Context(), hash); err != nil || out.Status != wallet.Unknown {
		t.Errorf("Track: %s (%v), want unknown", out.Status, err)
	}
}

// TestPreimageOfAnswer: the preimage in the answer to an order counts, also if the payment cannot be looked up.
func TestPreimageOfAnswer(t *testing.T) {
	f, open := newFake(t)
	f.node.Fee, f.blind = 4001, true
	text, hash := f.node.Invoice(t, clienttest.Terms{MilliSats: 21_000})
	out, err := open(t).Pay(t.Context(), wallet.Payment{Invoice: text, Hash: hash, AmountMilliSats: 21_000})
	if err != nil || out.Status != wallet.Succeeded || sha256.Sum256(out.Preimage[:]) != hash || out.FeeMilliSats != 4000 {
		t.Errorf("Pay: %s, a fee of %d (%v), want a success with its preimage", out.Status, out.FeeMilliSats, err)
	}
}

// TestTextOfRefusal: old versions refused an order in plain text with status 200.
func TestTextOfRefusal(t *testing.T) {
	f, open := newFake(t)
	f.says = "invalid invoice"
	_, hash := f.node.Invoice(t, clienttest.Terms{MilliSats: 21_000})
	if out, err := open(t).Pay(t.Context(), wallet.Payment{Hash: hash}); err != nil || out.Status != wallet.Failed || !strings.Contains(out.Reason, f.says) {
		t.Errorf("Pay: %s %q (%v), want a failure that says %q", out.Status, out.Reason, err, f.says)
	}
}

// TestFeeIsCounted: the budget counts the fee that phoenixd took, though it is above the limit that phoenixd cannot be given.
func TestFeeIsCounted(t *testing.T) {
	f, open := newFake(t)
	f.node.Fee = 12_345
	seller := httptest.NewServer(&clienttest.Seller{T: t, Payee: f.node, Price: 10, Credits: 1})
	defer seller.Close()
	j, err := journal.Open(t.Context(), filepath.Join(t.TempDir(), "journal.db"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.New(client.Config{Wallet: open(t), Journal: j, Networks: []string{bolt11.Regtest},
		Budget: client.Budget{PerPayment: 10, Total: 30, FeeLimit: 5}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	hc := &http.Client{Transport: &client.Transport{Client: c}}
	if _, err := hc.Get(seller.URL); err != nil {
		t.Fatal(err)
	}
	if s, _, err := c.Spending(t.Context()); err != nil || s.Total != 22_345 {
		t.Errorf("%d msat are spent (%v), want 22,345", s.Total, err)
	}
	if _, err := hc.Get(seller.URL); err == nil || !strings.Contains(err.Error(), "7.655 sat of the budget of 30 sat in all is left") {
		t.Errorf("a second payment: %v", err)
	}
}

// TestPasswordIsRefused: a password that may not pay is told, and nothing is said about the payment.
func TestPasswordIsRefused(t *testing.T) {
	f, _ := newFake(t)
	srv := httptest.NewServer(f)
	defer srv.Close()
	file := filepath.Join(t.TempDir(), "limited")
	if err := os.WriteFile(file, []byte("limited"), 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := phoenixd.New(srv.URL, "", file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Pay(t.Context(), wallet.Payment{}); err == nil || !strings.Contains(err.Error(), "http-password") || strings.Contains(err.Error(), "limited") {
		t.Errorf("Pay: %v", err)
	}
	for _, address := range []string{"http://phoenix.example:9740", "ftp://localhost", "localhost:9740", "https://a:b@localhost"} {
		if _, err := phoenixd.New(address, "", file); err == nil {
			t.Errorf("%s is accepted", address)
		}
	}
}
