package catalog

import (
	"fmt"
	"slices"
)

// A Support is the support document (SPEC.md): voluntary tips, which nothing depends on.
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

// A PaidAPI tells of the paid interface while it is live.
type PaidAPI struct {
	Paid     bool   `json:"paid"`
	Protocol string `json:"protocol"`
	Payment  string `json:"payment"`
	URL      string `json:"url"`
	Note     string `json:"note"`
}

// The fixed values of the support document (SPEC.md, "Support document").
const (
	supportWarning      = "send only USDC on the listed networks, otherwise tokens or networks may be lost"
	usdcContractsSource = "https://developers.circle.com/stablecoins/usdc-contract-addresses"
)

// A SupportMethod is one way to tip: *BitcoinOnchain, *LightningBolt12, *EVMStablecoin or
// *SolanaStablecoin. Its documents are discriminated by type.
type SupportMethod interface {
	// Name tells the method from the others of the document; it names the QR picture.
	Name() string
	// Label names the method for people.
	Label() string
	// Text is what a wallet takes: the text in the QR picture.
	Text() string
}

// BitcoinOnchain is a native segwit address.
type BitcoinOnchain struct {
	Type        string `json:"type"`
	Address     string `json:"address"`
	AddressType string `json:"address_type"`
	Format      string `json:"format"`
	Network     string `json:"network"`
	BIP21URI    string `json:"bip21_uri"`
	QR
}

// LightningBolt12 is a BOLT 12 offer.
type LightningBolt12 struct {
	Type     string `json:"type"`
	Offer    string `json:"offer"`
	URI      string `json:"uri"`
	BIP21URI string `json:"bip21_uri"`
	QR
}

// EVMStablecoin is USDC on an Ethereum-like network.
type EVMStablecoin struct {
	Type          string `json:"type"`
	Asset         string `json:"asset"`
	Network       string `json:"network"`
	ChainID       int    `json:"chain_id"`
	Address       string `json:"address"`
	TokenContract string `json:"token_contract"`
	EIP681URI     string `json:"eip681_uri"`
	Primary       bool   `json:"primary,omitempty"`
	QR
}

// SolanaStablecoin is USDC on Solana.
type SolanaStablecoin struct {
	Type    string `json:"type"`
	Asset   string `json:"asset"`
	Network string `json:"network"`
	Address string `json:"address"`
	Mint    string `json:"mint"`
	URI     string `json:"uri"`
	QR
}

// A QR is the picture of a method. QRText is what the picture holds.
type QR struct {
	QRSVG             string `json:"qr_svg"`
	QRText            string `json:"qr_text"`
	QRErrorCorrection string `json:"qr_error_correction"`
}

// Text gives what the picture holds.
func (q QR) Text() string { return q.QRText }

// qrCorrection is the level of error correction of the pictures: M survives 15 % of damage and
// keeps a BOLT 12 offer readable on a phone.
const qrCorrection = "M"

// Name of the one Bitcoin address.
func (*BitcoinOnchain) Name() string { return "bitcoin-onchain" }

// Label for people.
func (*BitcoinOnchain) Label() string { return "Bitcoin, on chain" }

// Name of the one offer.
func (*LightningBolt12) Name() string { return "lightning-bolt12" }

// Label for people.
func (*LightningBolt12) Label() string { return "Lightning, BOLT 12 offer" }

// Name tells the networks apart.
func (m *EVMStablecoin) Name() string { return "usdc-" + slug(m.Network) }

// Label for people.
func (m *EVMStablecoin) Label() string { return "USDC on " + m.Network }

// Name of the one Solana address.
func (*SolanaStablecoin) Name() string { return "usdc-solana" }

// Label for people.
func (*SolanaStablecoin) Label() string { return "USDC on Solana" }

// Support builds the support document.
func (c *Catalog) Support() *Support {
	f := c.support
	doc := &Support{
		Schema:    c.Site().URL(SchemaPath("support")),
		Voluntary: true, Purpose: f.Purpose, DataIsFree: true,
		SuggestedAmountsSats: f.SuggestedAmountsSats, SuggestedAmountsOptional: true,
		Note: f.Note, Updated: f.Updated, Warning: supportWarning, USDCContractsSource: usdcContractsSource,
	}
	for _, m := range f.Methods {
		if method, err := m.derive(c.Site()); err == nil { // Load has refused what does not derive
			doc.Methods = append(doc.Methods, method)
		}
	}
	if c.opts.Payments == PaymentsLive {
		o := c.Offer()
		doc.PaidAPI = &PaidAPI{
			Paid: true, Protocol: "L402", Payment: "Lightning", URL: c.Site().SearchURL(),
			Note: fmt.Sprintf("%d satoshis buy %d requests for %d days. All data files stay free.", o.PriceSats, o.Credits, o.ValidDays),
		}
	}
	return doc
}

// supportFile is support.json of the fixtures: what an operator decides. Everything else in the
// document is derived.
type supportFile struct {
	Purpose              string         `json:"purpose"`
	Methods              []methodSource `json:"methods"`
	SuggestedAmountsSats []int64        `json:"suggested_amounts_sats"`
	Note                 string         `json:"note"`
	Updated              Date           `json:"updated"`
}

// A methodSource is a method as the operator writes it: the kind and the place to pay to.
type methodSource struct {
	Type    string `json:"type"`
	Network string `json:"network,omitempty"` // evm-stablecoin only
	Address string `json:"address,omitempty"`
	Offer   string `json:"offer,omitempty"` // lightning-bolt12 only
	Primary bool   `json:"primary,omitempty"`
}

// derive checks the place to pay to by its own rule and makes the published method.
func (m methodSource) derive(s Site) (SupportMethod, error) {
	for _, member := range []struct {
		name          string
		given, belong bool
	}{
		{"network", m.Network != "", m.Type == "evm-stablecoin"},
		{"primary", m.Primary, m.Type == "evm-stablecoin"},
		{"offer", m.Offer != "", m.Type == "lightning-bolt12"},
		{"address", m.Address != "", m.Type != "lightning-bolt12"},
	} {
		if member.given && !member.belong {
			return nil, fmt.Errorf("%s has no place in a method of type %q; remove it", member.name, m.Type)
		}
	}
	switch m.Type {
	case "bitcoin-onchain":
		return m.bitcoin(s)
	case "lightning-bolt12":
		return m.bolt12(s)
	case "evm-stablecoin":
		return m.evm(s)
	case "solana-stablecoin":
		return m.solana(s)
	}
	return nil, fmt.Errorf("type %q is unknown; use bitcoin-onchain, lightning-bolt12, evm-stablecoin or solana-stablecoin", m.Type)
}

func (m methodSource) bitcoin(s Site) (SupportMethod, error) {
	if err := checkSegwitAddress(m.Address); err != nil {
		return nil, err
	}
	d := &BitcoinOnchain{Type: m.Type, Address: m.Address, AddressType: "p2wpkh", Format: "native segwit", Network: "mainnet",
		BIP21URI: "bitcoin:" + m.Address}
	d.QR = qrOf(s, d, d.BIP21URI)
	return d, nil
}

func (m methodSource) bolt12(s Site) (SupportMethod, error) {
	if err := checkOffer(m.Offer); err != nil {
		return nil, err
	}
	// BIP 321 carries an offer as the parameter lno, with or without an address.
	d := &LightningBolt12{Type: m.Type, Offer: m.Offer, URI: "lightning:" + m.Offer, BIP21URI: "bitcoin:?lno=" + m.Offer}
	d.QR = qrOf(s, d, d.BIP21URI)
	return d, nil
}

func (m methodSource) evm(s Site) (SupportMethod, error) {
	i := slices.IndexFunc(usdcNetworks, func(n usdcNetwork) bool { return n.name == m.Network })
	if i < 0 {
		return nil, fmt.Errorf("network %q is unknown; use Base, Ethereum or Arbitrum One", m.Network)
	}
	if err := checkEVMAddress(m.Address); err != nil {
		return nil, err
	}
	n := usdcNetworks[i]
	d := &EVMStablecoin{Type: m.Type, Asset: "USDC", Network: n.name, ChainID: n.chainID, Address: m.Address,
		TokenContract: n.contract, Primary: m.Primary,
		EIP681URI: fmt.Sprintf("ethereum:%s@%d/transfer?address=%s", n.contract, n.chainID, m.Address)}
	d.QR = qrOf(s, d, d.EIP681URI)
	return d, nil
}

func (m methodSource) solana(s Site) (SupportMethod, error) {
	if err := checkSolanaAddress(m.Address); err != nil {
		return nil, err
	}
	d := &SolanaStablecoin{Type: m.Type, Asset: "USDC", Network: "Solana", Address: m.Address, Mint: usdcSolanaMint,
		URI: "solana:" + m.Address + "?spl-token=" + usdcSolanaMint}
	d.QR = qrOf(s, d, d.URI)
	return d, nil
}

func qrOf(s Site, m SupportMethod, text string) QR {
	return QR{QRSVG: s.URL(QRPath(m.Name())), QRText: text, QRErrorCorrection: qrCorrection}
}

// usdcNetworks are the networks on which the issuer's own USDC may be sent, with its contracts
// as listed at usdcContractsSource.
var usdcNetworks = []usdcNetwork{
	{"Base", 8453, "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"},
	{"Ethereum", 1, "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"},
	{"Arbitrum One", 42161, "0xaf88d065e77c8cC2239327C5EDb3A432268e5831"},
}

type usdcNetwork struct {
	name     string
	chainID  int
	contract string
}

// usdcSolanaMint is the issuer's USDC on Solana, from the same list.
const usdcSolanaMint = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
