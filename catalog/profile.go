package catalog

import (
	"slices"
	"strings"
)

// A Reading is a value that was read at a source, with the words that show it. A nil *Reading is null in JSON: the
// sources do not say.
type Reading[T any] struct {
	Value   T        `json:"value"`
	Short   string   `json:"short" form:"short"`         // the value in a few words
	Classes []string `json:"classes,omitempty" form:"-"` // in the words of the field, for fields that have them
	Evidence
}

// A Profile is the information by which a protocol is chosen.
type Profile struct {
	ID                       string             `json:"id" form:"slug"`
	Name                     string             `json:"name" form:"title"`
	Summary                  string             `json:"summary" form:"summary"` // completes "the protocol is"
	Kind                     string             `json:"kind" form:"protocol"`   // one of ProfileKinds
	Status                   *Reading[string]   `json:"status" form:"summary" label:"Status" group:"Specification" topic:"status" about:"maturity of the text" classes:"draft beta published superseded unstated"`
	Version                  *Reading[string]   `json:"version" form:"summary" label:"Version" group:"Specification" topic:"version" about:"version that was read"`
	Steward                  *Reading[string]   `json:"steward" form:"summary" label:"Steward" group:"Specification" topic:"people" about:"owner of the text"`
	Licence                  *Reading[string]   `json:"licence" form:"summary" label:"Licence" group:"Specification" topic:"licence" about:"licence of the text"`
	WhoAsks                  *Reading[string]   `json:"who_asks" form:"summary" label:"Asks for payment" group:"Price and payment" topic:"settlement" about:"side that asks for payment"`
	WhoSettles               *Reading[string]   `json:"who_settles" form:"summary" label:"Settles" group:"Price and payment" topic:"settlement" about:"side that settles"`
	Rail                     *Reading[string]   `json:"rail" form:"summary" label:"Payment rail" group:"Price and payment" topic:"networks" about:"network of the money; several is open to registered methods" classes:"lightning bitcoin token card ecash account billing several none" fact:"payment_rail"`
	UnitOfPrice              *Reading[string]   `json:"unit_of_price" form:"summary" label:"Unit of the price" group:"Price and payment" topic:"price" about:"unit of the price"`
	QuoteWhere               *Reading[string]   `json:"quote_where" form:"summary" label:"Where the price is" group:"Proof" topic:"price" about:"place of the price: response of an HTTP request; request is a link, code or invoice; quote is asked for by itself; message is between agents" classes:"response checkout request quote message"`
	ProofWhere               *Reading[string]   `json:"proof_where" form:"summary" label:"Where the proof is" group:"Proof" topic:"receipt" about:"header or member of the proof"`
	CredentialReuse          *Reading[string]   `json:"credential_reuse" form:"summary" label:"Use of one payment" group:"Proof" topic:"reuse" about:"uses of one payment; permission is to pay again" classes:"once many permission"`
	QuoteExpiry              *Reading[string]   `json:"quote_expiry" form:"summary" label:"How long a quote holds" group:"Proof" topic:"limits" about:"lifetime of a quote"`
	Idempotency              *Reading[string]   `json:"idempotency" form:"summary" label:"Safe repetition" group:"When something goes wrong" topic:"reuse" about:"effect of a repeated request" classes:"defined optional none"`
	Refund                   *Reading[string]   `json:"refund" form:"summary" label:"Refund" group:"When something goes wrong" topic:"refund" about:"refunds" classes:"defined partly none"`
	Receipt                  *Reading[string]   `json:"receipt" form:"summary" label:"Receipt" group:"When something goes wrong" topic:"receipt" about:"receipts"`
	MinimumAmount            *Reading[string]   `json:"minimum_amount" form:"summary" label:"Smallest amount" group:"Price and payment" topic:"limits" about:"smallest amount"`
	Fees                     *Reading[string]   `json:"fees" form:"summary" label:"Fees" group:"Price and payment" topic:"price" about:"fees"`
	Finality                 *Reading[string]   `json:"finality" form:"summary" label:"When it is final" group:"When something goes wrong" topic:"settlement" about:"when a payment is final"`
	AccountNeeded            *Reading[string]   `json:"account_needed" form:"summary" label:"Account needed" group:"Accounts and people" topic:"needs" about:"whether the payer needs an account" classes:"no yes depends"`
	HumanInLoop              *Reading[string]   `json:"human_in_loop" form:"summary" label:"Person involved" group:"Accounts and people" topic:"needs" about:"whether a person takes part: once is beforehand, each is for every payment" classes:"none once each depends"`
	Transports               *Reading[[]string] `json:"transports" form:"list" label:"Transports" group:"Implementation" topic:"transports" about:"list of transports, in lower case with hyphens" classes:"http grpc mcp a2a json-rpc websocket stdio ucp embedded nostr uri qr-code nfc lightning-onion-message server-sent-events"`
	Discovery                *Reading[string]   `json:"discovery" form:"summary" label:"Discovery" group:"Implementation" topic:"discovery" about:"how a payer finds paid resources"`
	StatusCodes              *Reading[[]int]    `json:"status_codes" form:"status" label:"HTTP status codes" group:"Implementation" topic:"codes" about:"list of HTTP statuses" fact:"http_status_codes"`
	TestVectors              *Reading[string]   `json:"test_vectors" form:"summary" label:"Test vectors" group:"Implementation" topic:"tests" about:"test vectors"`
	ReferenceImplementations *Reading[[]Link]   `json:"reference_implementations" label:"Implementations" group:"Implementation" topic:"implementations" about:"list of names and addresses"`
	LatestRelease            *Reading[string]   `json:"latest_release" form:"summary" label:"Latest release" group:"Implementation" topic:"version" about:"newest release"`
	Events                   []ProtocolEvent    `json:"events"` // oldest first
	Disagreements            []Disagreement     `json:"disagreements"`
}

// A ProtocolEvent is the publication of a version of a protocol.
type ProtocolEvent struct {
	Version      string  `json:"version" form:"short"`
	Date         Date    `json:"date"`
	Text         string  `json:"text" form:"title"`
	SupersededBy *string `json:"superseded_by"` // the version of another event; null if no source says so
	Evidence
}

// A Disagreement is a statement in which sources about protocols contradict each other.
type Disagreement struct {
	Protocols []string   `json:"protocols" form:"list"`
	Text      string     `json:"text" form:"summary"`
	Evidence  []Evidence `json:"evidence"`
}

// Evidence is a quote of a source, and when it was read.
type Evidence struct {
	Source     string `json:"source" form:"url"`
	Quote      string `json:"quote" form:"quote"`
	Read       string `json:"read" form:"title"` // which copy of the source was read
	VerifiedAt Date   `json:"verified_at"`
}

// Sentence returns one sentence with the protocol's nature, status and steward.
func (p *Profile) Sentence() string {
	short := func(r *Reading[string]) string {
		if r == nil {
			return "the sources do not say"
		}
		return r.Short
	}
	return p.Name + " is " + p.Summary + " (status: " + short(p.Status) + "; steward: " + short(p.Steward) + ")."
}

// ProfileKinds are the kinds of protocols in a profile.
var ProfileKinds = []string{"http-402 scheme", "payment request format", "wallet interface", "checkout protocol",
	"authorisation framework", "transport extension"}

// Profiles returns the profiles of the protocols: those of the facts document in their order, then the others by id.
func (c *Catalog) Profiles() []*Profile { return c.records.Profiles }

// Profile returns the profile of a protocol.
func (c *Catalog) Profile(id string) (*Profile, bool) {
	return find(c.records.Profiles, func(p *Profile) bool { return p.ID == id })
}

// Flow returns the flow of a protocol.
func (c *Catalog) Flow(id string) (*Flow, bool) {
	f, ok := c.flows[id]
	return f, ok
}

// ProtocolPageIDs returns the protocols that have a page: those of the facts document, then those that only have a
// profile or a flow.
func (c *Catalog) ProtocolPageIDs() []string {
	ids := Convert(c.records.Protocols, func(p *Protocol) string { return p.ID })
	for _, p := range c.records.Profiles {
		if !slices.Contains(ids, p.ID) {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

// ProtocolName returns the name of a protocol that has a page.
func (c *Catalog) ProtocolName(id string) string {
	if p, ok := c.Protocol(id); ok {
		return p.Name
	}
	if p, ok := c.Profile(id); ok {
		return p.Name
	}
	return id
}

// Disagreements returns the contradictions between sources about a protocol.
func (c *Catalog) Disagreements(id string) []Disagreement {
	var list []Disagreement
	for _, p := range c.records.Profiles {
		for _, d := range p.Disagreements {
			if slices.Contains(d.Protocols, id) {
				list = append(list, d)
			}
		}
	}
	return list
}

const choicesDescription = "The values by which to choose a payment protocol, each with its source, a quote and the day we read it. " +
	"Null means that the sources are silent. It does not mean no."

// A ChoiceDocument is the document of all profiles.
type ChoiceDocument struct {
	Head
	Description string     `json:"description"`
	Count       int        `json:"count"`
	Protocols   []*Profile `json:"protocols"`
}

// Choices returns the document of all profiles.
func (c *Catalog) Choices() *ChoiceDocument {
	list := append([]*Profile{}, c.records.Profiles...)
	return &ChoiceDocument{c.head("protocol-choices", c.ProfilesDay()), choicesDescription, len(list), list}
}

// PairIDs returns the ids of all pairs of protocols, each as the one, -vs- and the other, in the order of the profiles.
func (c *Catalog) PairIDs() []string {
	var ids []string
	for i, a := range c.records.Profiles {
		for _, b := range c.records.Profiles[i+1:] {
			ids = append(ids, a.ID+"-vs-"+b.ID)
		}
	}
	return ids
}

// Pair returns the profiles of a pair, whose id is one of PairIDs.
func (c *Catalog) Pair(id string) (a, b *Profile) {
	first, second, _ := strings.Cut(id, "-vs-")
	a, _ = c.Profile(first)
	b, _ = c.Profile(second)
	return a, b
}

// A Flow is the messages of one payment with a protocol, in their order.
type Flow struct {
	ID    string     `json:"id" form:"slug"` // of the protocol
	Title string     `json:"title" form:"title"`
	Steps []FlowStep `json:"steps" form:"filled"`
}

// A FlowStep is a message from one actor to another, or an action of one actor alone.
type FlowStep struct {
	From  string  `json:"from" form:"actor"` // one of FlowActors
	To    string  `json:"to" form:"actor"`
	Label string  `json:"label" form:"name"` // with header and member names as they are on the wire
	Note  *string `json:"note" form:"title"`
	Evidence
}

// FlowActors are those who take part in a flow.
var FlowActors = []string{"agent", "chain", "facilitator", "merchant", "node", "payment provider", "relay", "server", "user", "wallet"}

// Actors returns the actors of the flow, each once, in the order in which they take part.
func (f *Flow) Actors() []string {
	var list []string
	for _, s := range f.Steps {
		for _, a := range []string{s.From, s.To} {
			if !slices.Contains(list, a) {
				list = append(list, a)
			}
		}
	}
	return list
}

// Parties returns the sender and the recipient of the message.
func (s FlowStep) Parties() string {
	if s.From == s.To {
		return s.From
	}
	return s.From + " to " + s.To
}

// VerifiedAt returns the newest date on which a step was verified.
func (f *Flow) VerifiedAt() Date {
	return newestOf(f.Steps, func(s FlowStep) Date { return s.VerifiedAt })
}
