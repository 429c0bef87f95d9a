package challenge

import (
	"cmp"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.almanac.example/http402/bolt11"
)

// A form is the request of a method and an intent, as its draft in https://github.com/tempoxyz/mpp-specs defines it.
type form struct {
	Required string            // members of the request, by their paths
	Patterns map[string]string // of members that have one
	Network  string            // the member that states it
	Implied  string            // the network when the member is absent
	Section  string            // of the draft, if it is not "Request Schema"
}

//go:embed forms.json
var formsJSON []byte

// forms has every method and intent that mpp-specs defines. Others may be registered, and are no fault.
var forms = func() (all map[string]form) {
	if err := json.Unmarshal(formsJSON, &all); err != nil {
		panic(err) // of a file that is compiled in
	}
	return all
}()

var (
	methodName = regexp.MustCompile(`^[a-z]+$`)
	intentName = regexp.MustCompile(`^[A-Za-z0-9-]+$`)
	baseUnits  = regexp.MustCompile(`^[0-9]{1,78}$`)
	positive   = regexp.MustCompile(`^[1-9][0-9]{0,77}$`)
	hash64     = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// The clauses of the scheme Payment.
const (
	clauseRequired = "draft-httpauth-payment, section 5.1.1"
	clauseOptional = "draft-httpauth-payment, section 5.1.2"
)

// readPayment reads a challenge of the scheme Payment, of any method and intent. One of a charge over Lightning can be paid
// in spite of faults that leave no doubt about it.
func readPayment(raw Raw) Offer {
	o := newOffer(OfferPayment, raw)
	seen := map[string]bool{}
	for _, p := range raw.Params {
		if seen[p.Name] {
			o.refuse(true, clauseGrammar, "Send each parameter once.", "The parameter %.40s is repeated.", p.Name)
			break
		}
		seen[p.Name] = true
	}
	for _, name := range requiredParams {
		if value, n := raw.Get(name); n == 0 || name != "realm" && value == "" {
			o.refuse(true, clauseRequired, "Add the parameter.", "The parameter %s is missing.", name)
		}
	}
	o.Method, o.Intent = raw.value("method"), raw.value("intent")
	if o.Method != "" && !methodName.MatchString(o.Method) {
		o.fault("draft-httpauth-payment, section 6.1", "Write the method in lower-case letters.",
			"The method %.40q has other characters than lower-case letters.", o.Method)
	}
	if o.Intent != "" && !intentName.MatchString(o.Intent) {
		o.fault("draft-httpauth-payment, section 7.1", "Write the intent with letters, digits and hyphens.",
			"The intent %.40q has other characters than letters, digits and hyphens.", o.Intent)
	}
	o.judgeOptional(raw)
	request := o.object("request", raw.value("request"), clauseRequired)
	if request != nil {
		o.judgeRequest(request)
	}
	switch {
	case o.Method != "lightning" || o.Intent != "charge":
		o.Err = fmt.Errorf("the Payment challenge asks for the method %.20q and the intent %.20q; only lightning and charge are known", o.Method, o.Intent)
	case o.Err == nil:
		o.Challenge, o.Err = charge(raw, request)
	}
	return o
}

// judgeOptional reads expires, opaque and header.
func (o *Offer) judgeOptional(raw Raw) {
	if text := raw.value("expires"); text != "" {
		t, err := parseTime(text)
		if err != nil {
			o.refuse(true, clauseOptional, "Write the time as 2026-12-01T12:00:00Z.",
				"The parameter expires is %.40q, not a date and time of RFC 3339.", text)
		}
		o.End = t
	}
	for _, v := range o.object("opaque", raw.value("opaque"), clauseOptional) {
		if _, ok := v.(string); !ok {
			o.fault(clauseOptional, "Write every value of opaque as a string.", "The parameter opaque has a value that is not a string.")
			break
		}
	}
	if h := raw.value("header"); h != "" && h != "Payment-Authorization" {
		o.refuse(true, "draft-httpauth-payment-01, section 5.1.2", "Leave the parameter header out.",
			"The parameter header is %.40q; only Payment-Authorization is allowed.", h)
	}
}

// object decodes a parameter that is canonical JSON in base64url. It returns nil if it is absent or not a JSON object.
func (o *Offer) object(name, text, clause string) map[string]any {
	if text == "" {
		return nil
	}
	b, err := DecodeLoose(text)
	body := string(b)
	var object map[string]any
	if err != nil || len(text) > maxRequest || json.Unmarshal(b, &object) != nil || object == nil {
		o.refuse(name == "request", clause, "Encode the JSON object with base64url, without padding.",
			"The parameter %s is not a JSON object in base64url.", name)
		return nil
	}
	if Encode(body) != text {
		o.fault(clause, "Encode it with base64url, without padding.", "The parameter %s is in base64 of another form.", name)
	}
	if CanonicalObject(object).Canonical() != body {
		o.fault(clause+"; RFC 8785", "Serialize the object with JCS: sorted members, no white space.", "The parameter %s is not canonical JSON.", name)
	}
	return object
}

// judgeRequest reads the request of a charge, a session or a subscription.
func (o *Offer) judgeRequest(request map[string]any) {
	f, known := forms[o.Method+" "+o.Intent]
	clause := "draft-" + o.Method + "-" + o.Intent + ", " + cmp.Or(f.Section, "Request Schema")
	if !known {
		clause = "draft-payment-intent-" + o.Intent + ", Request Schema"
	}
	o.Amount, o.Currency, o.Recipient = text(request["amount"]), text(request["currency"]), text(request["recipient"])
	if !known && o.Intent != "charge" && o.Intent != "subscription" {
		return // whose request another text defines
	}
	for path := range strings.FieldsSeq("amount currency " + f.Required) {
		if v := Member(request, strings.Split(path, ".")...); v == nil || v == "" {
			o.refuse(true, clause, "Add the member to the request.", "The request has no %s.", path)
		}
	}
	digits := baseUnits
	if o.Method == "lightning" || o.Intent == "subscription" {
		digits = positive
	}
	if v := request["amount"]; v != nil && v != "" && !isText(v, digits) {
		o.refuse(true, clause, "Write the amount as a string of digits, in the smallest unit.",
			"The amount %.40q is not a string of digits in the smallest unit.", text(v))
	}
	for _, name := range slices.Sorted(maps.Keys(f.Patterns)) {
		if v := request[name]; v != nil && !isText(v, regexp.MustCompile(f.Patterns[name])) {
			o.fault(clause, "Write a string as the draft does.", "The %s is %.40q, which does not match %s.", name, text(v), f.Patterns[name])
		}
	}
	for path := range strings.FieldsSeq(f.Network) {
		switch v := Member(request, strings.Split(path, ".")...).(type) {
		case float64:
			o.Network = fmt.Sprintf("eip155:%.0f", v)
		case string:
			o.Network = v
		}
	}
	o.Network = cmp.Or(o.Network, f.Implied)
	if o.Method == "lightning" && known {
		o.judgeLightning(request, clause)
	}
}

// judgeLightning compares a request with its invoice.
func (o *Offer) judgeLightning(request map[string]any, clause string) {
	if c := text(request["currency"]); c != "" && c != "sat" {
		o.refuse(!strings.EqualFold(c, "sat"), clause, `Write "sat".`, "The currency is %.20q, not sat.", c)
	}
	details, _ := request["methodDetails"].(map[string]any)
	invoice, hash, amount := details["invoice"], details["paymentHash"], request["amount"]
	if o.Intent == "session" {
		invoice, hash, amount = request["depositInvoice"], request["paymentHash"], request["depositAmount"]
	}
	if hash != nil && !isText(hash, hash64) {
		o.refuse(!hash64.MatchString(strings.ToLower(text(hash))), clause, "Write the hash as 64 lower-case hexadecimal digits.",
			"The paymentHash is not 64 lower-case hexadecimal digits.")
		hash = nil
	}
	if invoice == nil || invoice == "" {
		return // a session's bearer has none, and the absence from a charge is a fault already
	}
	inv, err := bolt11.Decode(text(invoice))
	if o.Invoice = inv; err != nil {
		o.faultInvoice(err)
		return
	}
	if hash != nil && hash != hex.EncodeToString(inv.Hash[:]) {
		o.fault(clause, "Take the hash from the invoice, or leave it out.", "The paymentHash is not that of the invoice.")
	}
	if amount != nil && isText(amount, positive) && text(amount)+"000" != fmt.Sprint(inv.MilliSats) {
		o.fault(clause, "State the amount of the invoice.", "The amount is %s sat, and the invoice has %d msat.", text(amount), inv.MilliSats)
	}
	if n := details["network"]; n != nil && n != inv.Network {
		o.fault(clause, "State the network of the invoice, or leave it out.", "The network is %.20q, and the invoice is for %s.", text(n), inv.Network)
	}
	o.Network, o.Recipient = inv.Network, inv.Payee
	if o.End.After(inv.ExpiresAt.Add(time.Second)) {
		o.fault("draft-lightning-charge, Challenge Expiry and Invoice Expiry", "End the challenge with its invoice.",
			"The challenge expires at %s, after its invoice.", o.End.UTC().Format(time.RFC3339))
	}
	if o.End.IsZero() || inv.ExpiresAt.Before(o.End) {
		o.End = inv.ExpiresAt
	}
}

// Member returns the member of nested objects, or nil.
func Member(v any, path ...string) any {
	for _, name := range path {
		object, _ := v.(map[string]any)
		v = object[name]
	}
	return v
}

// text returns a JSON string as it is, and any other value as JSON, shortened.
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	b, _ := json.Marshal(v) //nolint:errcheck // it came from JSON
	return fmt.Sprintf("%.80s", b)
}

// Plain returns a stranger's text for a terminal or a page: without control characters and marks of direction.
func Plain(s string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' || c >= 0x7f && c < 0xa0 || c >= 0x202a && c <= 0x202e || c >= 0x2066 && c <= 0x2069 {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(s, "\ufffd"))
}

func isText(v any, pattern *regexp.Regexp) bool {
	s, ok := v.(string)
	return ok && pattern.MatchString(s)
}
