package nwc_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"go.almanac.example/http402/nip47"
	"go.almanac.example/l402/node/nwc/nip47test"
)

// echo answers every method with its name.
func echo(method string, _ json.RawMessage) map[string]any {
	return map[string]any{"result": map[string]any{"method": method}}
}

// open returns a connection to a wallet behind one relay.
func open(t *testing.T, r *nip47test.Relay, backoff time.Duration) *nip47.Connection {
	t.Helper()
	uri := nip47test.NewWallet(t, true, echo, r).URI()
	c, err := nip47.Parse(strings.Replace(uri, "relay=ws://127.0.0.1:1&", "", 1), backoff)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func call(ctx context.Context, c *nip47.Connection) error {
	var result struct{ Method string }
	err := c.Call(ctx, "get_info", struct{}{}, &result)
	if err == nil && result.Method != "get_info" {
		err = errors.New("the answer is to " + result.Method)
	}
	return err
}

// TestEndedContext: nothing is asked once the context has ended.
func TestEndedContext(t *testing.T) {
	r := nip47test.NewRelay(t)
	c := open(t, r, 0)
	asked := func() int {
		before := len(r.Events())
		if err := call(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		return len(r.Events()) - before
	}
	asked() // which also asks for the wallet's abilities
	want := asked()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	before := len(r.Events())
	for range 50 {
		if err := call(ctx, c); !errors.Is(err, context.Canceled) {
			t.Fatalf("answered %v, want that the context has ended", err)
		}
	}
	asked()
	if got := len(r.Events()) - before; got != want {
		t.Errorf("%d events, want the %d of the last question", got, want)
	}
}

// TestOneConnection: questions share one connection to a relay, at once and one after another.
func TestOneConnection(t *testing.T) {
	r := nip47test.NewRelay(t)
	c := open(t, r, 0)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 4 {
				if err := call(t.Context(), c); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if got := r.Dials.Load(); got != 1 {
		t.Errorf("%d connections for 32 questions", got)
	}
	c.Close()
	if err := call(t.Context(), c); err != nil || r.Dials.Load() != 2 {
		t.Errorf("after Close: %d connections, %v", r.Dials.Load(), err)
	}
}

// TestBackoff: a relay that failed is let alone for a while, and the error says why it failed.
func TestBackoff(t *testing.T) {
	r := nip47test.NewRelay(t)
	c := open(t, r, time.Hour)
	r.SetAway(true)
	for range 10 {
		if err := call(t.Context(), c); err == nil || !strings.Contains(err.Error(), "503") {
			t.Errorf("a relay that is away: %v", err)
		}
	}
	if got := r.Dials.Load(); got != 1 {
		t.Errorf("%d attempts within the hour, want 1", got)
	}
	impatient := open(t, r, time.Nanosecond)
	if err := call(t.Context(), impatient); err == nil {
		t.Error("answered while the relay is away")
	}
	r.SetAway(false)
	for deadline, err := time.Now().Add(time.Minute), errors.New("not asked"); err != nil; err = call(t.Context(), impatient) {
		if time.Now().After(deadline) {
			t.Fatalf("a minute after the relay is back: %v", err)
		}
	}
}

// TestSilentRelay: a relay that answers nothing at all is left, and connected to again by the next question.
func TestSilentRelay(t *testing.T) {
	r := nip47test.NewRelay(t)
	c := open(t, r, time.Nanosecond)
	if err := call(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	r.Deaf.Store(true)
	// A question whose time is over before it is sent proves nothing, nor does one that hears the end of another.
	for before := r.Dials.Load(); r.Dials.Load() == before; {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		if err := call(ctx, c); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("a silent relay: %v", err)
		}
		cancel()
	}
	r.Deaf.Store(false)
	if err := call(t.Context(), c); err != nil {
		t.Errorf("a relay that speaks again: %v", err)
	}
}

// TestStranger: a stranger is somebody else to the wallet, over the same relays.
func TestStranger(t *testing.T) {
	r := nip47test.NewRelay(t)
	w := nip47test.NewWallet(t, true, echo, r)
	w.HandleStrangers(func(string, json.RawMessage) map[string]any { return nip47test.Fault("UNAUTHORIZED") })
	c, err := nip47.Parse(w.URI(), 0)
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.Stranger()
	if err != nil {
		t.Fatal(err)
	}
	var refusal *nip47.Error
	if err := call(t.Context(), s); !errors.As(err, &refusal) || refusal.Code != "UNAUTHORIZED" {
		t.Errorf("as a stranger: %v", err)
	}
	if err := call(t.Context(), c); err != nil {
		t.Errorf("as the client: %v", err)
	}
}

// TestForeignCiphers: a wallet of an independent implementation reads every text that we encrypt and sign, and we read
// every text of its, in both ciphers. (The wallet checks the signature of no request, so the relay's events are checked.)
func TestForeignCiphers(t *testing.T) {
	for name, withNIP44 := range map[string]bool{"NIP-44": true, "NIP-04": false} {
		t.Run(name, func(t *testing.T) {
			r := nip47test.NewRelay(t)
			w := nip47test.NewWallet(t, withNIP44, func(_ string, params json.RawMessage) map[string]any {
				return map[string]any{"result": params}
			}, r)
			c, err := nip47.Parse(w.URI(), 0)
			if err != nil {
				t.Fatal(err)
			}
			for size := 1; size < 5000; size = size*5/4 + 1 {
				sent, got := struct{ Text string }{"é" + strings.Repeat("{<&>\"\\", size)[:size]}, struct{ Text string }{"nothing"}
				if err := c.Call(t.Context(), "echo", sent, &got); err != nil || got != sent {
					t.Fatalf("%d bytes: %.20q, %v", size, got.Text, err)
				}
			}
			for _, e := range r.Events() {
				if ok, err := e.CheckSignature(); !ok || err != nil || !e.CheckID() {
					t.Fatalf("an event of kind %d has another signature: %v", e.Kind, err)
				}
			}
		})
	}
}
