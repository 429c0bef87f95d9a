// Package bolt11 reads Lightning invoices (https://github.com/lightning/bolts/blob/master/11-payment-encoding.md) of
// every network.
package bolt11

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/btcsuite/btcd/chaincfg"
	"github.com/lightningnetwork/lnd/zpay32"
)

// The networks of an invoice.
const (
	Mainnet = "mainnet"
	Testnet = "testnet" // also testnet4, whose invoices look the same
	Signet  = "signet"
	Simnet  = "simnet"
	Regtest = "regtest"
)

// networks are the networks by the beginning of their invoices. A longer one comes before the one that it begins with.
var networks = []struct {
	prefix, name string
	params       *chaincfg.Params
}{
	{"lnbcrt", Regtest, &chaincfg.RegressionNetParams},
	{"lntbs", Signet, &chaincfg.SigNetParams},
	{"lntb", Testnet, &chaincfg.TestNet3Params},
	{"lnsb", Simnet, &chaincfg.SimNetParams},
	{"lnbc", Mainnet, &chaincfg.MainNetParams},
}

// Networks returns the names of all networks.
func Networks() []string {
	var names []string
	for _, n := range networks {
		names = append(names, n.name)
	}
	return names
}

// maxLength bounds an invoice, in characters. A usual one has 300, one with route hints 1,500.
const maxLength = 7089

// An Invoice is a decoded invoice.
type Invoice struct {
	Text        string // in lower case, without "lightning:"
	Network     string
	Hash        [32]byte // of the payment
	MilliSats   int64    // 0 when the payer chooses
	Description string
	Payee       string // the node's public key in hexadecimal
	CreatedAt   time.Time
	ExpiresAt   time.Time
}

// Decode reads an invoice and checks its signature. Its errors complete the sentence "the invoice …".
func Decode(text string) (Invoice, error) {
	text = strings.ToLower(strings.TrimSpace(text))
	text = strings.TrimPrefix(text, "lightning:")
	if len(text) > maxLength {
		return Invoice{}, fmt.Errorf("has %d characters; at most %d are read", len(text), maxLength)
	}
	for _, n := range networks {
		rest, ok := strings.CutPrefix(text, n.prefix)
		if !ok || rest == "" || rest[0] < '0' || rest[0] > '9' { // an amount or the separator 1 follows
			continue
		}
		decoded, err := zpay32.Decode(text, n.params)
		if err != nil {
			return Invoice{}, fmt.Errorf("cannot be read: %w", err)
		}
		return convert(text, n.name, decoded)
	}
	return Invoice{}, errors.New("is not BOLT 11 of a known network")
}

func convert(text, network string, d *zpay32.Invoice) (Invoice, error) {
	if d.PaymentHash == nil || d.Destination == nil {
		return Invoice{}, errors.New("has no payment hash")
	}
	inv := Invoice{Text: text, Network: network, Hash: *d.PaymentHash, CreatedAt: d.Timestamp,
		ExpiresAt: d.Timestamp.Add(d.Expiry()), Payee: hex.EncodeToString(d.Destination.SerializeCompressed())}
	if d.MilliSat != nil {
		inv.MilliSats = int64(*d.MilliSat)
		if inv.MilliSats < 0 {
			return Invoice{}, errors.New("has an amount beyond every limit")
		}
	}
	if d.Description != nil {
		inv.Description = *d.Description
	}
	if inv.ExpiresAt.Before(inv.CreatedAt) {
		return Invoice{}, errors.New("has an expiry beyond every limit")
	}
	return inv, nil
}
