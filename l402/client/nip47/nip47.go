// Package nip47 asks a wallet questions over Nostr Wallet Connect (NIP-47,
// https://github.com/nostr-protocol/nips/blob/master/47.md): it reads the connection's URI, agrees on an encryption,
// and sends a request over all relays of the connection until the wallet's answer arrives.
//
// Relays are not trusted: an answer counts if the wallet has signed it, for this request, and it can be decrypted.
// Everything else that a relay sends is ignored.
package nip47

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"

	"github.com/btcsuite/btcd/btcec/v2"
)

// A Connection is a wallet, seen by the holder of one secret. It connects to the relays when it is first asked
// something, keeps the connections for as long as they are used, and after a failure tries a relay again later and
// later.
type Connection struct {
	wallet *wallet
	secret *btcec.PrivateKey // ours
}

// A wallet is shared by all connections to it.
type wallet struct {
	public string // its key, in hexadecimal
	key    *btcec.PublicKey
	relays []*relay

	mu   sync.Mutex
	info *event // its abilities; nil until they are known
}

// Parse reads a connection URI, nostr+walletconnect://<public key>?relay=<address>&secret=<key>. Its errors do not show
// the secret. It does not connect.
func Parse(uri string, o Options) (*Connection, error) {
	u, err := url.Parse(strings.TrimSpace(uri))
	if err != nil || u.Scheme != "nostr+walletconnect" {
		return nil, errors.New("the wallet connection does not begin with nostr+walletconnect://")
	}
	w := &wallet{public: strings.ToLower(u.Host)}
	if w.public == "" {
		w.public = strings.ToLower(u.Opaque)
	}
	if w.key, err = parsePublic(w.public); err != nil {
		return nil, errors.New("the wallet connection names no public key of 64 hexadecimal digits")
	}
	secret, err := parseSecret(u.Query().Get("secret"))
	if err != nil {
		return nil, err
	}
	addresses := u.Query()["relay"]
	if len(addresses) == 0 {
		return nil, errors.New("the wallet connection names no relay")
	}
	for _, address := range addresses {
		if r, err := url.Parse(address); err != nil || r.Scheme != "wss" && r.Scheme != "ws" || r.Host == "" {
			return nil, fmt.Errorf("relay %q of the wallet connection is not an address like wss://relay.example", address)
		}
		w.relays = append(w.relays, newRelay(address, o))
	}
	return &Connection{w, secret}, nil
}

// Stranger returns a connection to the same wallet over the same relays with a new secret, which the wallet does not
// know.
func (c *Connection) Stranger() (*Connection, error) {
	secret, err := newSecret()
	if err != nil {
		return nil, err
	}
	return &Connection{c.wallet, secret}, nil
}

// Close ends the connections to the relays. They are made again when they are needed.
func (c *Connection) Close() {
	for _, r := range c.wallet.relays {
		r.close()
	}
}
