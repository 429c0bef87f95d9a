// Package clienttest is a Lightning network in memory for tests of buyers: a node that makes invoices and pays them,
// and a seller.
package clienttest

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"

	"go.almanac.example/http402/bolt11"
	"go.almanac.example/http402/wallet"
)

// A Node makes invoices, and pays exactly these, each once. It implements [wallet.Wallet].
type Node struct {
	Prefix string // of its network's invoices
	Now    func() time.Time

	// PayHook, if any, runs before a payment is made, and its error is that of the wallet: the outcome is not known.
	// Paid says whether the payment is made all the same.
	PayHook func(ctx context.Context, p wallet.Payment) (paid bool, err error)
	// TrackHook, if any, runs before Track, and its error is that of the wallet.
	TrackHook func(ctx context.Context) error
	Fee       int64 // in millisatoshis, of each payment

	mu       sync.Mutex
	key      *secp256k1.PrivateKey
	invoices map[[32]byte]*invoice
	payments int
	orders   int
	spent    int64
}

type invoice struct {
	preimage [32]byte
	msat     int64
	expires  time.Time
	outcome  wallet.Outcome
}

// NewNode returns a node of the regtest network.
func NewNode() *Node {
	key, err := secp256k1.GeneratePrivateKey()
	if err != nil {
		panic(err) // there is no randomness
	}
	return &Node{Prefix: "lnbcrt", Now: time.Now, key: key, invoices: map[[32]byte]*invoice{}}
}

// Terms are the contents of an invoice. Zero values, except of the amount, mean the usual ones.
type Terms struct {
	MilliSats int64 // 0 leaves the amount open
	Memo      string
	Expiry    time.Duration // 0 means a quarter of an hour
	Age       time.Duration // since it was made
}

// Invoice makes an invoice and returns it with its payment hash.
func (n *Node) Invoice(t testing.TB, terms Terms) (text string, hash [32]byte) {
	t.Helper()
	terms.Expiry = cmp.Or(terms.Expiry, 15*time.Minute)
	var preimage, addr [32]byte
	rand.Read(preimage[:])
	rand.Read(addr[:])
	hash = sha256.Sum256(preimage[:])
	created := n.Now().Add(-terms.Age)
	text = bolt11.Draft{Human: n.Prefix + bolt11.Amount(terms.MilliSats), Time: created.Unix(), Fields: []bolt11.Field{
		{Type: "p", Data: bolt11.Groups(hash[:])}, {Type: "d", Data: bolt11.Groups([]byte(terms.Memo))},
		{Type: "x", Data: bolt11.Number(uint64(terms.Expiry / time.Second))}, {Type: "c", Data: bolt11.Number(80)},
		{Type: "s", Data: bolt11.Groups(addr[:])}, {Type: "9", Data: bolt11.Number(1<<8 | 1<<14)},
	}}.Sign(n.key)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.invoices[hash] = &invoice{preimage: preimage, msat: terms.MilliSats, expires: created.Add(terms.Expiry)}
	return text, hash
}

// Pay implements wallet.Wallet.
func (n *Node) Pay(ctx context.Context, p wallet.Payment) (wallet.Outcome, error) {
	n.mu.Lock()
	n.orders++
	hook := n.PayHook
	n.mu.Unlock()
	var hookErr error
	if hook != nil {
		var paid bool
		if paid, hookErr = hook(ctx, p); hookErr != nil && !paid {
			return wallet.Outcome{}, hookErr
		}
	}
	if err := ctx.Err(); err != nil {
		return wallet.Outcome{}, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	inv := n.invoices[p.Hash]
	switch {
	case inv == nil:
		return wallet.Outcome{Status: wallet.Failed, Reason: "no route"}, hookErr
	case inv.outcome.Status == wallet.Succeeded:
		return inv.outcome, hookErr
	case !n.Now().Before(inv.expires):
		return wallet.Outcome{Status: wallet.Failed, Reason: "the invoice has expired"}, hookErr
	case n.Fee > p.FeeLimitMilliSats:
		return wallet.Outcome{Status: wallet.Failed, Reason: "no route within the fee limit"}, hookErr
	}
	inv.outcome = wallet.Outcome{Status: wallet.Succeeded, Preimage: inv.preimage, FeeMilliSats: n.Fee}
	n.payments++
	n.spent += inv.msat + n.Fee
	if hookErr != nil {
		return wallet.Outcome{}, hookErr
	}
	return inv.outcome, nil
}

// Track implements wallet.Wallet.
func (n *Node) Track(ctx context.Context, hash [32]byte) (wallet.Outcome, error) {
	n.mu.Lock()
	hook := n.TrackHook
	n.mu.Unlock()
	if hook != nil {
		if err := hook(ctx); err != nil {
			return wallet.Outcome{}, err
		}
	}
	if err := ctx.Err(); err != nil {
		return wallet.Outcome{}, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if inv := n.invoices[hash]; inv != nil {
		return inv.outcome, nil
	}
	return wallet.Outcome{}, nil
}

// Hooks replaces PayHook and TrackHook while the node is in use.
func (n *Node) Hooks(pay func(context.Context, wallet.Payment) (bool, error), track func(context.Context) error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.PayHook, n.TrackHook = pay, track
}

// Payments returns the number of payments, their cost in millisatoshis, and the number of calls of Pay.
func (n *Node) Payments() (payments int, msat int64, orders int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.payments, n.spent, n.orders
}

// Proofs returns the preimages of the payments that were made by their hashes, both in hexadecimal.
func (n *Node) Proofs() map[string]string {
	n.mu.Lock()
	defer n.mu.Unlock()
	all := map[string]string{}
	for hash, inv := range n.invoices {
		if inv.outcome.Status == wallet.Succeeded {
			all[hex.EncodeToString(hash[:])] = hex.EncodeToString(inv.preimage[:])
		}
	}
	return all
}

// Proves returns the hash of a preimage, and an error unless its invoice was paid.
func (n *Node) Proves(preimage [32]byte) ([32]byte, error) {
	hash := sha256.Sum256(preimage[:])
	n.mu.Lock()
	defer n.mu.Unlock()
	if inv := n.invoices[hash]; inv == nil || inv.outcome.Status != wallet.Succeeded {
		return hash, fmt.Errorf("payment %x was not made", hash)
	}
	return hash, nil
}
