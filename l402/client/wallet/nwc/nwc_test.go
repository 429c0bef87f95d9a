package nwc_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/nbd-wtf/go-nostr"
	"github.com/nbd-wtf/go-nostr/nip04"
	"github.com/nbd-wtf/go-nostr/nip44"

	"almanac/l402/client/bolt11"
	"almanac/l402/client/clienttest"
	"almanac/l402/client/wallet"
	"almanac/l402/client/wallet/nwc"
	"almanac/l402/client/wallet/wallettest"
)

// A relay keeps what it is sent and forwards it to who subscribed.
type relay struct {
	mu     sync.Mutex
	events []nostr.Event
	subs   map[*subscription]bool
	onSent func(nostr.Event)
}

type subscription struct {
	id      string
	filters nostr.Filters
	send    func(any)
}

func newRelay(t *testing.T) (*relay, string) {
	t.Helper()
	r := &relay{subs: map[*subscription]bool{}}
	srv := httptest.NewServer(r)
	t.Cleanup(srv.Close)
	return r, "ws" + strings.TrimPrefix(srv.URL, "http")
}

func (r *relay) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	conn, err := websocket.Accept(w, req, nil)
	if err != nil {
		return
	}
	defer conn.CloseNow()
	var writing sync.Mutex
	send := func(v any) {
		b, _ := json.Marshal(v)
		writing.Lock()
		defer writing.Unlock()
		conn.Write(context.Background(), websocket.MessageText, b)
	}
	var mine []*subscription
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, s := range mine {
			delete(r.subs, s)
		}
	}()
	for {
		_, message, err := conn.Read(context.Background())
		if err != nil {
			return
		}
		env, err := nostr.NewMessageParser().ParseMessage(string(message))
		if err != nil {
			continue
		}
		switch env := env.(type) {
		case *nostr.ReqEnvelope:
			s := &subscription{env.SubscriptionID, env.Filters, send}
			mine = append(mine, s)
			r.subscribe(s)
		case *nostr.EventEnvelope:
			send([]any{"OK", env.Event.ID, true, ""})
			r.publish(env.Event)
		}
	}
}

func (r *relay) subscribe(s *subscription) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.events {
		if s.filters.Match(&e) {
			s.send([]any{"EVENT", s.id, e})
		}
	}
	s.send([]any{"EOSE", s.id})
	r.subs[s] = true
}

func (r *relay) publish(e nostr.Event) {
	r.mu.Lock()
	r.events = append(r.events, e)
	for s := range r.subs {
		if s.filters.Match(&e) {
			s.send([]any{"EVENT", s.id, e})
		}
	}
	onSent := r.onSent
	r.mu.Unlock()
	if onSent != nil && e.Kind == nostr.KindNWCWalletRequest {
		go onSent(e)
	}
}

// A service is a wallet behind a relay, which pays with a node.
type service struct {
	t      *testing.T
	relay  *relay
	node   *clienttest.Node
	key    string // secret
	public string
	client string // public key of the buyer
	nip44  bool
	fail   string // error code for every request
}

func (s *service) crypt(t *testing.T) (encrypt, decrypt func(string) (string, error)) {
	if s.nip44 {
		key, err := nip44.GenerateConversationKey(s.client, s.key)
		if err != nil {
			t.Error(err)
		}
		return func(x string) (string, error) { return nip44.Encrypt(x, key) }, func(x string) (string, error) { return nip44.Decrypt(x, key) }
	}
	key, err := nip04.ComputeSharedSecret(s.client, s.key)
	if err != nil {
		t.Error(err)
	}
	return func(x string) (string, error) { return nip04.Encrypt(x, key) }, func(x string) (string, error) { return nip04.Decrypt(x, key) }
}

func (s *service) handle(e nostr.Event) {
	encrypt, decrypt := s.crypt(s.t)
	text, err := decrypt(e.Content)
	if err != nil {
		s.t.Errorf("the request cannot be read: %v", err)
		return
	}
	if tag := e.Tags.Find("encryption"); s.nip44 != (len(tag) > 1 && tag[1] == "nip44_v2") {
		s.t.Errorf("tags %v", e.Tags)
	}
	var req struct {
		Method string
		Params struct {
			Invoice     string
			PaymentHash string `json:"payment_hash"`
		}
	}
	if err := json.Unmarshal([]byte(text), &req); err != nil {
		s.t.Error(err)
	}
	answer := s.answer(req.Method, req.Params.Invoice, req.Params.PaymentHash)
	answer["result_type"] = req.Method
	body, _ := json.Marshal(answer)
	content, err := encrypt(string(body))
	if err != nil {
		s.t.Error(err)
	}
	forged := nostr.Event{Kind: nostr.KindNWCWalletResponse, CreatedAt: nostr.Now(), Content: content, Tags: nostr.Tags{{"p", s.client}, {"e", strings.Repeat("0", 64)}}}
	forged.Sign(s.key)
	s.relay.publish(forged) // the answer to another request
	e2 := nostr.Event{Kind: nostr.KindNWCWalletResponse, CreatedAt: nostr.Now(), Content: content, Tags: nostr.Tags{{"p", s.client}, {"e", e.ID}}}
	if err := e2.Sign(s.key); err != nil {
		s.t.Error(err)
	}
	s.relay.publish(e2)
}

func fault(code string) map[string]any {
	return map[string]any{"error": map[string]string{"code": code, "message": "no"}}
}

func (s *service) answer(method, invoice, paymentHash string) map[string]any {
	if s.fail != "" {
		return fault(s.fail)
	}
	var hash [32]byte
	switch method {
	case "pay_invoice":
		inv, err := bolt11.Decode(invoice)
		if err != nil {
			return fault("OTHER")
		}
		out, err := s.node.Pay(context.Background(), wallet.Payment{Invoice: invoice, Hash: inv.Hash, AmountMilliSats: inv.MilliSats, FeeLimitMilliSats: 10_000})
		if err != nil {
			return fault("INTERNAL")
		}
		if out.Status != wallet.Succeeded {
			return fault("PAYMENT_FAILED")
		}
		return map[string]any{"result": map[string]any{"preimage": hex.EncodeToString(out.Preimage[:]), "fees_paid": out.FeeMilliSats}}
	case "lookup_invoice":
		hex.Decode(hash[:], []byte(paymentHash))
		out, _ := s.node.Track(context.Background(), hash)
		if out.Status != wallet.Succeeded {
			return fault("NOT_FOUND")
		}
		return map[string]any{"result": map[string]any{"type": "outgoing", "state": "settled", "preimage": hex.EncodeToString(out.Preimage[:]), "payment_hash": paymentHash}}
	}
	return fault("NOT_IMPLEMENTED")
}

// connect starts a service and returns the connection's URI.
func connect(t *testing.T, withNIP44 bool) (*service, string) {
	t.Helper()
	r, address := newRelay(t)
	secret := nostr.GeneratePrivateKey()
	public, _ := nostr.GetPublicKey(secret)
	s := &service{t: t, relay: r, node: clienttest.NewNode(), key: nostr.GeneratePrivateKey(), client: public, nip44: withNIP44}
	s.public, _ = nostr.GetPublicKey(s.key)
	info := nostr.Event{Kind: nostr.KindNWCWalletInfo, CreatedAt: nostr.Now(), Content: "pay_invoice lookup_invoice"}
	if withNIP44 {
		info.Tags = nostr.Tags{{"encryption", "nip44_v2 nip04"}}
	}
	if err := info.Sign(s.key); err != nil {
		t.Fatal(err)
	}
	r.publish(info)
	r.onSent = s.handle
	return s, "nostr+walletconnect://" + s.public + "?relay=ws://127.0.0.1:1&relay=" + address + "&secret=" + secret
}

// TestLaw runs the law with both encryptions, and with one relay of two out of reach.
func TestLaw(t *testing.T) {
	for name, withNIP44 := range map[string]bool{"NIP-44": true, "NIP-04": false} {
		t.Run(name, func(t *testing.T) {
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
		s.fail = tt.code
		text, hash := s.node.Invoice(t, clienttest.Terms{MilliSats: 1000})
		out, err := w.Pay(t.Context(), wallet.Payment{Invoice: text, Hash: hash, AmountMilliSats: 1000})
		if failed := err == nil && out.Status == wallet.Failed && strings.Contains(out.Reason, tt.code); failed != tt.failed {
			t.Errorf("%s: %s %q (%v), want failed %v", tt.code, out.Status, out.Reason, err, tt.failed)
		}
	}
}

// TestSilence: a wallet that does not answer leaves the outcome open.
func TestSilence(t *testing.T) {
	s, uri := connect(t, true)
	s.relay.onSent = nil
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

// TestURI breaks one part at a time; no error shows the secret.
func TestURI(t *testing.T) {
	_, uri := connect(t, true)
	secret := uri[strings.Index(uri, "secret=")+7:]
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
