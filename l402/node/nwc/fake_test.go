package nwc_test

import (
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.almanac.example/l402/node"
	"go.almanac.example/l402/node/invoicertest"
	"go.almanac.example/l402/node/nodetest"
	"go.almanac.example/l402/node/nwc"
	"go.almanac.example/l402/node/nwc/nip47test"

	"github.com/btcsuite/btcd/chaincfg"
)

// A fake is a wallet that makes invoices, behind a relay.
type fake struct {
	t      testing.TB
	relay  *nip47test.Relay
	wallet *nip47test.Wallet
	file   string

	mu       sync.Mutex
	now      time.Time // zero means that the clock runs
	net      *chaincfg.Params
	fault    string                             // code of every answer
	answer   func(result map[string]any) any    // instead of what make_invoice results in
	terms    func(*invoicertest.Terms)          // edits every invoice
	other    func(method string) map[string]any // answers other methods
	params   map[string]any                     // of the last make_invoice
	asked    map[string]int                     // by method
	preimage nodetest.Preimages                 // by payment hash
}

func newFake(t testing.TB, withNIP44 bool) *fake {
	t.Helper()
	f := &fake{
		t: t, relay: nip47test.NewRelay(t), file: filepath.Join(t.TempDir(), "connection"), now: time.Now().Truncate(time.Second), net: &chaincfg.RegressionNetParams,
		asked: map[string]int{}, preimage: nodetest.Preimages{},
	}
	f.wallet = nip47test.NewWallet(t, withNIP44, f.handle, f.relay)
	f.write(f.wallet.URI())
	return f
}

func (f *fake) write(uri string) {
	f.t.Helper()
	if err := os.WriteFile(f.file, []byte(uri+"\n"), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fake) Now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.clock()
}

func (f *fake) clock() time.Time {
	if f.now.IsZero() {
		return time.Now()
	}
	return f.now
}

func (f *fake) set(edit func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	edit()
}

func (f *fake) count(method string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.asked[method]
}

// A config has the settings of a node, and the time after which its wallet counts as silent.
type config struct {
	node.Settings
	silence time.Duration
}

func (f *fake) config() config {
	return config{node.Settings{SecretFile: f.file, Network: "regtest", Timeout: time.Minute, Now: f.Now, Log: slog.New(slog.DiscardHandler)}, 20 * time.Millisecond}
}

func (f *fake) node(edit ...func(*config)) *node.Node {
	f.t.Helper()
	cfg := f.config()
	for _, e := range edit {
		e(&cfg)
	}
	n, err := nwc.Open(cfg.Settings, cfg.silence, time.Millisecond)
	if err != nil {
		f.t.Fatal(err)
	}
	return n
}

// handle answers as a wallet does.
func (f *fake) handle(method string, raw json.RawMessage) map[string]any {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked[method]++
	switch {
	case f.fault != "":
		return nip47test.Fault(f.fault)
	case method == "make_invoice":
		return f.makeInvoice(raw)
	case f.other != nil:
		return f.other(method)
	}
	return nip47test.Fault("NOT_IMPLEMENTED")
}

func (f *fake) makeInvoice(raw json.RawMessage) map[string]any {
	f.params = nil
	if err := json.Unmarshal(raw, &f.params); err != nil {
		f.t.Error(err)
	}
	msat, _ := f.params["amount"].(float64)
	seconds, _ := f.params["expiry"].(float64)
	memo, _ := f.params["description"].(string)
	hash := f.preimage.Add()
	terms := invoicertest.Terms{Net: f.net, Hash: hash, MilliSats: int64(msat), Memo: memo, Expiry: time.Duration(seconds) * time.Second, At: f.clock()}
	if f.terms != nil {
		f.terms(&terms)
	}
	result := map[string]any{
		"type": "incoming", "invoice": invoicertest.Invoice(f.t, terms), "payment_hash": hex.EncodeToString(hash[:]), "amount": int64(msat),
		"created_at": f.clock().Unix(), "expires_at": f.clock().Unix() + int64(seconds), "preimage": f.preimage[hex.EncodeToString(hash[:])],
	}
	if f.answer != nil {
		return map[string]any{"result": f.answer(result)}
	}
	return map[string]any{"result": result}
}

// tell answers lookup_invoice with the preimage, paid or not.
func (f *fake) tell(method string, raw json.RawMessage) map[string]any {
	var params struct {
		PaymentHash string `json:"payment_hash"`
	}
	json.Unmarshal(raw, &params)
	f.mu.Lock()
	defer f.mu.Unlock()
	return map[string]any{"result": map[string]any{"state": "pending", "payment_hash": params.PaymentHash, "preimage": f.preimage[params.PaymentHash]}}
}
