package catalog

import (
	"cmp"
	"fmt"
	"strings"
)

// A SupportRecord is an operator's part of the support document; the rest of it is derived.
type SupportRecord struct {
	Purpose              string         `json:"purpose" form:"paragraph"`
	Methods              []MethodRecord `json:"methods"`
	SuggestedAmountsSats []int64        `json:"suggested_amounts_sats"`
	Note                 string         `json:"note" form:"paragraph"`
	Updated              Date           `json:"updated"`
}

// IsSample reports whether the record says of itself that it is sample data, to which nobody may send money.
func (r SupportRecord) IsSample() bool {
	return strings.Contains(strings.ToLower(r.Purpose+"\n"+r.Note), "sample data")
}

// A MethodRecord is a way to tip as an operator writes it: its type and where to pay to.
type MethodRecord struct {
	Type    string `json:"type"`              // one of MethodTypes
	Network string `json:"network,omitempty"` // evm-stablecoin only: one of USDCNetworks
	Address string `json:"address,omitempty"`
	Offer   string `json:"offer,omitempty"` // lightning-bolt12 only
	Primary bool   `json:"primary,omitempty"`
}

// The types of support methods.
const (
	TypeBitcoin = "bitcoin-onchain"
	TypeBOLT12  = "lightning-bolt12"
	TypeEVM     = "evm-stablecoin"
	TypeSolana  = "solana-stablecoin"
)

// MethodTypes are the types of support methods.
var MethodTypes = []string{TypeBitcoin, TypeBOLT12, TypeEVM, TypeSolana}

// A SupportMethod is one way to tip as it is published. It has the members of its type alone.
type SupportMethod struct {
	Type          string `json:"type"`
	Asset         string `json:"asset,omitempty"`
	Network       string `json:"network,omitempty"`
	ChainID       int    `json:"chain_id,omitempty"`
	Address       string `json:"address,omitempty"`
	AddressType   string `json:"address_type,omitempty"`
	Format        string `json:"format,omitempty"`
	TokenContract string `json:"token_contract,omitempty"`
	Mint          string `json:"mint,omitempty"`
	Offer         string `json:"offer,omitempty"`
	URI           string `json:"uri,omitempty"`
	BIP21URI      string `json:"bip21_uri,omitempty"`
	EIP681URI     string `json:"eip681_uri,omitempty"`
	Primary       bool   `json:"primary,omitempty"`

	QRSVG             string `json:"qr_svg"`
	QRText            string `json:"qr_text"` // the content of the QR code, which a wallet reads
	QRErrorCorrection string `json:"qr_error_correction"`

	Name  string `json:"-"` // within the document, and of its QR code
	Label string `json:"-"` // for people
}

// A Support is the support document: voluntary tips, which nothing depends on (docs/contract.md, "Support document").
type Support struct {
	Schema                     string          `json:"$schema"`
	Voluntary                  bool            `json:"voluntary"`
	Purpose                    string          `json:"purpose"`
	DataIsFree                 bool            `json:"data_is_free"`
	AccessConditionalOnPayment bool            `json:"access_conditional_on_payment"`
	Methods                    []SupportMethod `json:"methods"`
	SuggestedAmountsSats       []int64         `json:"suggested_amounts_sats"`
	SuggestedAmountsOptional   bool            `json:"suggested_amounts_optional"`
	Note                       string          `json:"note"`
	Updated                    Date            `json:"updated"`
	Warning                    string          `json:"warning"`
	USDCContractsSource        string          `json:"usdc_contracts_source"`
	PaidAPI                    *PaidAPI        `json:"paid_api,omitempty"` // only while the paid interface is live
}

// A PaidAPI describes the paid interface while it is live.
type PaidAPI struct {
	Paid     bool   `json:"paid"`
	Protocol string `json:"protocol"`
	Payment  string `json:"payment"`
	URL      string `json:"url"`
	Note     string `json:"note"`
}

const supportWarning = "send only USDC on the listed networks, otherwise tokens or networks may be lost"

// SupportIsSample reports whether the support document is sample data. It is published as any other; but pages make
// nothing of it that a person could pay to.
func (c *Catalog) SupportIsSample() bool { return c.records.Support.IsSample() }

// TakesTips reports whether there is a support document: the data name a way to tip.
func (c *Catalog) TakesTips() bool { return len(c.records.Support.Methods) > 0 }

// Support returns the support document.
func (c *Catalog) Support() *Support {
	r := c.records.Support
	doc := &Support{
		Schema:    c.Site().URL(SchemaPath("support")),
		Voluntary: true, Purpose: r.Purpose, DataIsFree: true,
		SuggestedAmountsSats: r.SuggestedAmountsSats, SuggestedAmountsOptional: true,
		Note: r.Note, Updated: r.Updated, Warning: supportWarning, USDCContractsSource: usdcContractsSource,
		Methods: Convert(r.Methods, func(m MethodRecord) SupportMethod { return m.Method(c.Site()) }),
	}
	if c.Payments() == PaymentsLive {
		t := c.Terms()
		doc.PaidAPI = &PaidAPI{
			Paid: true, Protocol: "L402", Payment: "Lightning", URL: c.Site().SearchURL(),
			Note: fmt.Sprintf("%d satoshis buy %d requests for %d days. All data files stay free.",
				t.PriceSats, t.Credits, t.ValidDays) + t.DemoNote(),
		}
	}
	return doc
}

type usdcNetwork struct {
	name     string
	chainID  int
	contract string
}

// The networks on which the issuer's own USDC can be sent, with its contracts as listed at usdcContractsSource.
var usdcNetworks = []usdcNetwork{
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
	return Convert(usdcNetworks, func(n usdcNetwork) string { return n.name })
}

// Method returns the method as it is published on a site.
func (r MethodRecord) Method(s Site) SupportMethod {
	m := SupportMethod{Type: r.Type, Address: r.Address, Offer: r.Offer, Primary: r.Primary, QRErrorCorrection: qrCorrection, Name: r.Type}
	switch r.Type {
	case TypeBitcoin:
		m.Label, m.BIP21URI = "Bitcoin, on chain", "bitcoin:"+r.Address
		m.Network, m.AddressType, m.Format = "mainnet", "p2wpkh", "native segwit"
	case TypeBOLT12:
		m.Label, m.URI = "Lightning, BOLT 12 offer", "lightning:"+r.Offer
		m.BIP21URI = "bitcoin:?lno=" + r.Offer // BIP 321 carries an offer as a parameter, with or without an address
	case TypeEVM:
		n, _ := find(usdcNetworks, func(n usdcNetwork) bool { return n.name == r.Network })
		m.Name, m.Label = "usdc-"+strings.ReplaceAll(strings.ToLower(n.name), " ", "-"), "USDC on "+n.name
		m.Asset, m.Network, m.ChainID, m.TokenContract = "USDC", n.name, n.chainID, n.contract
		m.EIP681URI = fmt.Sprintf("ethereum:%s@%d/transfer?address=%s", n.contract, n.chainID, r.Address)
	case TypeSolana:
		m.Name, m.Label = "usdc-solana", "USDC on Solana"
		m.Asset, m.Network, m.Mint = "USDC", "Solana", usdcSolanaMint
		m.URI = "solana:" + r.Address + "?spl-token=" + usdcSolanaMint
	}
	m.QRSVG, m.QRText = s.URL(QRPath(m.Name)), cmp.Or(m.EIP681URI, m.BIP21URI, m.URI)
	return m
}

// qrCorrection is the level of error correction of the QR codes: M survives 15 % of damage and keeps a BOLT 12 offer
// readable on a phone.
const qrCorrection = "M"
