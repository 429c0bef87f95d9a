package server

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/btcsuite/btcd/chaincfg"

	"go.almanac.example/catalog"
	"go.almanac.example/l402"
	"go.almanac.example/l402/ledger"
	"go.almanac.example/l402/node"
	"go.almanac.example/l402/node/invoicertest"
	"go.almanac.example/server/ops"
	"go.almanac.example/server/servertest"
)

// A phoenix answers as a phoenixd does.
type phoenix struct {
	*httptest.Server
	mu        sync.Mutex
	passwords []string // that it accepts
	open      bool     // tells preimages without the password
	preimages map[string]string
}

func newPhoenix(t *testing.T) *phoenix {
	t.Helper()
	p := &phoenix{passwords: []string{"first"}, preimages: map[string]string{}}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		_, password, _ := r.BasicAuth()
		hash, reads := strings.CutPrefix(r.URL.Path, "/payments/incoming/")
		switch {
		case !slices.Contains(p.passwords, password) && !(reads && p.open):
			http.Error(w, "Invalid authentication", http.StatusUnauthorized)
		case reads:
			json.NewEncoder(w).Encode(map[string]any{"preimage": p.preimages[hash], "isPaid": false})
		case r.URL.Path == "/getinfo":
			json.NewEncoder(w).Encode(map[string]any{"nodeId": "02ab", "chain": "regtest"})
		default:
			p.createInvoice(t, w, r)
		}
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *phoenix) createInvoice(t *testing.T, w http.ResponseWriter, r *http.Request) {
	sats, _ := strconv.ParseInt(r.PostFormValue("amountSat"), 10, 64)
	seconds, _ := strconv.ParseInt(r.PostFormValue("expirySeconds"), 10, 64)
	preimage := sha256.Sum256([]byte(rand.Text()))
	terms := invoicertest.Terms{
		Net: &chaincfg.RegressionNetParams, Hash: sha256.Sum256(preimage[:]), MilliSats: sats * 1000, Memo: r.PostFormValue("description"),
		Expiry: time.Duration(seconds) * time.Second, At: time.Now(),
	}
	hash := hex.EncodeToString(terms.Hash[:])
	p.preimages[hash] = hex.EncodeToString(preimage[:])
	json.NewEncoder(w).Encode(map[string]any{"amountSat": sats, "paymentHash": hash, "serialized": invoicertest.Invoice(t, terms)})
}

func (p *phoenix) set(edit func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	edit()
}

func phoenixConfig(t *testing.T, p *phoenix) Config {
	cfg := testConfig(t)
	cfg.Payments.Backend = BackendPhoenixd
	cfg.Payments.Node = node.Settings{Address: p.URL, SecretFile: filepath.Join(t.TempDir(), "password"), Network: "regtest"}
	writePassword(t, cfg, "first")
	return cfg
}

func writePassword(t *testing.T, cfg Config, password string) {
	t.Helper()
	if err := os.WriteFile(cfg.Payments.Node.SecretFile, []byte(password), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestReadableNode: a service does not start with a node that tells strangers the preimages of unpaid invoices, and
// names the remedy; doctor reports it too. The service sells with a node that keeps them, and waits for one that is away.
func TestReadableNode(t *testing.T) {
	p := newPhoenix(t)
	p.open = true
	cfg := phoenixConfig(t, p)
	s, err := Open(t.Context(), cfg)
	if err == nil {
		s.listeners.close()
	}
	if !errors.Is(err, node.ErrReadable) || !strings.Contains(err.Error(), "ask for its password") {
		t.Errorf("started: %v", err)
	}
	for _, f := range Diagnose(t.Context(), cfg) {
		if f.Name == "Lightning node" && !errors.Is(f.Err, node.ErrReadable) {
			t.Errorf("doctor says %q, %v", f.Note, f.Err)
		}
	}
	p.set(func() { p.open = false })
	cfg.State, cfg.Payments.Ledger = t.TempDir(), "sqlite:"+filepath.Join(t.TempDir(), "ledger.db")
	_, client := runService(t, cfg)
	res, body := client.Do(http.MethodGet, "/v1/search?q=macaroon", "")
	c := servertest.Decode[servertest.Challenge](t, body)
	if res.StatusCode != http.StatusPaymentRequired || !strings.HasPrefix(c.Invoice, "lnbcrt") {
		t.Errorf("status %d: %s", res.StatusCode, body)
	}
	for hash, preimage := range p.preimages {
		if strings.Contains(string(body), preimage) {
			t.Errorf("the challenge shows the preimage of %s", hash)
		}
	}
}

// TestNodeReload: after its credentials have changed, a reload makes the node usable again, before anybody was refused.
func TestNodeReload(t *testing.T) {
	p := newPhoenix(t)
	cfg := phoenixConfig(t, p)
	reload := make(chan os.Signal)
	cfg.Reload = reload
	_, client := runService(t, cfg)
	p.set(func() { p.passwords = append(p.passwords, "second") })
	writePassword(t, cfg, "second")
	reload <- os.Interrupt
	reload <- os.Interrupt // the first has ended when the second is taken
	if err := os.Remove(cfg.Payments.Node.SecretFile); err != nil {
		t.Fatal(err)
	}
	p.set(func() { p.passwords = []string{"second"} })
	if res, body := client.Do(http.MethodGet, "/v1/search?q=macaroon", ""); res.StatusCode != http.StatusPaymentRequired {
		t.Errorf("status %d: %s", res.StatusCode, body)
	}
	if _, body := client.Do(http.MethodGet, catalog.SupportJSONPath, ""); !strings.Contains(string(body), `"paid_api"`) {
		t.Error("nothing is offered")
	}
}

// A busyLedger is one whose Prune takes until the test ends it.
type busyLedger struct {
	finish chan struct{}
	closed atomic.Bool
}

func (b *busyLedger) Check(context.Context) error { return nil }

func (b *busyLedger) Prune(context.Context, time.Time) (int64, error) {
	<-b.finish
	if b.closed.Load() {
		return 0, errors.New("the ledger was closed meanwhile")
	}
	return 0, nil
}

func (b *busyLedger) Latest(context.Context) (time.Time, error) { return time.Time{}, nil }

func (b *busyLedger) Close() error {
	b.closed.Store(true)
	return nil
}

// TestWrongClockForgetsNothing: a clock that is two years fast at a start does not end the accounts for ever, as long as no
// credit was taken by it.
func TestWrongClockForgetsNothing(t *testing.T) {
	store, err := ledger.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	p := &payments{ledger: store, log: slog.New(slog.DiscardHandler)}
	spend := func(account byte, at time.Time) {
		t.Helper()
		if _, err := store.Spend(t.Context(), l402.Debit{Hash: [32]byte{account}, Credits: 2, Limit: 2, At: at, ExpiresAt: at.AddDate(0, 1, 0)}); err != nil {
			t.Fatal(err)
		}
	}
	past := time.Now().AddDate(-2, 0, 0)
	spend(1, past)
	p.maintain(t.Context()) // by the clock of two years later
	spend(1, past)
	spend(2, time.Now())
	p.maintain(t.Context())
	if _, err := store.Account(t.Context(), [32]byte{1}); !errors.Is(err, l402.ErrUnknownAccount) {
		t.Errorf("an account that ended before the last debit is kept: %v", err)
	}
}

// TestCloseWaitsForPruning: a service that ends while its ledger forgets old accounts closes the ledger afterwards.
func TestCloseWaitsForPruning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ledger := &busyLedger{finish: make(chan struct{})}
		log := slog.New(slog.DiscardHandler)
		paywall := newPaywall(t, new(switchable))
		p := &payments{paywall: paywall, ledger: ledger, prober: newProber(paywall, ops.NewMetrics("test", time.Now), log), log: log}
		ctx, cancel := context.WithCancel(t.Context())
		p.start(ctx)
		synctest.Wait()
		cancel()
		go p.close()
		synctest.Wait()
		if ledger.closed.Load() {
			t.Error("closed while it is being pruned")
		}
		close(ledger.finish)
		synctest.Wait()
		if !ledger.closed.Load() {
			t.Error("not closed after pruning")
		}
	})
}

// A lateLedger is away when it is checked for the first time.
type lateLedger struct {
	busyLedger
	checks int
}

func (l *lateLedger) Check(context.Context) error {
	if l.checks++; l.checks == 1 {
		return l402.ErrLedgerUnavailable
	}
	return nil
}

// TestLateLedgerIsChecked: a ledger that is away at the start is looked through soon after it is back, and then once a day.
func TestLateLedgerIsChecked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := new(lateLedger)
		late.finish = make(chan struct{})
		close(late.finish)
		p := &payments{ledger: late, log: slog.New(slog.DiscardHandler)}
		ctx, cancel := context.WithTimeout(t.Context(), 25*time.Hour)
		defer cancel()
		repeat(ctx, 0, p.maintain)
		if late.checks != 3 {
			t.Errorf("checked %d times within 25 hours, want 3: in vain, at once after that, and a day later", late.checks)
		}
	})
}

// TestKeysReload: a reload reads the key file again: a new first key signs, the old one still counts, and no longer
// when its line is deleted.
func TestKeysReload(t *testing.T) {
	cfg := testConfig(t)
	reload := make(chan os.Signal)
	cfg.Reload = reload
	s, client := runService(t, cfg)
	file := s.publisher.payments.keyFile
	fresh := filepath.Join(t.TempDir(), "keys")
	if _, err := l402.OpenKeys(fresh); err != nil {
		t.Fatal(err)
	}
	read := func(name string) []byte {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	useKeys := func(keys []byte) {
		if err := os.WriteFile(file, keys, 0o600); err != nil {
			t.Fatal(err)
		}
		reload <- os.Interrupt
		reload <- os.Interrupt // the first has ended when the second is taken
	}
	status := func(credential string) int {
		res, _ := client.Do(http.MethodGet, "/v1/search?q=macaroon", "", "Authorization", credential)
		return res.StatusCode
	}
	old := client.Buy()
	useKeys(append(read(fresh), read(file)...))
	bought := client.Buy()
	if a, b := status(old), status(bought); a != http.StatusOK || b != http.StatusOK {
		t.Errorf("with both keys: the old credential %d, the new one %d", a, b)
	}
	useKeys(read(fresh))
	if a, b := status(old), status(bought); a == http.StatusOK || b != http.StatusOK {
		t.Errorf("with the new key: the old credential %d, the new one %d", a, b)
	}
}
