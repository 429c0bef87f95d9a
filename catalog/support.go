package catalog

import "strings"

// A SupportRecord is what an operator decides about the support document; the rest of it is derived.
type SupportRecord struct {
	Purpose              string         `json:"purpose"`
	Methods              []MethodRecord `json:"methods"`
	SuggestedAmountsSats []int64        `json:"suggested_amounts_sats"`
	Note                 string         `json:"note"`
	Updated              Date           `json:"updated"`
}

// IsSample reports whether the record says of itself that it is sample data, to which nothing must be sent.
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

// A SupportMethod is one way to tip as it is published: *BitcoinOnchain, *LightningBolt12, *EVMStablecoin or
// *SolanaStablecoin. Its type tells them apart.
type SupportMethod interface {
	// Name returns the name of the method within the document, which is also that of its QR code.
	Name() string
	// Label returns the name of the method for people.
	Label() string
	// Text returns what a wallet reads: the text in the QR code.
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

// A QR is the QR code of a method. QRText is its content.
type QR struct {
	QRSVG             string `json:"qr_svg"`
	QRText            string `json:"qr_text"`
	QRErrorCorrection string `json:"qr_error_correction"`

	name, label string // of the method
}

// Name returns the name of the method.
func (q QR) Name() string { return q.name }

// Label returns the name of the method for people.
func (q QR) Label() string { return q.label }

// Text returns the content of the QR code.
func (q QR) Text() string { return q.QRText }
