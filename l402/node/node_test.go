package node_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/btcsuite/btcd/chaincfg"
	"github.com/lightningnetwork/lnd/lntypes"

	"go.almanac.example/l402"
	"go.almanac.example/l402/node"
	"go.almanac.example/l402/node/invoicertest"
)

// A fake is a service whose answers a test can change.
type fake struct {
	t testing.TB

	mu       sync.Mutex
	now      time.Time
	made     int
	probed   int
	lookups  int
	preimage [32]byte                     // of the last invoice
	edit     func(*invoicertest.Terms)    // of every invoice
	stranger func(preimage []byte) []byte // what a stranger is told; nil: nothing
	owner    func(preimage []byte) []byte
	fails    *node.Error // of lookups
	down     *node.Error // of everything else
	fixed    bool        // every invoice has the same preimage
}

func newFake(t testing.TB) *fake { return &fake{t: t, now: time.Now().Truncate(time.Second)} }

func (f *fake) Now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

func (f *fake) set(edit func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	edit()
}

func (f *fake) MakeInvoice(ctx context.Context, req l402.InvoiceRequest) (string, *node.Error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case ctx.Err() != nil:
		return "", node.Timeout("wait", ctx.Err())
	case f.down != nil:
		return "", f.down
	}
	f.made++
	if !f.fixed {
		f.preimage = sha256.Sum256(fmt.Appendf(nil, "preimage %d", f.made))
	}
	terms := invoicertest.Terms{Net: &chaincfg.SimNetParams, Hash: sha256.Sum256(f.preimage[:]), MilliSats: req.AmountSats * 1000, Memo: req.Memo, Expiry: req.Expiry, At: f.now}
	if f.edit != nil {
		f.edit(&terms)
	}
	return invoicertest.Invoice(f.t, terms), nil
}

func (f *fake) Probe(context.Context, bool) *node.Error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.probed++
	return f.down
}

func (f *fake) Lookup(_ context.Context, hash lntypes.Hash, stranger bool) ([]byte, *node.Error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if sha256.Sum256(f.preimage[:]) != hash {
		f.t.Error("asked for another invoice than the last one")
	}
	tell := f.owner
	if stranger {
		tell = f.stranger
		f.lookups++
	}
	if f.fails != nil || tell == nil {
		return nil, f.fails
	}
	return tell(f.preimage[:]), nil
}

func (f *fake) Reload() error { return errors.New("the file is gone") }

func (f *fake) node(edit ...func(*node.Config)) *node.Node {
	cfg := node.Config{NetworkFlag: "-x-network", Settings: node.Settings{Network: "simnet", Timeout: time.Minute, Now: f.Now, Log: slog.New(slog.DiscardHandler)}}
	for _, e := range edit {
		e(&cfg)
	}
	n, err := node.New(f, cfg)
	if err != nil {
		panic(err) // the network is known
	}
	return n
}

func add(t *testing.T, n *node.Node) error {
	t.Helper()
	_, err := n.AddInvoice(t.Context(), invoicertest.Request())
	return err
}

func wantReason(t *testing.T, what string, err error, reason string) {
	t.Helper()
	var nodeErr *node.Error
	switch {
	case reason == "" && err == nil:
	case !errors.As(err, &nodeErr) || !errors.Is(err, l402.ErrNodeUnavailable) || nodeErr.Reason != reason:
		t.Errorf("%s: %v, want %q", what, err, reason)
	}
}

func TestLaw(t *testing.T) {
	f := newFake(t)
	invoicertest.Test(t, invoicertest.Subject{
		Invoicer: f.node(), Net: &chaincfg.SimNetParams, Now: f.Now,
		Break: func() { f.set(func() { f.down = &node.Error{Reason: node.ReasonRefused, Advice: "no"} }) },
		Mend:  func() { f.set(func() { f.down, f.now = nil, f.now.Add(time.Second) }) },
	})
}

// TestReadablePreimages: nothing is sold while a stranger is told the preimage of an unpaid invoice, in whatever form;
// a refusal, an answer without it, and silence are as they should be.
func TestReadablePreimages(t *testing.T) {
	type answer = func(preimage []byte) []byte
	format := func(format string, encode func([]byte) string) answer {
		return func(p []byte) []byte { return fmt.Appendf(nil, format, encode(p)) }
	}
	other := func(encode func([]byte) string) func([]byte) string {
		return func(p []byte) string { h := sha256.Sum256(p); return encode(h[:]) }
	}
	for _, tt := range []struct {
		name     string
		answer   answer
		readable bool
	}{
		{"silence", nil, false},
		{"a refusal", func([]byte) []byte { return []byte("Invalid authentication") }, false},
		{"an empty preimage", func([]byte) []byte { return []byte(`{"preimage":null,"isPaid":false}`) }, false},
		{"the payment hash", format(`{"payment_hash":%q}`, other(hex.EncodeToString)), false},
		{"the payment hash in base64", format(`{"r_hash":%q}`, other(base64.StdEncoding.EncodeToString)), false},
		{"in hex", format(`{"preimage":%q}`, hex.EncodeToString), true},
		{"in capitals", format(`{"preimage":%q}`, func(p []byte) string { return strings.ToUpper(hex.EncodeToString(p)) }), true},
		{"in base64", format(`{"r_preimage":%q}`, base64.StdEncoding.EncodeToString), true},
		{"in base64 for addresses", format(`{"r_preimage":%q}`, base64.RawURLEncoding.EncodeToString), true},
		{"behind other digits", format(`{"data":"0020%s00"}`, hex.EncodeToString), true},
		{"in words", format(`error: invoice with preimage %s is unpaid`, hex.EncodeToString), true},
		{"behind the payment hash", func(p []byte) []byte { h := sha256.Sum256(p); return fmt.Appendf(nil, "[%x,%x]", h, p) }, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake(t)
			f.stranger = tt.answer
			n := f.node()
			want := ""
			if tt.readable {
				want = node.ReasonReadable
			}
			err := add(t, n)
			wantReason(t, "AddInvoice", err, want)
			if errors.Is(err, node.ErrReadable) != tt.readable {
				t.Errorf("%v is ErrReadable: %t", err, !tt.readable)
			}
			f.set(func() { f.now = f.now.Add(time.Minute) })
			wantReason(t, "Ready", n.Ready(t.Context()), want)
			f.set(func() { f.now, f.stranger = f.now.Add(time.Minute), nil })
			wantReason(t, "AddInvoice when the node keeps it", add(t, n), "")
		})
	}
}

// TestReadableLater: a node that begins to tell is found out within the hour, without a purchase.
func TestReadableLater(t *testing.T) {
	f := newFake(t)
	n := f.node()
	wantReason(t, "Ready", n.Ready(t.Context()), "")
	if f.made != 1 || f.lookups != 1 {
		t.Errorf("%d invoices and %d questions of strangers, want 1 and 1", f.made, f.lookups)
	}
	for range 10 {
		f.set(func() { f.now = f.now.Add(5 * time.Minute) })
		wantReason(t, "Ready", n.Ready(t.Context()), "")
		wantReason(t, "AddInvoice", add(t, n), "")
	}
	if f.lookups != 1 {
		t.Errorf("%d questions of strangers in 50 minutes, want 1", f.lookups)
	}
	f.set(func() { f.stranger = func(p []byte) []byte { return []byte(hex.EncodeToString(p)) } })
	f.set(func() { f.now = f.now.Add(10 * time.Minute) })
	wantReason(t, "Ready after an hour", n.Ready(t.Context()), node.ReasonReadable)
	f.set(func() { f.now = f.now.Add(time.Minute) })
	wantReason(t, "AddInvoice", add(t, n), node.ReasonReadable)
}

// TestStrangerCannotAsk: until it is known what strangers are told, nothing is sold; what was found stands while it
// cannot be asked again.
func TestStrangerCannotAsk(t *testing.T) {
	f := newFake(t)
	f.fails = &node.Error{Reason: node.ReasonUnreachable, Advice: "nobody answers"}
	n := f.node()
	wantReason(t, "AddInvoice", add(t, n), node.ReasonUnreachable)
	f.set(func() { f.fails, f.now = nil, f.now.Add(time.Minute) })
	wantReason(t, "AddInvoice", add(t, n), "")
	f.set(func() {
		f.fails, f.now = &node.Error{Reason: node.ReasonUnreachable}, f.now.Add(2*time.Hour)
	})
	wantReason(t, "Ready", n.Ready(t.Context()), "")
	wantReason(t, "AddInvoice", add(t, n), "")
}

// TestWarning: credentials that can read preimages are allowed, and said once to be as precious as the key file.
func TestWarning(t *testing.T) {
	f := newFake(t)
	f.owner = func(p []byte) []byte { return []byte(hex.EncodeToString(p)) }
	var log bytes.Buffer
	n := f.node(func(c *node.Config) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	for range 3 {
		wantReason(t, "Ready", n.Ready(t.Context()), "")
		f.set(func() { f.now = f.now.Add(2 * time.Hour) })
	}
	if got := strings.Count(log.String(), "as safe as the key file"); got != 1 {
		t.Errorf("%d warnings, want 1: %s", got, &log)
	}
	if strings.Contains(log.String(), hex.EncodeToString(f.preimage[:])) {
		t.Error("the log has the preimage")
	}
}

// TestInvoices: an invoice that was had before, and one that shows its own preimage, is not sold.
func TestInvoices(t *testing.T) {
	for name, spoil := range map[string]func(*fake){
		"its preimage as payment secret": func(f *fake) { f.edit = func(terms *invoicertest.Terms) { terms.Secret = f.preimage } },
		"its preimage in the memo": func(f *fake) {
			f.edit = func(terms *invoicertest.Terms) { terms.Memo = fmt.Sprintf("id %x", f.preimage) }
		},
		"the same payment hash again": func(f *fake) { f.fixed = true },
		"half the amount":             func(f *fake) { f.edit = func(terms *invoicertest.Terms) { terms.MilliSats /= 2 } },
		"another network":             func(f *fake) { f.edit = func(terms *invoicertest.Terms) { terms.Net = &chaincfg.MainNetParams } },
		"an hour old":                 func(f *fake) { f.edit = func(terms *invoicertest.Terms) { terms.At = terms.At.Add(-time.Hour) } },
		"payable for a day":           func(f *fake) { f.edit = func(terms *invoicertest.Terms) { terms.Expiry = 24 * time.Hour } },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			n := f.node()
			wantReason(t, "before", add(t, n), "")
			f.set(func() { spoil(f) })
			wantReason(t, "AddInvoice", add(t, n), node.ReasonWrongInvoice)
		})
	}
	f := newFake(t)
	f.fixed = true
	n := f.node()
	wantReason(t, "the first", add(t, n), "")
	f.set(func() { f.now = f.now.Add(time.Hour) })
	wantReason(t, "the same when it has long expired", add(t, n), "")
}

// TestNoTurn has no turn left for a caller, who is told so.
func TestNoTurn(t *testing.T) {
	f := newFake(t)
	n := f.node(func(c *node.Config) { c.Timeout = 50 * time.Millisecond })
	n.Occupy()
	err := add(t, n)
	wantReason(t, "AddInvoice", err, node.ReasonBusy)
	if f.made != 0 || !strings.Contains(err.Error(), "50ms") {
		t.Errorf("the busy node was asked %d times: %v", f.made, err)
	}
}

// TestQuiet: a node that answered is not asked whether it is ready until it was quiet for as long as it may be; one
// that failed is.
func TestQuiet(t *testing.T) {
	f := newFake(t)
	n := f.node(func(c *node.Config) { c.Quiet = time.Minute })
	ready := func(after time.Duration, probes int, reason string) {
		t.Helper()
		f.set(func() { f.now = f.now.Add(after) })
		wantReason(t, "Ready", n.Ready(t.Context()), reason)
		if f.probed != probes {
			t.Errorf("asked %d times, want %d", f.probed, probes)
		}
	}
	ready(0, 1, "")
	ready(59*time.Second, 1, "")
	f.set(func() { f.down = &node.Error{Reason: node.ReasonRefused} })
	ready(time.Second, 2, node.ReasonRefused)
	ready(2*time.Second, 2, node.ReasonRefused)
	f.set(func() { f.down = nil })
	ready(time.Second, 3, "")
}

func TestReloadFails(t *testing.T) {
	if err := newFake(t).node().Reload(); err == nil || !strings.Contains(err.Error(), "the file is gone") {
		t.Errorf("Reload: %v", err)
	}
}
