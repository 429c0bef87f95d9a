// Package nwc pays with a wallet over Nostr Wallet Connect (NIP-47, https://github.com/nostr-protocol/nips/blob/master/47.md), by the methods pay_invoice
// and lookup_invoice.
//
// NIP-47 has no limit for routing fees: they are the wallet's, and are counted as it reports them. The connection's own budget, set
// in the wallet, is a second line of defence.
package nwc

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/nbd-wtf/go-nostr"

	"almanac/l402/client/wallet"
)

// A Wallet is a connection to a wallet. It implements [wallet.Wallet].
type Wallet struct {
	relays []string
	wallet string // its public key
	secret string // ours
	public string // ours

	mu     sync.Mutex
	cipher cipher // nil until the wallet was asked which it knows
}

var _ wallet.Wallet = (*Wallet)(nil)

// New reads a connection URI, nostr+walletconnect://<public key>?relay=<address>&secret=<key>. Its errors do not show the secret. It does not
// connect.
func New(uri string) (*Wallet, error) {
	u, err := url.Parse(strings.TrimSpace(uri))
	if err != nil || u.Scheme != "nostr+walletconnect" {
		return nil, errors.New("the wallet connection does not begin with nostr+walletconnect://")
	}
	w := &Wallet{wallet: strings.ToLower(u.Host), secret: strings.ToLower(u.Query().Get("secret")), relays: u.Query()["relay"]}
	if w.wallet == "" {
		w.wallet = strings.ToLower(u.Opaque)
	}
	if !nostr.IsValidPublicKey(w.wallet) {
		return nil, errors.New("the wallet connection names no public key of 64 hexadecimal digits")
	}
	if raw, err := hex.DecodeString(w.secret); err != nil || len(raw) != 32 {
		return nil, errors.New("the wallet connection has no secret of 64 hexadecimal digits")
	}
	if w.public, err = nostr.GetPublicKey(w.secret); err != nil {
		return nil, errors.New("the wallet connection's secret is not a key")
	}
	if len(w.relays) == 0 {
		return nil, errors.New("the wallet connection names no relay")
	}
	for _, relay := range w.relays {
		if r, err := url.Parse(relay); err != nil || r.Scheme != "wss" && r.Scheme != "ws" || r.Host == "" {
			return nil, fmt.Errorf("relay %q of the wallet connection is not an address like wss://relay.example", relay)
		}
	}
	return w, nil
}

// trackTimeout is how long the wallet may take to answer a question.
const trackTimeout = 15 * time.Second

// A transaction is what the wallet says about a payment.
type transaction struct {
	Preimage  string `json:"preimage"`
	FeesPaid  int64  `json:"fees_paid"` // in millisatoshis
	State     string `json:"state"`
	SettledAt int64  `json:"settled_at"`
}

// Pay implements wallet.Wallet.
func (w *Wallet) Pay(ctx context.Context, p wallet.Payment) (wallet.Outcome, error) {
	var paid transaction
	err := w.call(ctx, "pay_invoice", map[string]any{"invoice": p.Invoice}, &paid)
	var fault *Fault
	switch {
	case err == nil:
		return succeeded(paid)
	case !errors.As(err, &fault):
		return wallet.Outcome{}, err
	}
	// A payment of the same invoice from before may be why, and may be under way or made.
	out, trackErr := w.Track(ctx, p.Hash)
	switch {
	case trackErr == nil && (out.Status == wallet.Succeeded || out.Status == wallet.Pending):
		return out, nil
	case trackErr == nil && out.Status == wallet.Failed, fault.refused() && (trackErr == nil || errors.As(trackErr, new(*Fault))):
		return wallet.Outcome{Status: wallet.Failed, Reason: fault.Error()}, nil
	}
	return wallet.Outcome{}, err
}

// Track implements wallet.Wallet.
func (w *Wallet) Track(ctx context.Context, hash [32]byte) (wallet.Outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, trackTimeout)
	defer cancel()
	var found transaction
	err := w.call(ctx, "lookup_invoice", map[string]any{"payment_hash": hex.EncodeToString(hash[:])}, &found)
	var fault *Fault
	switch {
	case errors.As(err, &fault) && fault.Code == "NOT_FOUND":
		return wallet.Outcome{Status: wallet.Unknown}, nil
	case err != nil:
		return wallet.Outcome{}, err
	}
	switch found.State {
	case "settled":
		return succeeded(found)
	case "failed", "expired":
		return wallet.Outcome{Status: wallet.Failed, Reason: "the wallet says that the payment has " + found.State}, nil
	case "": // of wallets before the member was there
		if found.SettledAt > 0 || found.Preimage != "" {
			return succeeded(found)
		}
	}
	return wallet.Outcome{Status: wallet.Pending}, nil
}

func succeeded(t transaction) (wallet.Outcome, error) {
	out := wallet.Outcome{Status: wallet.Succeeded, FeeMilliSats: max(0, t.FeesPaid)}
	if n, err := hex.Decode(out.Preimage[:], []byte(t.Preimage)); err != nil || n != len(out.Preimage) || len(t.Preimage) != 64 {
		return wallet.Outcome{}, errors.New("the wallet says that it paid, and shows no preimage")
	}
	return out, nil
}

// A Fault is an error that the wallet answered.
type Fault struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Error implements error.
func (f *Fault) Error() string {
	return strings.TrimSuffix("the wallet says "+f.Code+": "+f.Message, ": ")
}

// refused reports whether the code means that no payment was begun, or that it has ended.
func (f *Fault) refused() bool {
	switch f.Code {
	case "PAYMENT_FAILED", "INSUFFICIENT_BALANCE", "QUOTA_EXCEEDED", "RESTRICTED", "UNAUTHORIZED", "NOT_IMPLEMENTED", "RATE_LIMITED", "UNSUPPORTED_ENCRYPTION":
		return true
	}
	return false
}

// call sends a request to every relay and takes the first answer.
func (w *Wallet) call(ctx context.Context, method string, params, result any) error {
	ciph, err := w.agree(ctx)
	if err != nil {
		return err
	}
	body, err := json.Marshal(map[string]any{"method": method, "params": params})
	if err != nil {
		return fmt.Errorf("ask the wallet: %w", err)
	}
	content, err := ciph.encrypt(string(body))
	if err != nil {
		return fmt.Errorf("ask the wallet: %w", err)
	}
	request := nostr.Event{Kind: nostr.KindNWCWalletRequest, CreatedAt: nostr.Now(), Content: content, Tags: nostr.Tags{{"p", w.wallet}}}
	if name := ciph.name(); name != nip04Name {
		request.Tags = append(request.Tags, nostr.Tag{"encryption", name})
	}
	if err := request.Sign(w.secret); err != nil {
		return fmt.Errorf("ask the wallet: %w", err)
	}
	text, err := w.exchange(ctx, &request, ciph)
	if err != nil {
		return fmt.Errorf("ask the wallet by %s: %w", method, err)
	}
	var answer struct {
		Error  *Fault          `json:"error"`
		Result json.RawMessage `json:"result"`
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		return fmt.Errorf("read the wallet's answer to %s: %w", method, err)
	}
	if answer.Error != nil && answer.Error.Code != "" {
		return answer.Error
	}
	if err := json.Unmarshal(answer.Result, result); err != nil {
		return fmt.Errorf("read the wallet's answer to %s: %w", method, err)
	}
	return nil
}
