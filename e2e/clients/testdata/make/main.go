// Command make writes the shapes of testvectors/402 that this table describes. Every value follows from the table: the
// key, the preimages and the dates are fixed, so that a second run writes the same files. It keeps the members "reading"
// and "held_out" of a file that is there.
//
//	go run ./e2e/clients/testdata/make http402/testvectors/402
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/ecdsa"
	"github.com/btcsuite/btcd/chaincfg"
	"github.com/btcsuite/btcd/chaincfg/chainhash"
	"github.com/lightningnetwork/lnd/lnwire"
	"github.com/lightningnetwork/lnd/zpay32"
	"gopkg.in/macaroon.v2"

	"go.almanac.example/http402/testvectors"
)

var (
	created   = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	tenYears  = 3650 * 24 * time.Hour
	expires   = "2036-01-01T00:00:00Z"
	longPast  = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	secret, _ = btcec.PrivKeyFromBytes(bytes.Repeat([]byte{0x42}, 32))
)

type (
	clause = testvectors.Clause
	file   = testvectors.Shape
)

// preimage and hash belong to the shape id.
func preimage(id string) [32]byte { return sha256.Sum256([]byte("402 test vectors: " + id)) }

func hash(id string) [32]byte {
	p := preimage(id)
	return sha256.Sum256(p[:])
}

type terms struct {
	sats    int64
	created time.Time
	expiry  time.Duration
	net     *chaincfg.Params
	memo    string
	digest  *[32]byte // of the description, in its place
}

// invoice makes the invoice of a shape, which the node with the known key signs.
func invoice(id string, t terms) string {
	if t.created.IsZero() {
		t.created, t.expiry = created, tenYears
	}
	if t.net == nil {
		t.net = &chaincfg.MainNetParams
	}
	features := lnwire.NewRawFeatureVector(lnwire.TLVOnionPayloadRequired, lnwire.PaymentAddrRequired)
	options := []func(*zpay32.Invoice){zpay32.Expiry(t.expiry), zpay32.CLTVExpiry(80),
		zpay32.PaymentAddr(sha256.Sum256([]byte("address: " + id))),
		zpay32.Features(lnwire.NewFeatureVector(features, lnwire.Features))}
	if t.digest != nil {
		options = append(options, zpay32.DescriptionHash(*t.digest))
	} else {
		options = append(options, zpay32.Description("402 test vector "+id))
	}
	if t.sats > 0 {
		options = append(options, zpay32.Amount(lnwire.NewMSatFromSatoshis(0)+lnwire.MilliSatoshi(t.sats*1000)))
	}
	inv, err := zpay32.NewInvoice(t.net, hash(id), t.created, options...)
	check(err)
	text, err := inv.Encode(zpay32.MessageSigner{SignCompact: func(msg []byte) ([]byte, error) {
		return ecdsa.SignCompact(secret, chainhash.HashB(msg), true), nil
	}})
	check(err)
	return text
}

// mac makes the macaroon of a payment hash.
func mac(h [32]byte, caveats ...string) []byte {
	return macOf(append(append([]byte{0, 0}, h[:]...), bytes.Repeat([]byte{7}, 32)...), caveats...)
}

// macOf makes the macaroon of an identifier.
func macOf(id []byte, caveats ...string) []byte {
	m, err := macaroon.New([]byte("402 test vectors"), id, "shop.example", macaroon.LatestVersion)
	check(err)
	for _, c := range caveats {
		check(m.AddFirstPartyCaveat([]byte(c)))
	}
	b, err := m.MarshalBinary()
	check(err)
	return b
}

// albyToken is the token of issueL402Macaroon of @getalby/lightning-tools 9.0.1: JSON in base64url, a dot, and its HMAC.
func albyToken(id string) string {
	encoded := raw(object{"path": "/article", "paymentHash": hex.EncodeToString(bytesOf(hash(id)))})
	sign := hmac.New(sha256.New, []byte("402 test vectors"))
	sign.Write([]byte(encoded))
	return encoded + "." + hex.EncodeToString(sign.Sum(nil))
}

func std(b []byte) string { return base64.StdEncoding.EncodeToString(b) }
func raw(v any) string    { return base64.RawURLEncoding.EncodeToString(compact(v)) }

// compact is JSON with sorted members, which for these values is also the canonical form of RFC 8785.
func compact(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	check(e.Encode(v))
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

type object = map[string]any

// payment writes a Payment challenge.
func payment(id, method, intent string, request any, more string) string {
	encoded, ok := request.(string)
	if !ok {
		encoded = raw(request)
	}
	return fmt.Sprintf(`Payment id="%s", realm="shop.example", method="%s", intent="%s", request="%s", expires="%s"%s`,
		challengeID(id, method, intent), method, intent, encoded, expires, more)
}

func challengeID(id, method, intent string) string {
	sum := sha256.Sum256([]byte(id + method + intent))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

func charge(id string, sats int64) object {
	return object{"amount": fmt.Sprint(sats), "currency": "sat",
		"methodDetails": object{"invoice": invoice(id, terms{sats: sats}), "network": "mainnet",
			"paymentHash": hex.EncodeToString(bytesOf(hash(id)))}}
}

func session(id string) object {
	return object{"amount": "2", "currency": "sat", "depositAmount": "20", "depositInvoice": invoice(id, terms{sats: 20}),
		"idleTimeout": "300", "paymentHash": hex.EncodeToString(bytesOf(hash(id))), "unitType": "request"}
}

func bytesOf(h [32]byte) []byte { return h[:] }

const (
	payTo       = "0x00000000000000000000000000000000000402aa"
	usdcSepolia = "0x036CbD53842c5426634e7929541eC2318f3dCF7e"
	resource    = "https://shop.example/article"
)

var (
	tempo = object{"amount": "10000", "currency": "0x20c0000000000000000000000000000000000000", "recipient": payTo,
		"methodDetails": object{"chainId": 42431, "feePayer": true}}
	stripe = object{"amount": "100", "currency": "usd",
		"methodDetails": object{"networkId": "internal", "paymentMethodTypes": []string{"card"}}}
	sepolia1 = object{"scheme": "exact", "network": "base-sepolia", "maxAmountRequired": "10000", "resource": resource,
		"description": "an article", "mimeType": "application/json", "payTo": payTo, "maxTimeoutSeconds": 600,
		"asset": usdcSepolia, "extra": object{"name": "USDC", "version": "2"}}
	sepolia2 = object{"scheme": "exact", "network": "eip155:84532", "amount": "10000", "asset": usdcSepolia,
		"payTo": payTo, "maxTimeoutSeconds": 600, "extra": object{"name": "USDC", "version": "2"}}
	base2 = object{"scheme": "exact", "network": "eip155:8453", "amount": "10000", "asset": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
		"payTo": payTo, "maxTimeoutSeconds": 600, "extra": object{"name": "USD Coin", "version": "2"}}
	base1 = object{"scheme": "exact", "network": "base", "maxAmountRequired": "10000", "resource": resource,
		"description": "an article", "mimeType": "application/json", "payTo": payTo, "maxTimeoutSeconds": 600,
		"asset": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "extra": object{"name": "USD Coin", "version": "2"}}
	polygon2 = object{"scheme": "exact", "network": "eip155:137", "amount": "10000", "asset": "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359",
		"payTo": payTo, "maxTimeoutSeconds": 600, "extra": object{"name": "USD Coin", "version": "2"}}
	arbitrum2 = object{"scheme": "exact", "network": "eip155:42161", "amount": "10000", "asset": "0xaf88d065e77c8cC2239327C5EDb3A432268e5831",
		"payTo": payTo, "maxTimeoutSeconds": 600, "extra": object{"name": "USD Coin", "version": "2"}}
	dear2 = object{"scheme": "exact", "network": "eip155:84532", "amount": "1000000", "asset": usdcSepolia,
		"payTo": payTo, "maxTimeoutSeconds": 600, "extra": object{"name": "USDC", "version": "2"}}
	mainnet2 = object{"scheme": "exact", "network": "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp", "amount": "10000",
		"asset": "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", "payTo": "2wKupLR9q6wXYppw8Gr2NvWxKBUqm4PPJKkQfoxHDBg4",
		"maxTimeoutSeconds": 600, "extra": object{"feePayer": "EwWqGE4ZFKLofuestmU4LDdK7XM1N4ALgdZccwYugwGd"}}
	solana1 = object{"scheme": "exact", "network": "solana-devnet", "maxAmountRequired": "10000", "resource": resource,
		"description": "an article", "mimeType": "application/json", "payTo": "2wKupLR9q6wXYppw8Gr2NvWxKBUqm4PPJKkQfoxHDBg4",
		"maxTimeoutSeconds": 600, "asset": "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU",
		"extra": object{"feePayer": "EwWqGE4ZFKLofuestmU4LDdK7XM1N4ALgdZccwYugwGd"}}
	solana2 = object{"scheme": "exact", "network": "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1", "amount": "10000",
		"asset": "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU", "payTo": "2wKupLR9q6wXYppw8Gr2NvWxKBUqm4PPJKkQfoxHDBg4",
		"maxTimeoutSeconds": 600, "extra": object{"feePayer": "EwWqGE4ZFKLofuestmU4LDdK7XM1N4ALgdZccwYugwGd"}}
	upto2 = object{"scheme": "upto", "network": "eip155:84532", "amount": "10000", "asset": usdcSepolia,
		"payTo": payTo, "maxTimeoutSeconds": 600, "extra": object{"name": "USDC", "version": "2"}}
)

func required1(accepts ...object) object {
	return object{"x402Version": 1, "error": "X-PAYMENT header is required", "accepts": accepts}
}

func required2(accepts ...object) object {
	return object{"x402Version": 2, "error": "Payment required", "accepts": accepts,
		"resource": object{"url": resource, "description": "an article", "mimeType": "application/json"}}
}

// lightning2 is the dialect of x402 that Alby's clients pay.
func lightning2(id string) object {
	return object{"scheme": "exact", "network": "bip122:000000000019d6689c085ae165831e93", "amount": "100000",
		"asset": "BTC", "payTo": "anonymous", "maxTimeoutSeconds": 600,
		"extra": object{"paymentMethod": "lightning", "invoice": invoice(id, terms{sats: 100})}}
}

// lnbtc2 is the dialect of x402 with a preimage as its proof, which is proposed.
func lnbtc2(id string) object {
	binding := object{"domain": "x402:exact:lnbtc:bolt11:http:1", "method": "GET", "url": resource,
		"bodyHash": hex.EncodeToString(bytesOf(sha256.Sum256(nil))), "headers": []string{}}
	digest := sha256.Sum256(compact(binding))
	return object{"scheme": "exact", "network": "lnbtc:000000000019d6689c085ae165831e93", "amount": "100000",
		"asset": "BTC", "payTo": hex.EncodeToString(secret.PubKey().SerializeCompressed()), "maxTimeoutSeconds": 315360000,
		"extra": object{"assetTransferMethod": "bolt11", "paymentFlow": "upfront", "requestBindingProfile": "http:1",
			"requestBindingParams": object{"headers": []string{}}, "requestHash": hex.EncodeToString(digest[:]),
			"invoice": invoice(id, terms{sats: 100, digest: &digest})}}
}

func header2(accepts ...object) [2]string {
	return [2]string{"PAYMENT-REQUIRED", std(compact(required2(accepts...)))}
}

// cashu is a NUT-18 request in CBOR: a map of amount, unit and mints.
func cashu() [2]string {
	b := []byte{0xa3, 0x61, 'a', 10, 0x61, 'u', 0x63, 's', 'a', 't', 0x61, 'm', 0x81, 0x74}
	b = append(b, "https://mint.example"...)
	return [2]string{"X-Cashu", "creqA" + base64.URLEncoding.EncodeToString(b)}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: make FOLDER")
	}
	for _, f := range shapes() {
		path := filepath.Join(os.Args[1], f.ID+".json")
		var old file
		if b, err := os.ReadFile(path); err == nil {
			check(json.Unmarshal(b, &old))
		}
		f.Reading, f.HeldOut = old.Reading, old.HeldOut
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		check(e.Encode(f))
		check(os.WriteFile(path, b.Bytes(), 0o644))
	}
}
