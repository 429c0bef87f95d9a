package nip47test

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nbd-wtf/go-nostr"
	"github.com/nbd-wtf/go-nostr/nip04"
	"github.com/nbd-wtf/go-nostr/nip44"
)

// A Handler answers a request of a wallet's method, with what stands beside result_type in the answer. Nil answers
// nothing.
type Handler func(method string, params json.RawMessage) map[string]any

// A Wallet is a wallet service with one client that it knows.
type Wallet struct {
	t      testing.TB
	relays []*Relay
	key    string // secret
	public string
	secret string // of the client
	client string // its public key
	nip44  bool

	mu       sync.Mutex
	handle   Handler
	stranger Handler
	answers  []nostr.Event
	requests []string // their ids
}

// NewWallet starts a wallet service, which handles the requests of its client that arrive at any of the relays.
// Strangers get no answer.
func NewWallet(t testing.TB, withNIP44 bool, handle Handler, relays ...*Relay) *Wallet {
	t.Helper()
	w := &Wallet{t: t, relays: relays, key: nostr.GeneratePrivateKey(), secret: nostr.GeneratePrivateKey(),
		nip44: withNIP44, handle: handle}
	w.public, _ = nostr.GetPublicKey(w.key)
	w.client, _ = nostr.GetPublicKey(w.secret)
	info := nostr.Event{Kind: nostr.KindNWCWalletInfo, CreatedAt: nostr.Now(),
		Content: "pay_invoice make_invoice lookup_invoice"}
	if withNIP44 {
		info.Tags = nostr.Tags{{"encryption", "nip44_v2 nip04"}}
	}
	if err := info.Sign(w.key); err != nil {
		t.Fatal(err)
	}
	for _, r := range relays {
		r.Publish(info)
		r.mu.Lock()
		r.onSent = append(r.onSent, w.receive)
		r.mu.Unlock()
	}
	return w
}

// URI returns the connection of the wallet's client. The first relay of it listens nowhere.
func (w *Wallet) URI() string {
	uri := "nostr+walletconnect://" + w.public + "?relay=ws://127.0.0.1:1"
	for _, r := range w.relays {
		uri += "&relay=" + r.Address
	}
	return uri + "&secret=" + w.secret
}

// Secret returns the secret of the wallet's client.
func (w *Wallet) Secret() string { return w.secret }

// Handle lets h answer from now on.
func (w *Wallet) Handle(h Handler) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.handle = h
}

// HandleStrangers lets h answer those whom the wallet does not know.
func (w *Wallet) HandleStrangers(h Handler) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stranger = h
}

// Answers returns the wallet's answers, as it signed them.
func (w *Wallet) Answers() []nostr.Event {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.answers)
}

func (w *Wallet) crypt(client string) (encrypt, decrypt func(string) (string, error)) {
	if w.nip44 {
		key, err := nip44.GenerateConversationKey(client, w.key)
		if err != nil {
			w.t.Error(err)
		}
		return func(x string) (string, error) { return nip44.Encrypt(x, key) },
			func(x string) (string, error) { return nip44.Decrypt(x, key) }
	}
	key, err := nip04.ComputeSharedSecret(client, w.key)
	if err != nil {
		w.t.Error(err)
	}
	return func(x string) (string, error) { return nip04.Encrypt(x, key) },
		func(x string) (string, error) { return nip04.Decrypt(x, key) }
}

// receive answers a request that has not arrived before.
func (w *Wallet) receive(e nostr.Event) {
	if e.Kind != nostr.KindNWCWalletRequest || e.Tags.FindWithValue("p", w.public) == nil {
		return
	}
	w.mu.Lock()
	handle := w.handle
	if e.PubKey != w.client {
		handle = w.stranger
	}
	if slices.Contains(w.requests, e.ID) {
		handle = nil
	}
	w.requests = append(w.requests, e.ID)
	w.mu.Unlock()
	if handle == nil {
		return
	}
	go w.answer(e, handle) // a relay does not wait for it
}

func (w *Wallet) answer(e nostr.Event, handle Handler) {
	encrypt, decrypt := w.crypt(e.PubKey)
	text, err := decrypt(e.Content)
	if err != nil {
		w.t.Errorf("the request cannot be read: %v", err)
		return
	}
	if tag := e.Tags.Find("encryption"); w.nip44 != (len(tag) > 1 && tag[1] == "nip44_v2") {
		w.t.Errorf("tags %v", e.Tags)
	}
	var req struct {
		Method string
		Params json.RawMessage
	}
	if err := json.Unmarshal([]byte(text), &req); err != nil {
		w.t.Error(err)
	}
	answer := handle(req.Method, req.Params)
	if answer == nil {
		return
	}
	if _, ok := answer["result_type"]; !ok {
		answer["result_type"] = req.Method
	}
	body, _ := json.Marshal(answer)
	content, err := encrypt(string(body))
	if err != nil {
		w.t.Error(err)
	}
	// The answer to another request comes first, which must not be taken for this one's.
	for _, id := range []string{strings.Repeat("0", 64), e.ID} {
		reply := nostr.Event{Kind: nostr.KindNWCWalletResponse, CreatedAt: nostr.Now(), Content: content,
			Tags: nostr.Tags{{"p", e.PubKey}, {"e", id}}}
		if err := reply.Sign(w.key); err != nil {
			w.t.Error(err)
		}
		w.mu.Lock()
		if id == e.ID {
			w.answers = append(w.answers, reply)
		}
		w.mu.Unlock()
		for _, r := range w.relays {
			r.Publish(reply)
		}
	}
}

// Fault returns an answer that is an error.
func Fault(code string) map[string]any {
	return map[string]any{"error": map[string]string{"code": code, "message": "no"}}
}
