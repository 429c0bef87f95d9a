// Package nip47test has a relay and a wallet service for tests of Nostr Wallet Connect, which can lie, be slow and be
// away.
package nip47test

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/coder/websocket"
	"github.com/nbd-wtf/go-nostr"
)

// A Relay keeps what it is sent, and forwards it to those who subscribed.
type Relay struct {
	Address string       // ws://…
	Demands atomic.Bool  // it demands authentication (NIP-42)
	Late    atomic.Bool  // it demands before it asks
	Deaf    atomic.Bool  // it ignores everything that it is sent, as one does that hangs
	Forgets atomic.Bool  // it keeps no event that says what a wallet can do
	Dials   atomic.Int64 // how often somebody has tried to connect

	mu      sync.Mutex
	events  []nostr.Event
	conns   map[*websocket.Conn]bool
	subs    map[*subscription]bool
	onSent  []func(nostr.Event)
	away    bool
	refusal string
	forward func(subscription string, e nostr.Event) []any
}

type subscription struct {
	id      string
	filters nostr.Filters
	send    func(any)
}

// NewRelay starts a relay until t ends.
func NewRelay(t testing.TB) *Relay {
	t.Helper()
	r := &Relay{subs: map[*subscription]bool{}, conns: map[*websocket.Conn]bool{}}
	srv := httptest.NewServer(r)
	t.Cleanup(func() { r.SetAway(true); srv.Close() })
	r.Address = "ws" + strings.TrimPrefix(srv.URL, "http")
	return r
}

// SetAway ends all connections and refuses new ones, or accepts them again.
func (r *Relay) SetAway(away bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.away = away
	for conn := range r.conns {
		if away {
			conn.CloseNow()
		}
	}
}

// Cut ends all connections.
func (r *Relay) Cut() {
	r.SetAway(true)
	r.SetAway(false)
}

// Refuse lets the relay refuse events for a reason, or accept them again when it is empty.
func (r *Relay) Refuse(reason string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refusal = reason
}

// Forward lets f choose what a subscriber is sent instead of an event that was published; nil sends the event.
func (r *Relay) Forward(f func(subscription string, e nostr.Event) []any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forward = f
}

// Events returns what was published.
func (r *Relay) Events() []nostr.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.events)
}

// ServeHTTP implements http.Handler.
func (r *Relay) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.Dials.Add(1)
	r.mu.Lock()
	away := r.away
	r.mu.Unlock()
	if away {
		http.Error(w, "away", http.StatusServiceUnavailable)
		return
	}
	conn, err := websocket.Accept(w, req, nil)
	if err != nil {
		return
	}
	defer conn.CloseNow()
	conn.SetReadLimit(1 << 20)
	r.mu.Lock()
	r.conns[conn] = true
	r.mu.Unlock()
	mine := r.serve(conn)
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.conns, conn)
	for _, s := range mine {
		delete(r.subs, s)
	}
}

// serve answers a connection until it ends, and returns its subscriptions by their ids.
func (r *Relay) serve(conn *websocket.Conn) map[string]*subscription {
	mine := map[string]*subscription{}
	var writing sync.Mutex
	send := func(v any) {
		b, _ := json.Marshal(v)
		writing.Lock()
		defer writing.Unlock()
		conn.Write(context.Background(), websocket.MessageText, b)
	}
	const challenge = "who is there?"
	known := false
	if r.Demands.Load() && !r.Late.Load() {
		send([]any{"AUTH", challenge})
	}
	for {
		_, text, err := conn.Read(context.Background())
		if err != nil {
			return mine
		}
		r.mu.Lock()
		refusal := r.refusal
		r.mu.Unlock()
		env, err := nostr.NewMessageParser().ParseMessage(string(text))
		if err != nil || r.Deaf.Load() {
			continue
		}
		refusal = cmp.Or(refusal, map[bool]string{true: "auth-required: tell who you are"}[r.Demands.Load() && !known])
		switch env := env.(type) {
		case *nostr.AuthEnvelope:
			tag := func(name string) string { return env.Event.Tags.Find(name)[1] }
			signed, err := env.Event.CheckSignature()
			known = err == nil && signed && env.Event.Kind == nostr.KindClientAuthentication && tag("challenge") == challenge && tag("relay") == r.Address
			send([]any{"OK", env.Event.ID, known, ""})
		case *nostr.ReqEnvelope:
			if r.Demands.Load() && !known {
				send([]any{"CLOSED", env.SubscriptionID, refusal})
				if r.Late.Load() {
					send([]any{"AUTH", challenge})
				}
				continue
			}
			s := &subscription{env.SubscriptionID, env.Filters, send}
			mine[s.id] = s
			r.subscribe(s)
		case *nostr.CloseEnvelope:
			r.mu.Lock()
			delete(r.subs, mine[string(*env)])
			r.mu.Unlock()
		case *nostr.EventEnvelope:
			send([]any{"OK", env.Event.ID, refusal == "", refusal})
			if refusal == "" {
				r.Publish(env.Event)
			}
		}
	}
}

func (r *Relay) subscribe(s *subscription) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.events {
		if s.filters.Match(&e) && (e.Kind != nostr.KindNWCWalletInfo || !r.Forgets.Load()) {
			s.send([]any{"EVENT", s.id, e})
		}
	}
	s.send([]any{"EOSE", s.id})
	r.subs[s] = true
}

// Publish forwards an event to those who subscribed to it, and to the wallets.
func (r *Relay) Publish(e nostr.Event) {
	r.mu.Lock()
	r.events = append(r.events, e)
	for s := range r.subs {
		switch {
		case !s.filters.Match(&e):
		case r.forward != nil:
			for _, message := range r.forward(s.id, e) {
				s.send(message)
			}
		default:
			s.send([]any{"EVENT", s.id, e})
		}
	}
	wallets := slices.Clone(r.onSent)
	r.mu.Unlock()
	for _, f := range wallets {
		f(e)
	}
}
