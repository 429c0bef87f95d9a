package catalog

import (
	"slices"
	"strconv"
	"strings"
)

// A ProfileField is a reading of a profile in a form that pages, lists and checks can iterate over.
type ProfileField struct {
	FieldName
	Value   any // nil when the sources do not say
	Short   string
	Classes []string
	Evidence
}

// A FieldName is a field of a profile as programs and as people name it.
type FieldName struct {
	Name  string // the JSON name
	Label string
	Group string // the heading under which it stands
}

// The headings of the fields of a profile.
const (
	groupText   = "Specification"
	groupPrice  = "Price and payment"
	groupProof  = "Proof"
	groupFaults = "When something goes wrong"
	groupPeople = "Accounts and people"
	groupBuild  = "Implementation"
)

// ReadingClasses are the words that put the value of a field into a class, by field. Only these fields have classes.
var ReadingClasses = map[string][]string{
	"status":           {"draft", "beta", "published", "superseded", "unstated"},
	"rail":             {"lightning", "bitcoin", "token", "card", "ecash", "account", "billing", "several", "none"},
	"quote_where":      {"response", "checkout", "request", "quote", "message"},
	"credential_reuse": {"once", "many", "permission"},
	"idempotency":      {"defined", "optional", "none"},
	"refund":           {"defined", "partly", "none"},
	"account_needed":   {"no", "yes", "depends"},
	"human_in_loop":    {"none", "once", "each", "depends"},
	"transports": {"http", "grpc", "mcp", "a2a", "json-rpc", "websocket", "stdio", "ucp", "embedded", "nostr", "uri",
		"qr-code", "nfc", "lightning-onion-message", "server-sent-events"},
}

// Fields returns the readings of p in their published order. Fields of which the sources say nothing are included, with
// a nil Value.
func (p *Profile) Fields() []ProfileField {
	return []ProfileField{
		reading(groupText, "status", "Status", p.Status),
		reading(groupText, "version", "Version", p.Version),
		reading(groupText, "steward", "Steward", p.Steward),
		reading(groupText, "licence", "Licence", p.Licence),
		reading(groupPrice, "who_asks", "Asks for payment", p.WhoAsks),
		reading(groupPrice, "who_settles", "Settles", p.WhoSettles),
		reading(groupPrice, "rail", "Payment rail", p.Rail),
		reading(groupPrice, "unit_of_price", "Unit of the price", p.UnitOfPrice),
		reading(groupProof, "quote_where", "Where the price is", p.QuoteWhere),
		reading(groupProof, "proof_where", "Where the proof is", p.ProofWhere),
		reading(groupProof, "credential_reuse", "Use of one payment", p.CredentialReuse),
		reading(groupProof, "quote_expiry", "How long a quote holds", p.QuoteExpiry),
		reading(groupFaults, "idempotency", "Safe repetition", p.Idempotency),
		reading(groupFaults, "refund", "Refund", p.Refund),
		reading(groupFaults, "receipt", "Receipt", p.Receipt),
		reading(groupPrice, "minimum_amount", "Smallest amount", p.MinimumAmount),
		reading(groupPrice, "fees", "Fees", p.Fees),
		reading(groupFaults, "finality", "When it is final", p.Finality),
		reading(groupPeople, "account_needed", "Account needed", p.AccountNeeded),
		reading(groupPeople, "human_in_loop", "Person involved", p.HumanInLoop),
		reading(groupBuild, "transports", "Transports", p.Transports),
		reading(groupBuild, "discovery", "Discovery", p.Discovery),
		reading(groupBuild, "status_codes", "HTTP status codes", p.StatusCodes),
		reading(groupBuild, "test_vectors", "Test vectors", p.TestVectors),
		reading(groupBuild, "reference_implementations", "Implementations", p.ReferenceImplementations),
		reading(groupBuild, "latest_release", "Latest release", p.LatestRelease),
	}
}

func reading[T any](group, name, label string, r *Reading[T]) ProfileField {
	f := ProfileField{FieldName: FieldName{name, label, group}}
	if r != nil {
		f.Value, f.Short, f.Classes, f.Evidence = r.Value, r.Short, r.Classes, r.Evidence
	}
	return f
}

// Text returns the value as one line, or "" when the sources do not say.
func (f ProfileField) Text() string {
	switch v := f.Value.(type) {
	case string:
		return v
	case []string:
		return strings.Join(v, ", ")
	case []int:
		return strings.Join(Convert(v, strconv.Itoa), ", ")
	case []Link:
		return strings.Join(Convert(v, func(l Link) string { return l.Name + " (" + l.URL + ")" }), ", ")
	}
	return ""
}

// Field returns the reading of a field of p.
func (p *Profile) Field(name string) ProfileField {
	f, _ := find(p.Fields(), func(f ProfileField) bool { return f.Name == name })
	return f
}

// groups are the headings in the order of their sections.
var groups = []string{groupText, groupPrice, groupProof, groupFaults, groupPeople, groupBuild}

// GroupedFields returns the readings of p in the order in which people read them: by heading. The order is the same for
// every profile.
func (p *Profile) GroupedFields() []ProfileField {
	fields := p.Fields()
	slices.SortStableFunc(fields, func(a, b ProfileField) int {
		return slices.Index(groups, a.Group) - slices.Index(groups, b.Group)
	})
	return fields
}

// VerifiedAt returns the newest date on which something of the profile was verified.
func (p *Profile) VerifiedAt() Date {
	return max(newestOf(p.Fields(), func(f ProfileField) Date { return f.VerifiedAt }),
		newestOf(p.Events, func(e ProtocolEvent) Date { return e.VerifiedAt }),
		newestOf(p.Disagreements, func(d Disagreement) Date {
			return newestOf(d.Evidence, func(e Evidence) Date { return e.VerifiedAt })
		}))
}
