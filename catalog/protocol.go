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
	SpecURL         *Fact[string]    `json:"spec_url" form:"url"`
	HTTPStatusCodes *Fact[[]int]     `json:"http_status_codes" form:"status"`
	HTTPHeaders     *Fact[[]Header]  `json:"http_headers"`
	PaymentRail     *Fact[string]    `json:"payment_rail" form:"paragraph"`
	Networks        *Fact[[]Network] `json:"networks"`
	Facilitators    *Fact[[]Link]    `json:"facilitators"`
	ClientLibraries *Fact[[]Library] `json:"client_libraries"`
	PayFlow         *Fact[[]string]  `json:"pay_flow" form:"paragraph"`
	Notes           *Fact[string]    `json:"notes" form:"paragraph"`
	Example         *Fact[string]    `json:"example,omitempty" form:"lines"`
}

// A Header is an HTTP header a protocol uses.
type Header struct {
	Name      string `json:"name" form:"title"`
	Direction string `json:"direction"` // request, response, or both
	Role      string `json:"role" form:"paragraph"`
}

// A Network is a chain or system on which a protocol's payments settle.
type Network struct {
	Name     string  `json:"name" form:"title"`
	CAIP2    *string `json:"caip2" form:"title"`
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

// A FactField is one fact of a protocol in a form that pages, lists and checks can iterate over.
type FactField struct {
	Name       string // the JSON name
	Label      string // the name that people read
	Value      any    // nil when the fact is null
	Source     string
	VerifiedAt Date
}

// Facts returns the facts in their published order. Null facts are included, with a nil Value, except the example,
// which only one protocol has.
func (p *FactSet) Facts() []FactField {
	facts := []FactField{
		field("spec_url", "Specification", p.SpecURL),
		field("http_status_codes", "HTTP status codes", p.HTTPStatusCodes),
		field("http_headers", "HTTP headers", p.HTTPHeaders),
		field("payment_rail", "Payment rail", p.PaymentRail),
		field("networks", "Networks", p.Networks),
		field("facilitators", "Facilitators", p.Facilitators),
		field("client_libraries", "Client libraries", p.ClientLibraries),
		field("pay_flow", "Pay flow", p.PayFlow),
		field("notes", "Notes", p.Notes),
	}
	if p.Example != nil {
		facts = append(facts, field("example", "Example", p.Example))
	}
	return facts
}

// VerifiedAt returns the newest date on which a fact was verified.
func (p *FactSet) VerifiedAt() Date {
	return newestOf(p.Facts(), func(f FactField) Date { return f.VerifiedAt })
}

func field[T any](name, label string, f *Fact[T]) FactField {
	if f == nil {
		return FactField{Name: name, Label: label}
	}
	return FactField{name, label, f.Value, f.Source, f.VerifiedAt}
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
