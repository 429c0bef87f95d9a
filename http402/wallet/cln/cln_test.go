package cln_test

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.almanac.example/http402/bolt11"
	"go.almanac.example/http402/client/clienttest"
	"go.almanac.example/http402/wallet"
	"go.almanac.example/http402/wallet/cln"
	"go.almanac.example/http402/wallet/wallettest"
)

const runeText = "rune-that-pays"

// A fake answers as clnrest and lightning-pay(7) are documented: success with 201, JSON-RPC errors with 500, every
// attempt at an invoice in listpays, and a paid invoice paid again with the first outcome.
type fake struct {
	node *clienttest.Node

	mu   sync.Mutex
	pays map[string][]map[string]any
	lose bool

	modern bool // it has no pay any more
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	fault := func(status, code int, message string) {
		w.WriteHeader(status)
		json.NewEncoder(w).Encode(map[string]any{"code": code, "message": message})
	}
	if r.Header.Get("Rune") != runeText {
		fault(http.StatusUnauthorized, 1502, "Not permitted: not derived from master")
		return
	}
	var in struct {
		Bolt11      string
		InvString   string
		MaxFee      int64
		RetryFor    int64  `json:"retry_for"`
		PaymentHash string `json:"payment_hash"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		fault(http.StatusInternalServerError, -32602, err.Error())
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if r.URL.Path == "/v1/listpays" {
		pays := append([]map[string]any{}, f.pays[in.PaymentHash]...)
		for _, list := range f.pays {
			if in.PaymentHash == "" {
				pays = append(pays, list...)
			}
		}
		w.WriteHeader(http.StatusCreated)
		json.NewEncoder(w).Encode(map[string]any{"pays": pays})
		return
	}
	inv, err := bolt11.Decode(cmp.Or(in.Bolt11, in.InvString))
	switch {
	case r.URL.Path == "/v1/pay" && f.modern:
		fault(http.StatusNotFound, -32601, "Command pay is deprecated")
		return
	case r.URL.Path != "/v1/pay" && (r.URL.Path != "/v1/xpay" || !f.modern) || err != nil || in.RetryFor < 1:
		fault(http.StatusInternalServerError, -32602, "Invalid parameter")
		return
	case !time.Now().Before(inv.ExpiresAt):
		fault(http.StatusInternalServerError, 207, "Invoice expired")
		return
	}
	out, _ := f.node.Pay(context.Background(), wallet.Payment{Hash: inv.Hash, AmountMilliSats: inv.MilliSats, FeeLimitMilliSats: in.MaxFee})
	hash, preimage, status := hex.EncodeToString(inv.Hash[:]), hex.EncodeToString(out.Preimage[:]), "complete"
	if out.Status != wallet.Succeeded {
		status, preimage = "failed", ""
	}
	sent := inv.MilliSats + out.FeeMilliSats
	f.pays[hash] = append(f.pays[hash], map[string]any{"payment_hash": hash, "created_at": time.Now().Unix(), "status": status, "preimage": preimage, "amount_msat": inv.MilliSats, "amount_sent_msat": sent})
	switch {
	case f.lose:
		panic(http.ErrAbortHandler)
	case status == "failed":
		fault(http.StatusInternalServerError, 205, "Ran out of routes to try: "+out.Reason)
		return
	}
	w.WriteHeader(http.StatusCreated)
	json.NewEncoder(w).Encode(map[string]any{"status": status, "payment_preimage": preimage, "amount_msat": inv.MilliSats, "amount_sent_msat": sent})
}

func newFake(t *testing.T) (*fake, func(testing.TB) wallet.Wallet) {
	t.Helper()
	f := &fake{node: clienttest.NewNode(), pays: map[string][]map[string]any{}}
	srv := httptest.NewTLSServer(f)
	t.Cleanup(srv.Close)
	cert, secret := filepath.Join(t.TempDir(), "ca.pem"), filepath.Join(t.TempDir(), "rune")
	if err := os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(secret, []byte(runeText), 0o600); err != nil {
		t.Fatal(err)
	}
	return f, func(t testing.TB) wallet.Wallet {
		t.Helper()
		w, err := cln.New(srv.URL, cert, secret)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
}

// TestCoreLightning is the law at a fake, since Debian has no Core Lightning.
func TestCoreLightning(t *testing.T) { testNode(t, false) }

// TestWithoutPay is the law at a node that has xpay alone.
func TestWithoutPay(t *testing.T) { testNode(t, true) }

func testNode(t *testing.T, modern bool) {
	f, open := newFake(t)
	f.node.Fee, f.modern = 1234, modern
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

// TestFeeLimit: the node gets the fee limit to the millisatoshi, and the outcome has the fee.
func TestFeeLimit(t *testing.T) {
	f, open := newFake(t)
	f.node.Fee = 1234
	for limit, want := range map[int64]wallet.Status{1233: wallet.Failed, 1234: wallet.Succeeded} {
		text, hash := f.node.Invoice(t, clienttest.Terms{MilliSats: 21_000})
		out, err := open(t).Pay(t.Context(), wallet.Payment{Invoice: text, Hash: hash, AmountMilliSats: 21_000, FeeLimitMilliSats: limit})
		if err != nil || out.Status != want || want == wallet.Succeeded && out.FeeMilliSats != 1234 {
			t.Errorf("limit %d: %s %s, fee %d (%v), want %s", limit, out.Status, out.Reason, out.FeeMilliSats, err, want)
		}
	}
}

// TestAttempts: a payment found by its hash has the state of its best attempt, and one whose answer was lost is found. Attempts
// that failed say nothing: another may follow.
func TestAttempts(t *testing.T) {
	f, open := newFake(t)
	f.lose = true
	w := open(t)
	text, hash := f.node.Invoice(t, clienttest.Terms{MilliSats: 21_000})
	if out, err := w.Pay(t.Context(), wallet.Payment{Invoice: text, Hash: hash, FeeLimitMilliSats: 1}); err == nil {
		t.Errorf("Pay: %s without an error", out.Status)
	}
	paid := f.pays[hex.EncodeToString(hash[:])][0]
	failed, pending := map[string]any{"status": "failed"}, map[string]any{"status": "pending"}
	for _, tt := range []struct {
		pays []map[string]any
		want wallet.Status
	}{
		{nil, wallet.Unknown}, {[]map[string]any{failed}, wallet.Unknown}, {[]map[string]any{failed, pending}, wallet.Pending},
		{[]map[string]any{pending, failed}, wallet.Pending}, {[]map[string]any{failed, paid}, wallet.Succeeded},
		{[]map[string]any{pending, paid}, wallet.Succeeded},
	} {
		f.mu.Lock()
		f.pays[hex.EncodeToString(hash[:])] = tt.pays
		f.mu.Unlock()
		if out, err := w.Track(t.Context(), hash); err != nil || out.Status != tt.want {
			t.Errorf("%v: %s (%v), want %s", tt.pays, out.Status, err, tt.want)
		}
	}
}

// TestInProgress: an order that the node refuses because an earlier one is under way has not failed, whatever its list says; nor has
// one that it refuses for another reason, as xpay does, while the earlier one may be between two attempts.
func TestInProgress(t *testing.T) {
	refusal := `{"code":200,"message":"Other payment attempts are in progress."}`
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/pay" {
			w.WriteHeader(http.StatusInternalServerError)
			io.WriteString(w, refusal)
			return
		}
		io.WriteString(w, `{"pays":[{"status":"failed"}]}`)
	}))
	defer srv.Close()
	secret := filepath.Join(t.TempDir(), "rune")
	if err := os.WriteFile(secret, []byte(runeText), 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := cln.New(srv.URL, "", secret)
	if err != nil {
		t.Fatal(err)
	}
	for _, refusal = range []string{refusal, `{"code":205,"message":"Could not find a route."}`} {
		if out, err := w.Pay(t.Context(), wallet.Payment{Timeout: time.Second, Again: true}); err != nil || out.Status != wallet.Pending {
			t.Errorf("%s: %s (%v), want pending", refusal, out.Status, err)
		}
	}
}

// TestNodeVersions: the preimage of a payment is kept in whatever way a version writes the rest.
func TestNodeVersions(t *testing.T) {
	const preimage = `"0101010101010101010101010101010101010101010101010101010101010101"`
	for answer, fee := range map[string]int64{
		`{"payment_preimage":` + preimage + `,"status":"complete","created_at":1764421200.482,"amount_msat":1000,"amount_sent_msat":1003}`:                         3,
		`{"payment_preimage":` + preimage + `,"status":"complete","created_at":1764421200,"amount_msat":"1000msat","amount_sent_msat":"1003msat","msatoshi":1000}`: 3,
		`{"payment_preimage":` + preimage + `,"status":"complete","amount_msat":1e3,"amount_sent_msat":1003.0}`:                                                    3,
		`{"payment_preimage":` + preimage + `,"created_at":"soon","amount_sent_msat":1003}`:                                                                        0,
		`{"preimage":` + preimage + `,"status":"complete","created_at":null,"amount_msat":null}`:                                                                   0,
	} {
		for _, list := range []bool{false, true} {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				text := answer
				if list {
					text = `{"pays":[` + strings.Replace(answer, `"created_at"`, `"status":"complete","created_at"`, 1) + `]}`
				}
				io.WriteString(w, text)
			}))
			secret := filepath.Join(t.TempDir(), "rune")
			if err := os.WriteFile(secret, []byte(runeText), 0o600); err != nil {
				t.Fatal(err)
			}
			w, err := cln.New(srv.URL, "", secret)
			if err != nil {
				t.Fatal(err)
			}
			ask := func() (wallet.Outcome, error) { return w.Pay(t.Context(), wallet.Payment{Timeout: time.Second}) }
			if list {
				ask = func() (wallet.Outcome, error) { return w.Track(t.Context(), [32]byte{}) }
			}
			if out, err := ask(); err != nil || out.Status != wallet.Succeeded || out.Preimage[0] != 1 || out.FeeMilliSats != fee {
				t.Errorf("list %t of %s: %+v, %v", list, answer, out, err)
			}
			if made, err := w.Payments(t.Context(), time.Time{}); list && (err != nil || len(made) != 1 ||
				strings.Contains(answer, "1003") != (made[0].AmountMilliSats+made[0].FeeMilliSats == 1003)) {
				t.Errorf("payments of %s: %+v, %v", answer, made, err)
			}
			srv.Close()
		}
	}
}

// TestForeignAnswers: what is not clnrest, or refuses the rune, leaves the payment unknown and shows no secret.
func TestForeignAnswers(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"a page":     func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html>") },
		"no message": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(502); io.WriteString(w, "{}") },
		"a refused rune": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(401)
			io.WriteString(w, `{"code":1502,"message":"Not permitted"}`)
		},
		"no preimage": func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, `{"status":"complete"}`) },
	} {
		t.Run(name, func(t *testing.T) {
			srv := httptest.NewServer(answer)
			defer srv.Close()
			secret := filepath.Join(t.TempDir(), "rune")
			if err := os.WriteFile(secret, []byte(runeText), 0o600); err != nil {
				t.Fatal(err)
			}
			w, err := cln.New(srv.URL, "", secret)
			if err != nil {
				t.Fatal(err)
			}
			if out, err := w.Pay(t.Context(), wallet.Payment{Timeout: time.Second}); err == nil || strings.Contains(err.Error(), runeText) {
				t.Errorf("Pay: %s (%v), want an error", out.Status, err)
			}
		})
	}
}
