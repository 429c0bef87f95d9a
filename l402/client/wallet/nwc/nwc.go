// Package nwc pays with a wallet over Nostr Wallet Connect (NIP-47), by the methods pay_invoice and lookup_invoice.
//
// NIP-47 has no limit for routing fees: they are the wallet's, and are counted as it reports them. The connection's own
// budget, set in the wallet, is a second line of defence.
package nwc

import (
	"time"

	"almanac/l402/client/nip47"
)

// A Wallet is a connection to a wallet. It implements [wallet.Wallet].
type Wallet struct{ connection *nip47.Connection }

// New reads a connection URI, nostr+walletconnect://<public key>?relay=<address>&secret=<key>. Its errors do not show
// the secret. It does not connect.
func New(uri string) (*Wallet, error) {
	c, err := nip47.Parse(uri, nip47.Options{})
	if err != nil {
		return nil, err
	}
	return &Wallet{c}, nil
}

// trackTimeout is how long the wallet may take to answer a question.
const trackTimeout = 15 * time.Second
