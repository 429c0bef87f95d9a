package nwc_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"go.almanac.example/l402"
	"go.almanac.example/l402/node"
	"go.almanac.example/l402/node/invoicertest"
	"go.almanac.example/l402/node/nwc/nip47test"

	"github.com/nbd-wtf/go-nostr"
)

// lies are what a relay may send instead of the wallet's answer. before is the answer to an earlier request, or another
// event.
func lies(t *testing.T) map[string]func(sub string, e, before nostr.Event) []any {
	stranger := nostr.GeneratePrivateKey()
	resigned := func(e nostr.Event) nostr.Event {
		if err := e.Sign(stranger); err != nil {
			t.Error(err)
		}
		return e
	}
	event := func(sub string, e nostr.Event) []any { return []any{[]any{"EVENT", sub, e}} }
	return map[string]func(sub string, e, before nostr.Event) []any{
		"nothing": func(string, nostr.Event, nostr.Event) []any { return nil },
		"a wrong signature": func(sub string, e, _ nostr.Event) []any {
			e.Sig = strings.Repeat("0", 128)
			return event(sub, e)
		},
		"the signature of another event": func(sub string, e, before nostr.Event) []any {
			e.Sig = before.Sig
			return event(sub, e)
		},
		"no signature": func(sub string, e, _ nostr.Event) []any {
			e.Sig = ""
			return event(sub, e)
		},
		"other contents": func(sub string, e, before nostr.Event) []any {
			e.Content = before.Content
			return event(sub, e)
		},
		"other contents with their id": func(sub string, e, before nostr.Event) []any {
			e.Content = before.Content
			e.ID = e.GetID()
			return event(sub, e)
		},
		"the answer signed by a stranger": func(sub string, e, _ nostr.Event) []any { return event(sub, resigned(e)) },
		"a stranger's signature under the wallet's name": func(sub string, e, _ nostr.Event) []any {
			wallet := e.PubKey
			e = resigned(e)
			e.PubKey = wallet
			return event(sub, e)
		},
		"a replay": func(sub string, _, before nostr.Event) []any { return event(sub, before) },
		"a replay for this request": func(sub string, e, before nostr.Event) []any {
			before.Tags = e.Tags
			return event(sub, before)
		},
		"another kind": func(sub string, e, _ nostr.Event) []any {
			e.Kind = nostr.KindNWCWalletInfo
			return event(sub, e)
		},
		"another subscription": func(_ string, e, _ nostr.Event) []any { return event("q0", e) },
		"no JSON of an event": func(sub string, _, _ nostr.Event) []any {
			return []any{[]any{"EVENT", sub, "lnbcrt"}, []any{"EVENT"}, []any{}, map[string]any{}, 5, []any{5, 6}}
		},
		"notices": func(string, nostr.Event, nostr.Event) []any {
			return []any{[]any{"NOTICE", "hello"}, []any{"AUTH", "x"}}
		},
	}
}

// isAnswer reports whether an event answers a request that somebody made.
func isAnswer(e nostr.Event) bool {
	return e.Kind == nostr.KindNWCWalletResponse && e.Tags.FindWithValue("e", strings.Repeat("0", 64)) == nil
}

// TestLyingRelay: whatever a relay sends instead of the wallet's answer, there is no invoice, and a clear reason. Sent
// before the answer, it changes nothing.
func TestLyingRelay(t *testing.T) {
	t.Parallel()
	for name, lie := range lies(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t, true)
			n := f.node(func(c *config) { c.Timeout = 500 * time.Millisecond })
			for err := add(t, n); err != nil; err = add(t, n) { // half a second may be too little for a busy machine, but not every time
				f.set(func() { f.now = f.now.Add(time.Second) })
			}
			before := f.wallet.Answers()[0]
			f.relay.Forward(func(sub string, e nostr.Event) []any {
				if !isAnswer(e) {
					return nil
				}
				return lie(sub, e, before)
			})
			wantReason(t, f, add(t, n), node.ReasonTimeout, "is the wallet running")

			f.relay.Forward(func(sub string, e nostr.Event) []any {
				truth := []any{[]any{"EVENT", sub, e}}
				if !isAnswer(e) {
					return truth
				}
				return append(lie(sub, e, before), append(truth, truth...)...)
			})
			patient := f.node()
			seen := map[string]bool{}
			for range 3 {
				inv, err := patient.AddInvoice(t.Context(), invoicertest.Request())
				if err != nil {
					t.Fatal(err)
				}
				seen[inv.PaymentRequest] = true
			}
			if len(seen) != 3 {
				t.Errorf("three calls gave %d invoices", len(seen))
			}
		})
	}
}

// TestFloodingRelay: a relay that sends more than anybody reads costs an answer, and no more.
func TestFloodingRelay(t *testing.T) {
	t.Parallel()
	f := newFake(t, true)
	f.relay.Forward(func(sub string, e nostr.Event) []any {
		if !isAnswer(e) {
			return []any{[]any{"EVENT", sub, e}}
		}
		var flood []any
		for range 5000 {
			flood = append(flood, []any{"EVENT", sub, nostr.Event{Kind: nostr.KindNWCWalletResponse, PubKey: e.PubKey, Tags: e.Tags}})
		}
		return flood
	})
	n := f.node(func(c *config) { c.Timeout = time.Second })
	if err := add(t, n); !errors.Is(err, l402.ErrNodeUnavailable) {
		t.Errorf("in a flood: %v", err)
	}
	f.relay.Forward(nil)
	if err := add(t, f.node()); err != nil {
		t.Errorf("after it: %v", err)
	}
}

// TestRefusingRelay: what the relay says is in the error.
func TestRefusingRelay(t *testing.T) {
	f := newFake(t, true)
	f.relay.Refuse("rate-limited: slow down")
	n := f.node()
	wantReason(t, f, add(t, n), node.ReasonUnreachable, "rate-limited: slow down")
	f.relay.Refuse("")
	f.set(func() { f.now = f.now.Add(time.Second) })
	wantReason(t, f, add(t, n), "", "")
}

// TestRelayAway: without a relay there is no invoice; when one is back there is, without a restart. One that cuts
// connections costs nobody an invoice.
func TestRelayAway(t *testing.T) {
	f := newFake(t, true)
	n := f.node()
	for range 3 {
		wantReason(t, f, add(t, n), "", "")
		f.relay.Cut()
	}
	f.relay.SetAway(true)
	wantReason(t, f, add(t, n), node.ReasonUnreachable, "-nwc-connection")
	f.relay.SetAway(false)
	for deadline, err := time.Now().Add(time.Minute), error(l402.ErrNodeUnavailable); err != nil; err = add(t, n) {
		if time.Now().After(deadline) {
			t.Fatalf("a minute after the relay is back: %v", err)
		}
		f.set(func() { f.now = f.now.Add(time.Second) })
	}
}

// TestTwoRelays: one relay of two is enough, whichever it is; the wallet makes one invoice for both.
func TestTwoRelays(t *testing.T) {
	f := newFake(t, true)
	second := nip47test.NewRelay(t)
	f.wallet = nip47test.NewWallet(t, true, f.handle, f.relay, second)
	f.write(f.wallet.URI())
	n := f.node()
	for i, down := range []*nip47test.Relay{nil, f.relay, second} {
		if down != nil {
			down.Deaf.Store(true)
		}
		before := f.count("make_invoice")
		if err := add(t, n); err != nil || f.count("make_invoice") != before+1 {
			t.Errorf("step %d: %d invoices: %v", i, f.count("make_invoice")-before, err)
		}
		if down != nil {
			down.Deaf.Store(false)
		}
	}
}
