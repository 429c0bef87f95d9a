package catalog

// A Reading is a value that was read at a source, with the words that show it. A nil *Reading is null in JSON: the sources do
// not say.
type Reading[T any] struct {
	Value      T        `json:"value"`
	Short      string   `json:"short"`             // the value in a few words
	Classes    []string `json:"classes,omitempty"` // the value in the words of ReadingClasses, for fields that have them
	Source     string   `json:"source"`
	Quote      string   `json:"quote"`
	Read       string   `json:"read"` // which copy of the source was read
	VerifiedAt Date     `json:"verified_at"`
}

// A Profile is what one needs to know about a protocol to choose it.
type Profile struct {
	ID                       string             `json:"id"`
	Name                     string             `json:"name"`
	Summary                  string             `json:"summary"` // what it is, as it follows "is"
	Kind                     string             `json:"kind"`    // one of ProfileKinds
	Status                   *Reading[string]   `json:"status"`
	Version                  *Reading[string]   `json:"version"`
	Steward                  *Reading[string]   `json:"steward"`
	Licence                  *Reading[string]   `json:"licence"`
	WhoAsks                  *Reading[string]   `json:"who_asks"`
	WhoSettles               *Reading[string]   `json:"who_settles"`
	Rail                     *Reading[string]   `json:"rail"`
	UnitOfPrice              *Reading[string]   `json:"unit_of_price"`
	QuoteWhere               *Reading[string]   `json:"quote_where"`
	ProofWhere               *Reading[string]   `json:"proof_where"`
	CredentialReuse          *Reading[string]   `json:"credential_reuse"`
	QuoteExpiry              *Reading[string]   `json:"quote_expiry"`
	Idempotency              *Reading[string]   `json:"idempotency"`
	Refund                   *Reading[string]   `json:"refund"`
	Receipt                  *Reading[string]   `json:"receipt"`
	MinimumAmount            *Reading[string]   `json:"minimum_amount"`
	Fees                     *Reading[string]   `json:"fees"`
	Finality                 *Reading[string]   `json:"finality"`
	AccountNeeded            *Reading[string]   `json:"account_needed"`
	HumanInLoop              *Reading[string]   `json:"human_in_loop"`
	Transports               *Reading[[]string] `json:"transports"`
	Discovery                *Reading[string]   `json:"discovery"`
	StatusCodes              *Reading[[]int]    `json:"status_codes"`
	TestVectors              *Reading[string]   `json:"test_vectors"`
	ReferenceImplementations *Reading[[]Link]   `json:"reference_implementations"`
	LatestRelease            *Reading[string]   `json:"latest_release"`
	Events                   []ProtocolEvent    `json:"events"` // oldest first
	Disagreements            []Disagreement     `json:"disagreements"`
}

// A ProtocolEvent is the publication of a version of a protocol.
type ProtocolEvent struct {
	Version      string  `json:"version"`
	Date         Date    `json:"date"`
	Text         string  `json:"text"`
	SupersededBy *string `json:"superseded_by"` // the version of another event; null if no source says so
	Source       string  `json:"source"`
	Quote        string  `json:"quote"`
	Read         string  `json:"read"`
	VerifiedAt   Date    `json:"verified_at"`
}

// A Disagreement is a statement in which sources about protocols contradict each other.
type Disagreement struct {
	Protocols []string   `json:"protocols"`
	Text      string     `json:"text"`
	Evidence  []Evidence `json:"evidence"`
}

// Evidence is what a source says.
type Evidence struct {
	Source     string `json:"source"`
	Quote      string `json:"quote"`
	Read       string `json:"read"`
	VerifiedAt Date   `json:"verified_at"`
}

// Sentence returns one sentence that says what the protocol is, its status and its steward.
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
var ProfileKinds = []string{"http-402 scheme", "payment request format", "wallet interface", "checkout protocol", "authorisation framework", "transport extension"}
