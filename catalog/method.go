package catalog

import (
	"fmt"
	"slices"
	"strings"
)

// The networks on which the issuer's own USDC can be sent, with its contracts as listed at usdcContractsSource.
var usdcNetworks = []struct {
	name     string
	chainID  int
	contract string
}{
	{"Base", 8453, "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"},
	{"Ethereum", 1, "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"},
	{"Arbitrum One", 42161, "0xaf88d065e77c8cC2239327C5EDb3A432268e5831"},
}

const (
	usdcContractsSource = "https://developers.circle.com/stablecoins/usdc-contract-addresses"
	usdcSolanaMint      = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v" // from the same list
)

// USDCNetworks returns the names of the networks of a method of type evm-stablecoin.
func USDCNetworks() []string {
	names := make([]string, len(usdcNetworks))
	for i, n := range usdcNetworks {
		names[i] = n.name
	}
	return names
}

// Method returns the method as it is published on a site, or nil when its type or network is unknown.
func (r MethodRecord) Method(s Site) SupportMethod {
	switch r.Type {
	case TypeBitcoin:
		return r.bitcoin(s)
	case TypeBOLT12:
		return r.bolt12(s)
	case TypeEVM:
		return r.evm(s)
	case TypeSolana:
		return r.solana(s)
	}
	return nil
}

func (r MethodRecord) bitcoin(s Site) SupportMethod {
	uri := "bitcoin:" + r.Address
	return &BitcoinOnchain{Type: r.Type, Address: r.Address, AddressType: "p2wpkh", Format: "native segwit", Network: "mainnet",
		BIP21URI: uri, QR: newQR(s, r.Type, "Bitcoin, on chain", uri)}
}

func (r MethodRecord) bolt12(s Site) SupportMethod {
	// BIP 321 carries an offer as the parameter lno, with or without an address.
	uri := "bitcoin:?lno=" + r.Offer
	return &LightningBolt12{Type: r.Type, Offer: r.Offer, URI: "lightning:" + r.Offer,
		BIP21URI: uri, QR: newQR(s, r.Type, "Lightning, BOLT 12 offer", uri)}
}

func (r MethodRecord) evm(s Site) SupportMethod {
	i := slices.Index(USDCNetworks(), r.Network)
	if i < 0 {
		return nil
	}
	n := usdcNetworks[i]
	uri := fmt.Sprintf("ethereum:%s@%d/transfer?address=%s", n.contract, n.chainID, r.Address)
	name := "usdc-" + strings.ReplaceAll(strings.ToLower(n.name), " ", "-")
	return &EVMStablecoin{Type: r.Type, Asset: "USDC", Network: n.name, ChainID: n.chainID, Address: r.Address,
		TokenContract: n.contract, Primary: r.Primary, EIP681URI: uri, QR: newQR(s, name, "USDC on "+n.name, uri)}
}

func (r MethodRecord) solana(s Site) SupportMethod {
	uri := "solana:" + r.Address + "?spl-token=" + usdcSolanaMint
	return &SolanaStablecoin{Type: r.Type, Asset: "USDC", Network: "Solana", Address: r.Address, Mint: usdcSolanaMint,
		URI: uri, QR: newQR(s, "usdc-solana", "USDC on Solana", uri)}
}

// qrCorrection is the level of error correction of the QR codes: M survives 15 % of damage and keeps a BOLT 12 offer
// readable on a phone.
const qrCorrection = "M"

func newQR(s Site, name, label, text string) QR {
	return QR{QRSVG: s.URL(QRPath(name)), QRText: text, QRErrorCorrection: qrCorrection, name: name, label: label}
}
