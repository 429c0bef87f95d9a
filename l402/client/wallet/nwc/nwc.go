// Package nwc pays with a wallet over Nostr Wallet Connect (NIP-47, https://github.com/nostr-protocol/nips/blob/master/47.md), by the methods pay_invoice
// and lookup_invoice.
//
// NIP-47 has no limit for routing fees: they are the wallet's, and are counted as it reports them. The connection's own budget, set
// in the wallet, is a second line of defence.
package nwc

import (
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/nbd-wtf/go-nostr"
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
