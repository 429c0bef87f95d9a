package catalog

// A Fact is a statement with the address at which it was read and the day on which it was read there. A nil *Fact is null
// in JSON: the cited pages do not state it.
type Fact[T any] struct {
	Value      T      `json:"value"`
	Source     string `json:"source"`
	VerifiedAt Date   `json:"verified_at"`
}

// A Protocol is what was verified about one payment protocol.
type Protocol struct {
	ID              string           `json:"id"`
	Name            string           `json:"name"`
	Featured        bool             `json:"featured"`
	SpecURL         *Fact[string]    `json:"spec_url"`
	HTTPStatusCodes *Fact[[]int]     `json:"http_status_codes"`
	HTTPHeaders     *Fact[[]Header]  `json:"http_headers"`
	PaymentRail     *Fact[string]    `json:"payment_rail"`
	Networks        *Fact[[]Network] `json:"networks"`
	Facilitators    *Fact[[]Link]    `json:"facilitators"`
	ClientLibraries *Fact[[]Library] `json:"client_libraries"`
	PayFlow         *Fact[[]string]  `json:"pay_flow"`
	Notes           *Fact[string]    `json:"notes"`
	Example         *Fact[string]    `json:"example,omitempty"`
}

// A Header is an HTTP header a protocol uses.
type Header struct {
	Name      string `json:"name"`
	Direction string `json:"direction"` // request, response, or both
	Role      string `json:"role"`
}

// A Network is a chain or system on which a protocol's payments settle.
type Network struct {
	Name     string  `json:"name"`
	CAIP2    *string `json:"caip2"`
	Asset    *string `json:"asset"`
	Contract *string `json:"contract"`
}

// A Link is a name with its address.
type Link struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

// A Library is a client library; its address may be unknown.
type Library struct {
	Name string  `json:"name"`
	URL  *string `json:"url"`
}

// ProtocolIDs are the protocols of the facts document in their published order.
var ProtocolIDs = []string{"l402", "bolt12", "bip21", "nwc", "x402", "mpp", "ap2", "acp", "ucp"}

// A FactField is one fact of a protocol in a form that pages, lists and checks can iterate over.
type FactField struct {
	Name       string // the JSON name
	Label      string // the name that people read
	Value      any    // nil when the fact is null
	Source     string
	VerifiedAt Date
}

// Facts returns the facts of p in their published order. Null facts are included, with a nil Value, except the example,
// which only one protocol has.
func (p *Protocol) Facts() []FactField {
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

// ReadAgain sets the days on which facts were read, by their names. It is for programs that edit a record, not for one that is published.
func (p *Protocol) ReadAgain(days map[string]Date) {
	again(p.SpecURL, days["spec_url"])
	again(p.HTTPStatusCodes, days["http_status_codes"])
	again(p.HTTPHeaders, days["http_headers"])
	again(p.PaymentRail, days["payment_rail"])
	again(p.Networks, days["networks"])
	again(p.Facilitators, days["facilitators"])
	again(p.ClientLibraries, days["client_libraries"])
	again(p.PayFlow, days["pay_flow"])
	again(p.Notes, days["notes"])
	again(p.Example, days["example"])
}

func again[T any](f *Fact[T], day Date) {
	if f != nil && day != "" {
		f.VerifiedAt = day
	}
}

// VerifiedAt returns the newest date on which a fact of p was verified.
func (p *Protocol) VerifiedAt() Date {
	var newest Date
	for _, f := range p.Facts() {
		newest = max(newest, f.VerifiedAt)
	}
	return newest
}

func field[T any](name, label string, f *Fact[T]) FactField {
	if f == nil {
		return FactField{Name: name, Label: label}
	}
	return FactField{name, label, f.Value, f.Source, f.VerifiedAt}
}
