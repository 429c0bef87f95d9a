package invoicertest

import (
	"crypto/sha256"
	"testing"
	"time"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/ecdsa"
	"github.com/btcsuite/btcd/chaincfg"
	"github.com/btcsuite/btcd/chaincfg/chainhash"
	"github.com/lightningnetwork/lnd/lnwire"
	"github.com/lightningnetwork/lnd/zpay32"
)

// Terms are the contents of an invoice of a test's node.
type Terms struct {
	Net       *chaincfg.Params
	Hash      [32]byte
	MilliSats int64
	Memo      string
	Expiry    time.Duration
	At        time.Time
	Secret    [32]byte // the payment secret; zero means some other

	DescriptionHash [32]byte // stands for the memo, unless it is zero
}

// Invoice returns a BOLT 11 invoice with these terms, signed by some node.
func Invoice(t testing.TB, terms Terms) string {
	t.Helper()
	key, err := btcec.NewPrivateKey()
	if err != nil {
		t.Fatal(err)
	}
	if terms.Secret == ([32]byte{}) {
		terms.Secret = sha256.Sum256([]byte("secret"))
	}
	features := lnwire.NewFeatureVector(lnwire.NewRawFeatureVector(lnwire.TLVOnionPayloadRequired,
		lnwire.PaymentAddrRequired), lnwire.Features)
	description := zpay32.Description(terms.Memo)
	if terms.DescriptionHash != ([32]byte{}) {
		description = zpay32.DescriptionHash(terms.DescriptionHash)
	}
	inv, err := zpay32.NewInvoice(terms.Net, terms.Hash, terms.At, zpay32.Amount(lnwire.MilliSatoshi(terms.MilliSats)),
		description,
		zpay32.Expiry(terms.Expiry), zpay32.CLTVExpiry(80), zpay32.PaymentAddr(terms.Secret), zpay32.Features(features))
	if err != nil {
		t.Fatal(err)
	}
	text, err := inv.Encode(zpay32.MessageSigner{SignCompact: func(msg []byte) ([]byte, error) {
		return ecdsa.SignCompact(key, chainhash.HashB(msg), true), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return text
}
