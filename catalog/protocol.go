package catalog

// A Fact is a statement with the address at which it was read and the day on which it was read there. A nil *Fact is
// null in JSON: the cited pages do not state it.
type Fact[T any] struct {
	Value      T      `json:"value"`
	Source     string `json:"source" form:"url"`
	VerifiedAt Date   `json:"verified_at"`
}

// A Protocol is the verified facts about the newest version of one payment protocol.
type Protocol struct {
	ID       string `json:"id" form:"slug"`
	Name     string `json:"name" form:"title"`
	Featured bool   `json:"featured"`
	FactSet
}

// A FactSet is the facts about a protocol, or about an earlier version of one.
type FactSet struct {
	SpecURL         *Fact[string]    `json:"spec_url" form:"url" label:"Specification" topic:"addresses"`
	HTTPStatusCodes *Fact[[]int]     `json:"http_status_codes" form:"status" label:"HTTP status codes" topic:"codes"`
	HTTPHeaders     *Fact[[]Header]  `json:"http_headers" label:"HTTP headers" topic:"names"`
	PaymentRail     *Fact[string]    `json:"payment_rail" form:"paragraph" label:"Payment rail" topic:"networks"`
	Networks        *Fact[[]Network] `json:"networks" label:"Networks" topic:"networks"`
	Facilitators    *Fact[[]Link]    `json:"facilitators" label:"Facilitators" topic:"implementations"`
	ClientLibraries *Fact[[]Library] `json:"client_libraries" label:"Client libraries" topic:"implementations"`
	PayFlow         *Fact[[]string]  `json:"pay_flow" form:"paragraph" label:"Pay flow" topic:"function"`
	Notes           *Fact[string]    `json:"notes" form:"paragraph" label:"Notes"`
	Example         *Fact[string]    `json:"example,omitempty" form:"lines" label:"Example" topic:"example"`
}

// A Header is an HTTP header a protocol uses.
type Header struct {
	Name      string `json:"name" form:"title"`
	Direction string `json:"direction" form:"direction"` // request, response, or both
	Role      string `json:"role" form:"paragraph"`
}

// A Network is a chain or system on which a protocol's payments settle.
type Network struct {
	Name     string  `json:"name" form:"title"`
	CAIP2    *string `json:"caip2" form:"caip2"`
	Asset    *string `json:"asset" form:"title"`
	Contract *string `json:"contract" form:"title"`
}

// A Link is a name with its address.
type Link struct {
	Name string `json:"name" form:"title"`
	URL  string `json:"url" form:"url"`
}

// A Library is a client library; its address may be unknown.
type Library struct {
	Name string  `json:"name" form:"title"`
	URL  *string `json:"url" form:"url"`
}

const protocolsDescription = "Facts about payment protocols that machines use, each read at the source it names on the day it names. " +
	"A fact that is null is not stated by the cited pages."

// A ProtocolList is the protocol facts document.
type ProtocolList struct {
	Envelope
	Description string      `json:"description"`
	MarkdownURL string      `json:"markdown_url"`
	Count       int         `json:"count"`
	Protocols   []*Protocol `json:"protocols"`
}

// Protocols returns the protocol facts document.
func (c *Catalog) Protocols() *ProtocolList {
	return &ProtocolList{
		Envelope: c.envelope(c.ProtocolsDay()), Description: protocolsDescription, MarkdownURL: c.Site().URL(ProtocolsMarkdownPath),
		Count: len(c.records.Protocols), Protocols: c.records.Protocols,
	}
}

// A ProtocolDocument is the document of one protocol. Missing parts are null: only the nine of the facts document have
// facts.
type ProtocolDocument struct {
	Head
	Protocol *Protocol `json:"protocol"`
	Profile  *Profile  `json:"profile"`
	Flow     *Flow     `json:"flow"`
	Payers   []Payer   `json:"payers"`
}

// ProtocolDocument returns the document of one protocol.
func (c *Catalog) ProtocolDocument(id string) *ProtocolDocument {
	doc := &ProtocolDocument{Head: c.head("protocol", c.ProtocolPageDay(id))}
	doc.Protocol, _ = c.Protocol(id)
	doc.Profile, _ = c.Profile(id)
	doc.Flow, _ = c.Flow(id)
	doc.Payers = append([]Payer{}, c.Payers(id)...)
	return doc
}

// An AssetRecord describes the assets of a protocol's networks for a payer, beside their names in the facts: to
// sign a transfer, a contract address is not enough.
type AssetRecord struct {
	Protocol string  `json:"protocol"`
	Assets   []Asset `json:"assets" form:"filled"`
}

// An Asset is how one asset moves on one network.
type Asset struct {
	CAIP2          string  `json:"caip2"`
	Contract       string  `json:"contract"`
	Symbol         string  `json:"symbol" form:"title"` // as wallets show it: "USDC"
	Decimals       int     `json:"decimals"`
	EIP712Name     *string `json:"eip712_name" form:"title"`    // of the domain that a payer signs, which is often not the symbol: "USD Coin"
	EIP712Version  *string `json:"eip712_version" form:"title"` // nil like the name where nothing is signed by EIP-712
	TransferMethod string  `json:"transfer_method" form:"title"`
	Testnet        bool    `json:"testnet"`
	Source         string  `json:"source" form:"url"`
	VerifiedAt     Date    `json:"verified_at"`
}

// An assetKey is where an asset is found: a network of a protocol, and a contract on it.
type assetKey struct{ protocol, caip2, contract string }

// assetsByKey indexes the assets of all protocols.
func assetsByKey(records []*AssetRecord) map[assetKey]Asset {
	assets := make(map[assetKey]Asset)
	for _, r := range records {
		for _, a := range r.Assets {
			assets[assetKey{r.Protocol, a.CAIP2, a.Contract}] = a
		}
	}
	return assets
}
