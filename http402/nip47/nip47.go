// Package nip47 asks a wallet questions over Nostr Wallet Connect (NIP-47,
// https://github.com/nostr-protocol/nips/blob/master/47.md): it reads the connection's URI, agrees on an encryption,
// and sends a request over all relays of the connection until the wallet's answer arrives.
//
// Relays are not trusted: an answer counts if the wallet has signed it, for this request, and it can be decrypted.
// Everything else that a relay sends is ignored.
package nip47

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/btcsuite/btcd/btcec/v2"
)

// A Connection is a wallet, seen by the holder of one secret. It connects to the relays when it is first asked something,
// and keeps the connections.
type Connection struct {
	wallet *wallet
	secret *btcec.PrivateKey // ours
}

// A wallet is shared by all connections to it.
type wallet struct {
	public string // its key, in hexadecimal
	key    *btcec.PublicKey
	relays []*relay
	info   atomic.Pointer[event] // its abilities; nil until they are known
}

// Parse reads a connection URI, nostr+walletconnect://<public key>?relay=<address>&secret=<key>. Its errors do not show
// the secret. It does not connect. A relay that failed is tried again after backoff, 0 for a second.
func Parse(uri string, backoff time.Duration) (*Connection, error) {
	u, err := url.Parse(strings.TrimPrefix(strings.TrimSpace(uri), "type=nwc;key="))         // BTCPay Server's way of writing one
	if err != nil || u.Scheme != "nostr+walletconnect" && u.Scheme != "nostrwalletconnect" { // the second of wallets before the NIP
		return nil, errors.New("the wallet connection does not begin with nostr+walletconnect://")
	}
	w := &wallet{public: strings.ToLower(cmp.Or(u.Host, u.Opaque))}
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
		w.relays = append(w.relays, &relay{address: address, backoff: cmp.Or(backoff, time.Second), dialing: make(chan struct{}, 1)})
	}
	return &Connection{w, secret}, nil
}

// Stranger returns a connection to the same wallet over the same relays with a new secret, which the wallet does not
// know.
func (c *Connection) Stranger() (*Connection, error) {
	secret, err := btcec.NewPrivateKey()
	if err != nil {
		return nil, err
	}
	return &Connection{c.wallet, secret}, nil
}

// Close ends the connections to the relays. They are made again when they are needed.
func (c *Connection) Close() {
	for _, r := range c.wallet.relays {
		if l := r.link.Load(); l != nil {
			l.end(errClosed)
		}
	}
}

// An Error is one that the wallet answered.
type Error struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Error implements error.
func (f *Error) Error() string {
	return strings.TrimSuffix("the wallet says "+f.Code+": "+f.Message, ": ")
}

// ErrGarbled means that the wallet's answer cannot be understood.
var ErrGarbled = errors.New("the wallet's answer cannot be understood")

// Call sends a request over every relay and decodes the result of the first answer into result. An error of the wallet
// is an [*Error].
func (c *Connection) Call(ctx context.Context, method string, params, result any) error {
	ciph, err := c.agree(ctx)
	if err != nil {
		return err
	}
	request, err := c.request(method, params, ciph)
	if err != nil {
		return fmt.Errorf("ask the wallet: %w", err)
	}
	text, err := c.exchange(ctx, request, ciph)
	if err != nil {
		return fmt.Errorf("ask the wallet by %s: %w", method, err)
	}
	var answer struct {
		Type   string          `json:"result_type"`
		Error  *Error          `json:"error"`
		Result json.RawMessage `json:"result"`
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		return fmt.Errorf("%w: read the answer to %s: %w", ErrGarbled, method, err)
	}
	if answer.Error != nil && answer.Error.Code != "" {
		if answer.Error.Code == "UNSUPPORTED_ENCRYPTION" {
			c.wallet.info.Store(nil) // the next call asks again
		}
		return answer.Error
	}
	if answer.Type != "" && answer.Type != method {
		return fmt.Errorf("%w: it answers %s with a result of %.40q", ErrGarbled, method, answer.Type)
	}
	if err := json.Unmarshal(answer.Result, result); err != nil {
		return fmt.Errorf("%w: read the answer to %s: %w", ErrGarbled, method, err)
	}
	return nil
}

// request returns the signed event that asks the wallet for something.
func (c *Connection) request(method string, params any, ciph textCipher) (*event, error) {
	body, err := json.Marshal(map[string]any{"method": method, "params": params})
	if err != nil {
		return nil, err
	}
	content, err := ciph.encrypt(string(body))
	if err != nil {
		return nil, err
	}
	tags := [][]string{{"p", c.wallet.public}}
	if _, ok := ciph.(nip44Cipher); ok {
		tags = append(tags, []string{"encryption", nip44Name})
	}
	return newEvent(kindRequest, content, tags, c.secret)
}
