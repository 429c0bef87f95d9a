package challenge

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"go.almanac.example/http402/bolt11"
)

// A Fault is a departure of an offer from a specification.
type Fault struct {
	Clause   string `json:"clause"`   // the specification and its section
	Sentence string `json:"sentence"` // the departure
	Remedy   string `json:"remedy"`   // for the server's operator
}

// The schemes of offers.
const (
	OfferL402    = "l402" // and LSAT
	OfferPayment = "payment"
	OfferX402    = "x402"
	OfferCashu   = "cashu"
	OfferCrawler = "crawler-price" // Cloudflare's Pay Per Crawl
)

// An Offer is one way to pay that a server states, in any scheme. A member that the server does not state is empty.
type Offer struct {
	Scheme    string    `json:"scheme"`
	Method    string    `json:"method,omitempty"`   // of Payment; of x402 its scheme, such as exact; lightning for L402
	Intent    string    `json:"intent,omitempty"`   // of Payment
	Amount    string    `json:"amount,omitempty"`   // in the smallest unit of the currency, as stated
	Currency  string    `json:"currency,omitempty"` // msat for L402, whose invoice states it
	Network   string    `json:"network,omitempty"`
	Recipient string    `json:"recipient,omitempty"` // the account that is paid, or the node of an invoice
	Version   int       `json:"version,omitempty"`   // of x402
	Seconds   int       `json:"seconds,omitempty"`   // within which x402 wants the payment
	Faults    []Fault   `json:"faults,omitempty"`
	Resource  string    `json:"-"` // the address that it is for, of x402
	Mints     []string  `json:"-"` // of Cashu, whose tokens are taken
	Extra     any       `json:"-"` // of x402: an object that its scheme defines; of Cashu: the request
	Reason    string    `json:"-"` // of x402: why an earlier payment was refused
	End       time.Time `json:"-"` // after which it cannot be paid
	Unpayable bool      `json:"-"` // its invoice cannot be read or paid

	Invoice bolt11.Invoice `json:"-"` // as far as it can be read

	Place string `json:"-"` // WWW-Authenticate, PAYMENT-REQUIRED, X-Cashu, crawler-price, body, error, result, _meta or metadata
	Raw   *Raw   `json:"-"` // of WWW-Authenticate

	// Challenge can be paid over Lightning and answered by this module. Err is the reason if there is none.
	Challenge *Challenge `json:"-"`
	Err       error      `json:"-"`
}

func (o *Offer) fault(clause, remedy, sentence string, args ...any) {
	o.Faults = append(o.Faults, Fault{clause, fmt.Sprintf(sentence, args...), remedy})
}

// faultInvoice adds the fault of an invoice that cannot be read or paid.
func (o *Offer) faultInvoice(err error) {
	o.Unpayable = true
	o.fault(clauseBolt11, "Send the invoice as the node returned it.", "The invoice %v.", err)
}

// refuse is fault for one that, if it is grave, keeps a challenge from being paid.
func (o *Offer) refuse(grave bool, clause, remedy, sentence string, args ...any) {
	o.fault(clause, remedy, sentence, args...)
	if grave && o.Err == nil {
		o.Err = fmt.Errorf("the %s challenge is at fault: %s", o.Raw.Scheme, o.Faults[len(o.Faults)-1].Sentence)
	}
}

func faultAll(offers []Offer, clause, remedy, sentence string) {
	for i := range offers {
		offers[i].fault(clause, remedy, "%s", sentence)
	}
}

// The clauses of faults.
const (
	clauseGrammar  = "RFC 9110, section 11.2"
	clauseL402     = "L402, protocol-specification.md, Server Flow"
	clauseMacaroon = "L402, macaroon-spec.md, Identifier Structure"
	clauseEncoding = "L402, macaroon-spec.md, HTTP Header Encoding"
	clauseBolt11   = "BOLT 11"
)

// ReadHTTP returns the offers of an HTTP response, in the order of its headers: WWW-Authenticate, PAYMENT-REQUIRED,
// X-Cashu, crawler-price, then the body. Other schemes of WWW-Authenticate are passed over. A nil header was not seen, so that nothing is
// missing from it.
func ReadHTTP(header http.Header, body []byte) (offers []Offer) {
	defer func() { offers = offers[:min(len(offers), maxOffers)] }()
	l402 := false
	for _, raw := range Split(header["Www-Authenticate"]) {
		switch raw.Known() {
		case L402, LSAT:
			offers = append(offers, readL402(raw))
			l402 = true
		case Payment:
			offers = append(offers, readPayment(raw))
		}
	}
	required := slices.Concat(header["Payment-Required"], header["X-Payment-Required"]) // the second of clients before version 2
	for _, v := range bounded(required) {
		offers = append(offers, readX402Header(v)...)
	}
	for _, v := range bounded(header["X-Cashu"]) {
		offers = append(offers, ReadCashu(v))
	}
	if stated := strings.Fields(header.Get("Crawler-Price")); len(stated) == 2 {
		offers = append(offers, Offer{Scheme: OfferCrawler, Currency: stated[0], Amount: stated[1], Place: "crawler-price"})
	}
	var doc map[string]any
	if len(body) > maxHeader || json.Unmarshal(body, &doc) != nil {
		return offers
	}
	ways, _ := doc["accepts"].([]any)
	if version := doc["x402Version"]; (version != nil || len(ways) > 0 && Member(ways[0], "payTo") != nil) && (version == 1.0 || len(required) == 0) {
		found := readX402(doc, "body")
		if version != nil && version != 1.0 && header != nil { // else its headers were not seen
			faultAll(found, "x402, transports-v2/http.md, Payment Required Signaling",
				"Send the object in the header PAYMENT-REQUIRED, in standard base64.",
				"x402 version 2 is in the body, and clients read the header PAYMENT-REQUIRED.")
		}
		offers = append(offers, found...)
	}
	if o, ok := readL402Object(doc, "body"); ok && !l402 && doc["macaroon"] != nil {
		if header != nil { // else its headers were not seen
			o.fault(clauseL402, `Send WWW-Authenticate: L402 version="0", token="…", invoice="…".`,
				"The challenge is in the body, and clients read the header WWW-Authenticate.")
		}
		offers = append(offers, o)
	}
	return offers
}

// Title returns a short name of the offer, such as "Payment tempo/session" or "x402 exact".
func (o *Offer) Title() string {
	return map[string]string{OfferL402: "L402", OfferPayment: "Payment " + o.Method + "/" + o.Intent, OfferX402: strings.TrimSpace("x402 " + o.Method),
		OfferCashu: "Cashu", OfferCrawler: "Cloudflare Pay Per Crawl"}[o.Scheme]
}

// bounded returns the first values of a header that have maxHeader bytes together.
func bounded(values []string) []string {
	size := 0
	for i, v := range values {
		if size += len(v); size > maxHeader {
			return values[:i]
		}
	}
	return values
}

// newOffer reads a challenge of WWW-Authenticate, with the faults of its grammar.
func newOffer(scheme string, raw Raw) Offer {
	o := Offer{Scheme: scheme, Place: "WWW-Authenticate", Raw: &raw}
	for _, f := range raw.Faults {
		o.fault(clauseGrammar, "Write each parameter as name=\"value\", separated by commas.", "The challenge %s.", f)
	}
	return o
}

// readL402 reads a challenge of L402 or LSAT.
func readL402(raw Raw) Offer {
	o := newOffer(OfferL402, raw)
	o.Method = "lightning"
	invoice := raw.value("invoice")
	inv, invoiceErr := bolt11.Decode(invoice)
	o.Invoice = inv
	if invoiceErr == nil || inv.MilliSats > 0 { // the readable beginning of a damaged one states it
		o.Network, o.End, o.Currency, o.Recipient = inv.Network, inv.ExpiresAt, "msat", inv.Payee
	}
	if inv.MilliSats > 0 { // else the payer chooses (BOLT 11)
		o.Amount = fmt.Sprint(inv.MilliSats)
	}
	if invoiceErr != nil && invoice != "" {
		o.faultInvoice(invoiceErr)
	}
	c, err := parseL402(raw)
	if err != nil {
		clause := clauseL402
		if errors.Is(err, errRepeated) {
			clause = clauseGrammar
		}
		o.fault(clause, "Send one token that commits to the payment hash, in base64, and its invoice.", "The challenge %v.", err)
		o.Err = fmt.Errorf("the %s challenge %w", raw.Scheme, err)
		return o
	}
	o.Challenge = &c
	token := cmp.Or(raw.value("token"), raw.value("macaroon"))
	if _, err := base64.StdEncoding.DecodeString(token); err != nil || c.Macaroon != token {
		o.fault(clauseEncoding, "Encode the token in standard base64, with padding.", "The token is not in standard base64 with padding.")
	}
	if inv.Text != "" && c.HasHash && c.Hash != inv.Hash {
		o.fault(clauseMacaroon, "Mint the token for the payment hash of the invoice beside it.",
			"The token commits to the payment hash %x, and the invoice has %x.", c.Hash, inv.Hash)
	}
	return o
}

// readL402Object reads the macaroon and the invoice of a JSON object.
func readL402Object(doc map[string]any, place string) (Offer, bool) {
	mac, _ := doc["macaroon"].(string)
	invoice, _ := doc["invoice"].(string)
	if invoice == "" {
		return Offer{}, false
	}
	o := readL402(rawL402(mac, invoice))
	o.Place, o.Raw = place, nil
	return o, true
}
