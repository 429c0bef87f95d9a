// Package demo simulates a Lightning node and a wallet, so that buying and searching can be tried with curl alone.
//
// Its invoices are well-formed BOLT 11 for the regtest network, signed by a node that belongs to no network: nobody can
// pay them, and the wallet reveals their preimages for nothing. A preimage is derived from the node's key and the
// invoice's salt, so the node keeps no state and an invoice can still be paid after a restart.
package demo

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"go.almanac.example/http402/bolt11"
	"go.almanac.example/internal/peer"
	"go.almanac.example/internal/problem"
	"go.almanac.example/l402"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/lightningnetwork/lnd/lntypes"
)

// KeySize is the length of a node's key in bytes.
const KeySize = 32

// A Node creates invoices, and reveals their preimages.
type Node struct {
	now     func() time.Time
	signing *secp256k1.PrivateKey
	secret  []byte // of the preimages
}

// New returns the node with that key. A node with the same key can pay its invoices.
func New(key [KeySize]byte, now func() time.Time) *Node {
	signing := secp256k1.PrivKeyFromBytes(derive(key[:], "signing"))
	return &Node{now: now, signing: signing, secret: derive(key[:], "preimages")}
}

func derive(key []byte, use string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(use))
	return mac.Sum(nil)
}

// preimage returns the preimage of the invoice with that salt, which is its payment address: random, and readable in
// the invoice.
func (n *Node) preimage(salt [32]byte) lntypes.Preimage {
	return lntypes.Preimage(derive(n.secret, string(salt[:])))
}

// AddInvoice implements l402.Invoicer.
func (n *Node) AddInvoice(ctx context.Context, req l402.InvoiceRequest) (l402.Invoice, error) {
	if err := ctx.Err(); err != nil {
		return l402.Invoice{}, fmt.Errorf("%w: %w", l402.ErrNodeUnavailable, err)
	}
	var salt [32]byte
	rand.Read(salt[:]) // never fails since Go 1.24
	preimage := n.preimage(salt)
	hash := preimage.Hash()
	now := n.now().Truncate(time.Second)
	text := bolt11.Draft{
		Human: "lnbcrt" + bolt11.Amount(req.AmountSats*1000), Time: now.Unix(), Fields: []bolt11.Field{
			{Type: "p", Data: bolt11.Groups(hash[:])}, {Type: "d", Data: bolt11.Groups([]byte(req.Memo))},
			{Type: "x", Data: bolt11.Number(uint64(req.Expiry / time.Second))}, {Type: "c", Data: bolt11.Number(80)},
			{Type: "s", Data: bolt11.Groups(salt[:])}, {Type: "9", Data: bolt11.Number(1<<8 | 1<<14)},
		},
	}.Sign(n.signing)
	return l402.Invoice{PaymentRequest: text, PaymentHash: hash, ExpiresAt: now.Add(req.Expiry)}, nil
}

// CheckListener returns an error for an address that other machines can reach, because a wallet that reveals preimages
// makes everything free.
func CheckListener(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("demo payments: address %q: %w", addr, err)
	}
	if peer.IsLoopback(host) {
		return nil
	}
	return fmt.Errorf("demo payments make everything free: listen on localhost instead of %q, connect a real node, or confirm that this is intended", addr)
}

// Ready implements l402.Invoicer.
func (n *Node) Ready(context.Context) error { return nil }

// Pay returns the preimage of an invoice of this node, as a wallet does after paying it. Its error is a
// *problem.Problem.
func (n *Node) Pay(invoice string) (lntypes.Preimage, error) {
	decoded, err := l402.DecodeInvoice(invoice, bolt11.Regtest)
	if err != nil {
		return lntypes.Preimage{}, problem.New(problem.BadPayRequest)
	}
	preimage := n.preimage(decoded.Secret)
	if !preimage.Matches(decoded.Hash) || decoded.Payee != hex.EncodeToString(n.signing.PubKey().SerializeCompressed()) {
		return lntypes.Preimage{}, problem.New(problem.InvoiceForeign)
	}
	if !n.now().Before(decoded.ExpiresAt) {
		return lntypes.Preimage{}, problem.New(problem.InvoiceExpired)
	}
	return preimage, nil
}

// maxPayRequest bounds the body of a request to the wallet. An invoice of ours has about 350 characters.
const maxPayRequest = 8 << 10

// PayHandler returns the wallet as a handler: POST {"invoice": "lnbcrt…"} is answered with {"preimage": "…"}. No money
// moves. fail answers a request with an error, which is always a *problem.Problem.
func (n *Node) PayHandler(fail func(w http.ResponseWriter, r *http.Request, err error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("Access-Control-Allow-Origin", "*")
		if !l402.Allow(w, r, fail, http.MethodPost) {
			return
		}
		var req struct {
			Invoice string `json:"invoice"`
		}
		text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxPayRequest))
		if err != nil || json.Unmarshal(text, &req) != nil {
			fail(w, r, problem.New(problem.BadPayRequest))
			return
		}
		preimage, err := n.Pay(req.Invoice)
		if err != nil {
			fail(w, r, err)
			return
		}
		h.Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"preimage":"%s"}`, preimage)
	})
}
