// Package explain names the thing that somebody holds from a payment: a 402, an invoice, an offer, a macaroon, a
// credential, a receipt. It fetches nothing, and its readings have no secrets: no preimage, signature or token.
package explain

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf16"

	"go.almanac.example/http402/bolt11"
	"go.almanac.example/http402/bolt12"
	"go.almanac.example/http402/challenge"
	"go.almanac.example/http402/shape"
)

// MaxInput bounds what is read, in bytes.
const MaxInput = 64 << 10

// The kinds of things.
const (
	Challenge, Invoice, Bolt12, Macaroon, Credential = "challenge", "invoice", "offer", "macaroon", "credential"
	Receipt, Login, LNURL, None                      = "receipt", "login", "lnurl", "none"
)

// A Reading is the meaning of a text. One member has it, by the kind.
type Reading struct {
	Kind   string  `json:"kind"`
	Offers []Offer `json:"offers,omitempty"`
	// HeadersNotSeen means that the offers are of a body alone. Most clients read the headers that belong to it.
	HeadersNotSeen bool `json:"headers_not_seen,omitempty"`
	// PayableBy has what measured clients did with a whole answer of this shape, all offers together.
	PayableBy  []shape.Prediction `json:"payable_by,omitempty"`
	Payers     string             `json:"payers,omitempty"` // the same in a line, of each challenge
	Invoice    *InvoiceReading    `json:"invoice,omitempty"`
	Offer      *OfferReading      `json:"offer,omitempty"`
	Macaroon   *MacaroonReading   `json:"macaroon,omitempty"`
	Credential *CredentialReading `json:"credential,omitempty"`
	Receipt    *ReceiptReading    `json:"receipt,omitempty"`
	Login      *LoginReading      `json:"login,omitempty"`
	Address    string             `json:"address,omitempty"` // in an LNURL, which a wallet asks for more
	Nearest    string             `json:"nearest,omitempty"` // of none: the likeliest kind
	Reason     string             `json:"reason,omitempty"`  // of none, and of an LNURL what it is
	what, next string             // the text is, and the step of its reader, of the same; empty is nothing known, and to give more
	costs      string             // of the same, as the reason states them; "" if they are not known
	shortened  bool               // the text has an ellipsis, as people write who leave something out
}

// An Offer is one way to pay, with words for people.
type Offer struct {
	challenge.Offer
	Price   string   `json:"price,omitempty"`   // the amount in a unit that people know, such as "0.01 USDC on Base"
	Caveats []string `json:"caveats,omitempty"` // of a macaroon, and the mints of Cashu
	Hash    string   `json:"hash,omitempty"`    // of the payment
	For     string   `json:"for,omitempty"`     // the resource, or the description of the invoice
	Send    string   `json:"send,omitempty"`    // that pays the repeated request
	Test    bool     `json:"test,omitempty"`    // the network is a test network, on which no money is real
	Expiry

	lightning bool // it can be paid over Lightning, in spite of its faults
}

// An Asset is the unit of an amount.
type Asset struct {
	Symbol   string
	Decimals int
	Network  string // as people call it; "" of money that is on none
	Name     string // that a signature over a payment has (EIP-712); "" if it is not known
}

// Assets returns the asset that an offer names by its network and currency. Without a network, it returns money that is on
// none, or else a token by its contract alone; without a currency, some asset of a network that it knows.
type Assets func(network, currency string) (Asset, bool)

// An Expiry is the end of a thing, if it has one.
type Expiry struct {
	ExpiresAt string `json:"expires_at,omitempty"`
	Expired   bool   `json:"expired,omitempty"`
}

// An InvoiceReading is the meaning of a BOLT 11 invoice.
type InvoiceReading struct {
	AmountMsat  int64  `json:"amount_msat,omitempty"`
	Network     string `json:"network"`
	Payee       string `json:"payee"`
	Description string `json:"description,omitempty"`
	Expiry
	CreatedAt string `json:"created_at"`
	Delta     uint64 `json:"min_final_cltv_expiry_delta"`
	Hash      string `json:"hash"`
	Fault     string `json:"fault,omitempty"`
}

// An OfferReading is the meaning of a BOLT 12 offer.
type OfferReading struct {
	Amount      uint64   `json:"amount,omitempty"` // in millisatoshis, or in the smallest unit of the currency
	Currency    string   `json:"currency"`
	Networks    []string `json:"networks"`
	Issuer      string   `json:"issuer,omitempty"`
	IssuerID    string   `json:"issuer_id,omitempty"`
	Description string   `json:"description,omitempty"`
	Expiry
}

// A MacaroonReading is the meaning of a macaroon.
type MacaroonReading struct {
	Location string   `json:"location,omitempty"`
	Hash     string   `json:"hash,omitempty"`
	Caveats  []string `json:"caveats,omitempty"`
}

// A CredentialReading is the meaning of a credential.
type CredentialReading struct {
	Scheme  string   `json:"scheme"` // l402, payment, x402 or cashu
	Method  string   `json:"method,omitempty"`
	Intent  string   `json:"intent,omitempty"`
	Network string   `json:"network,omitempty"`
	Parts   []string `json:"parts,omitempty"` // the names of its parts, never their values
	Hash    string   `json:"hash,omitempty"`
	Proof   string   `json:"proof,omitempty"` // whether the preimage is that of the hash: matches, differs
	Worth   string   `json:"worth,omitempty"` // of a token of Cashu: the sum of its proofs in its unit
	Proofs  int      `json:"proofs,omitempty"`
	Mints   []string `json:"mints,omitempty"`
}

// A ReceiptReading is the meaning of a receipt.
type ReceiptReading struct {
	Scheme    string `json:"scheme"` // payment or x402
	Status    string `json:"status,omitempty"`
	Reason    string `json:"reason,omitempty"` // why a payment failed
	Method    string `json:"method,omitempty"`
	Network   string `json:"network,omitempty"`
	Payer     string `json:"payer,omitempty"`
	Reference string `json:"reference,omitempty"` // of x402 the transaction
	Timestamp string `json:"timestamp,omitempty"`
}

// A LoginReading is the meaning of a demand to log in, agree or buy on a page (MCP 2025-11-25, "URL Elicitation").
type LoginReading struct {
	Host    string `json:"host"` // of the page
	Message string `json:"message,omitempty"`
}

// Read returns the meaning of a text at a time, and of a whole response what the clients of a table did with its shape.
// assets, which may be nil, knows units.
func Read(input string, now time.Time, table shape.Table, assets Assets) Reading {
	if wide, ok := strings.CutPrefix(input, "\xff\xfe"); ok { // UTF-16, as PowerShell writes a file
		units := make([]uint16, len(wide)/2)
		binary.Decode([]byte(wide), binary.LittleEndian, units) // which has bytes enough
		input = string(utf16.Decode(units))
	}
	text := strings.TrimSpace(invisible.Replace(input))
	for plain := ""; strings.HasPrefix(text, `"`) && json.Unmarshal([]byte(text), &plain) == nil; { // once, or twice
		text = strings.TrimSpace(plain)
	}
	if !json.Valid([]byte(text)) {
		text = entities.Replace(text)
	}
	if !strings.Contains(text, "{") && !quotedField.MatchString(text) { // in JSON they mean something else, and in a dictionary
		if plain, err := url.PathUnescape(text); err == nil && inPercents.MatchString(text) {
			text = plain
		}
		text = otherQuotes.ReplaceAllString(text, `="$1"`)
	}
	r := reader{now: now, table: table, assets: assets}
	if len(text) > MaxInput {
		return Reading{Kind: None, Reason: "It is longer than 64 KiB. Give one response, message or value."}
	}
	for _, text := range append([]string{text}, partsOf(text)...) {
		r.shortened = ellipsis.MatchString(text)
		for _, read := range []func(string) bool{r.object, r.message, r.value, r.lightning, r.encoded} {
			if text != "" && read(text) {
				r.addPayers()
				return r.Reading
			}
		}
	}
	r.guess(text)
	return r.Reading
}

// invisible are characters that messengers and word processors add, and entities those that HTML writes in another way.
var (
	invisible = strings.NewReplacer("\ufeff", "", "\u200b", "", "\u2060", "", "\u00a0", " ")
	entities  = strings.NewReplacer("&quot;", `"`, "&#34;", `"`, "&#39;", "'", "&#x27;", "'", "&lt;", "<", "&gt;", ">", "&amp;", "&")
)

// otherQuotes matches a value in the quotes of a shell or of a text processor.
var otherQuotes = regexp.MustCompile(`=(?:\\"|“|”|'|\\x22)([^"“”'\\\s]*)(?:\\"|“|”|'|\\x22)`)

// inPercents matches JSON, or the end of base64, in the encoding of addresses.
var inPercents = regexp.MustCompile(`(?i)%(7b|22|3d\b)`)

// ellipsis matches the end of a value that somebody shortened.
var ellipsis = regexp.MustCompile(`[0-9A-Za-z+/=](…|\.\.\.)(["',\s]|$)`)

// A reader makes a reading.
type reader struct {
	Reading
	now    time.Time
	table  shape.Table
	assets Assets
}

// offers takes the offers of a challenge, and reports whether there are any.
func (r *reader) offers(found []challenge.Offer) bool {
	for _, o := range found {
		out := Offer{Offer: o, Price: r.price(o.Amount, o.Currency, o.Network), Expiry: r.expiry(o.End), For: maskAddress(o.Resource), Send: proof(&o)}
		out.Method, out.Intent = mask(o.Method), mask(o.Intent)
		out.Amount, out.Currency = shown(o.Amount), shown(o.Currency)
		out.Network, out.Recipient = shown(o.Network), shown(o.Recipient)
		for _, mint := range o.Mints {
			out.Caveats = append(out.Caveats, "mint "+mask(mint))
		}
		if c := o.Challenge; c != nil {
			out.lightning = !o.Unpayable && (!c.HasHash || c.Hash == o.Invoice.Hash)
			out.For = cmp.Or(shown(o.Invoice.Description), out.For)
			if o.Invoice.Text != "" { // it was read, though perhaps no wallet pays it
				out.Hash = hex.EncodeToString(o.Invoice.Hash[:])
			}
			if m := macaroonOf(c.Macaroon); m != nil {
				out.Caveats = caveats(m)
			} else if c.Charge == nil {
				out.Caveats = []string{"not known: the token is no macaroon that we can read"}
			}
		}
		if o.Scheme == challenge.OfferCrawler {
			out.Price = price(out.Amount, out.Currency, "")
		}
		r.readExtra(&out)
		out.Test = testNames.MatchString(o.Network + " " + out.Price)
		if strings.Trim(out.Amount, "0123456789") != "" { // no amount
			out.Amount = mask(out.Amount)
		}
		for i, f := range out.Faults {
			out.Faults[i].Sentence = mask(f.Sentence)
		}
		out.Reason = mask(o.Reason)
		r.Offers = append(r.Offers, out)
	}
	if len(found) > 0 {
		r.Kind = Challenge
	}
	return len(found) > 0
}

// readExtra adds what the member extra of an x402 offer says of the payment (scheme_exact_evm.md, scheme_upto_evm.md,
// scheme_exact_svm.md), and its faults.
func (r *reader) readExtra(o *Offer) {
	extra, _ := o.Extra.(map[string]any)
	if payer := member(extra, "feePayer"); payer != "" {
		o.Caveats = append(o.Caveats, payer+" pays the fee of "+shown(o.Network))
	}
	switch {
	case o.Scheme == challenge.OfferCashu && extra != nil:
		id, way := cmp.Or(mask(member(extra, "i")), "not stated"), "no transport: the token goes back the way that the request came (in-band)"
		if list, _ := extra["t"].([]any); len(list) > 0 {
			way = "transport " + mask(member(child(list[0]), "t")) + " " + maskAddress(member(child(list[0]), "a"))
		}
		o.For, o.Caveats = member(extra, "d"), append(o.Caveats, "payment id "+id, way)
	case o.Method == "upto" && strings.HasPrefix(o.Network, "eip155:"), member(extra, "assetTransferMethod") == "permit2":
		o.Caveats = append(o.Caveats, "the token must be approved once, on chain, for the contract Permit2 "+
			"0x000000000022D473030F116dDEE9F6B43aC78BA3, unless an extension of the answer sponsors the gas") // the same on every chain
	case r.assets != nil && o.Scheme == challenge.OfferX402 && o.Method == "exact":
		asset, ok := r.assets(o.Network, o.Currency)
		_, named := r.assets(o.Network, "") // else it may be another name of the same network, unless it is of CAIP-2
		if other, found := r.assets("", o.Currency); !ok && (named || strings.Contains(o.Network, ":")) && found && other.Network != "" {
			o.Faults = append(o.Faults, challenge.Fault{Clause: "x402, scheme_exact_evm.md, section 1",
				Sentence: "The asset is known as " + other.Symbol + " on " + other.Network + ", and the network of the offer is another: " + shown(o.Network) + ".",
				Remedy:   "Name the asset of its network. Do not pay before you know that the contract is the same token there, as of some it is."})
		}
		if name := member(extra, "name"); asset.Name != "" && name != "" && name != asset.Name {
			o.Faults = append(o.Faults, challenge.Fault{Clause: "x402, scheme_exact_evm.md, section 1", Remedy: "Write " + asset.Name + ".",
				Sentence: "The name in extra is " + name + ", and the token's is " + asset.Name + ": the token refuses a signature over another."})
		}
	}
}

// addPayers says in a line which measured clients pay the challenge, and leaves out of the list those that were not
// measured with it.
func (r *reader) addPayers() {
	if r.Kind != Challenge || r.shortened { // which nobody would send
		return
	}
	scheme := r.Offers[0].Scheme
	others := r.table.Payers(scheme)
	unmet := slices.ContainsFunc(r.PayableBy, func(p shape.Prediction) bool {
		return p.Result == shape.NotMeasured && slices.Contains(others, p.Client+" "+p.Version)
	})
	r.PayableBy = slices.DeleteFunc(r.PayableBy, func(p shape.Prediction) bool { return p.Result == shape.NotMeasured })
	pays, wrong := shape.Clients(r.PayableBy, shape.Pays), shape.Clients(r.PayableBy, shape.PaysWrongly)
	scheme = cmp.Or(map[string]string{challenge.OfferL402: "L402", challenge.OfferPayment: "MPP"}[scheme], scheme)
	switch {
	case pays != nil:
		r.Payers = strings.Join(pays, ", ")
	case r.PayableBy == nil: // of a part of a response
		r.Payers = "not known from this alone"
	case unmet:
		r.Payers = "not measured with a response like this"
	default:
		r.Payers = "no " + scheme + " client in our tests paid a response like this" + map[bool]string{true: " on a test network: their wallets were on mainnet"}[r.Offers[0].Test]
	}
	if wrong != nil {
		r.Payers += "; wrongly " + strings.Join(wrong, ", ")
	}
	if pays == nil && others != nil {
		r.Payers += "; other " + scheme + " responses are paid by " + strings.Join(others, ", ")
	}
}

// mask shortens long words, and what quotes the text, which might be a secret.
func mask(s string) string {
	return quoted.ReplaceAllString(words.ReplaceAllString(shown(s), "$1…"), "$1…\"")
}

// maskAddress shortens the long words of an address, whose host people know.
func maskAddress(s string) string { return segments.ReplaceAllStringFunc(s, mask) }

var (
	segments = regexp.MustCompile(`[^/]*/?`)
	words    = regexp.MustCompile(`([A-Za-z0-9+/_=.-]{8})[A-Za-z0-9+/_=.-]{25,}`)
	quoted   = regexp.MustCompile(`("[^"]{8})[^"]{8,}"`)
)

func (r *reader) expiry(t time.Time) Expiry {
	if t.IsZero() {
		return Expiry{}
	}
	return Expiry{t.UTC().Format(time.RFC3339), !r.now.Before(t)}
}

// price returns an amount in a unit that people know, or "".
func (r *reader) price(amount, currency, network string) string {
	if strings.Trim(amount, "0123456789") != "" || amount == "" || len(amount) > 78 {
		return ""
	}
	if currency == "msat" || currency == "sat" {
		return price(amount, currency, "")
	}
	if r.assets == nil || currency == "" {
		return ""
	}
	asset, ok := r.assets(network, currency)
	if !ok || network == "" && asset.Network != "" {
		return ""
	}
	if missing := asset.Decimals + 1 - len(amount); missing > 0 {
		amount = strings.Repeat("0", missing) + amount
	}
	point := len(amount) - asset.Decimals
	whole := strings.TrimRight(strings.TrimRight(amount[:point]+"."+amount[point:], "0"), ".")
	return strings.TrimSuffix(whole+" "+asset.Symbol+" on "+asset.Network, " on ")
}

// lightning reads an invoice, an offer or an LNURL.
func (r *reader) lightning(text string) bool {
	text = bolt11.FromURI(strings.TrimSpace(text))
	if scheme, address, err := decodeLNURL(text); err == nil {
		g := find(readings, "lnurl "+scheme+" "+address)
		r.Kind, r.Address = LNURL, shown(onceOnly.ReplaceAllString(address, "$1…"))
		r.Reason, r.costs, r.next = g.Reason, g.Costs, g.Next
		return true
	}
	if len(text) > 4 && strings.EqualFold(text[:4], "creq") {
		return r.offers([]challenge.Offer{challenge.ReadCashu(text)})
	}
	if inv, err := bolt11.Decode(text); err == nil || errors.Is(err, bolt11.ErrUnpayable) {
		r.Kind, r.Invoice = Invoice, &InvoiceReading{AmountMsat: inv.MilliSats, Network: inv.Network, Payee: inv.Payee,
			Description: shown(inv.Description), Expiry: r.expiry(inv.ExpiresAt), CreatedAt: inv.CreatedAt.UTC().Format(time.RFC3339),
			Delta: inv.FinalDelta, Hash: hex.EncodeToString(inv.Hash[:])}
		if err != nil {
			r.Invoice.Fault = "It " + err.Error() + "."
		}
		if r.Invoice.Expired {
			r.Invoice.Fault = strings.TrimSpace(r.Invoice.Fault + " It expired at " + r.Invoice.ExpiresAt + ".")
		}
		return true
	}
	o, err := bolt12.Decode(text)
	if err != nil {
		return false
	}
	r.Kind, r.Offer = Bolt12, &OfferReading{Amount: o.Amount, Currency: cmp.Or(shown(o.Currency), "msat"),
		Networks: o.Networks, Issuer: shown(o.Issuer), IssuerID: o.IssuerID, Description: shown(o.Description),
		Expiry: r.expiry(o.ExpiresAt)}
	return true
}

// shown returns a stranger's text without control characters, and of bounded length.
func shown(s string) string { return tooLong.ReplaceAllString(challenge.Plain(s), "$1…") }

var tooLong = regexp.MustCompile(`(?s)^(.{300}).+`)
