package l402

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// The codes of our refusals. The 402 ones say why the request was not paid for.
const (
	CodePaymentRequired     = "payment_required"     // 402: no credential
	CodeCredentialMalformed = "credential_malformed" // 402: not L402 <macaroon>:<preimage>
	CodeCredentialInvalid   = "credential_invalid"   // 402: forged, changed, or made elsewhere
	CodePaymentUnproven     = "payment_unproven"     // 402: the preimage is of another invoice
	CodeCredentialExpired   = "credential_expired"   // 402
	CodeCredentialRevoked   = "credential_revoked"   // 402
	CodeCreditsExhausted    = "credits_exhausted"    // 402
	CodeAmbiguousCredential = "ambiguous_credential" // 402: two different credentials

	CodeRateLimited       = "rate_limited"       // 429: too many challenges
	CodeNodeUnavailable   = "node_unavailable"   // 503: no invoice now
	CodeLedgerUnavailable = "ledger_unavailable" // 503: a credential cannot be charged now
	CodeMethodNotAllowed  = "method_not_allowed" // 405
	CodeInternal          = "internal"           // 500
)

// A Refusal is an answer other than the one asked for, and an error on the way there.
type Refusal struct {
	Code       string
	Status     int            // of HTTP
	Title      string         // the same for every refusal with the code
	Detail     string         // what to do
	Extensions map[string]any // further members of the problem document
	RetryAfter time.Duration  // 0: not said
}

func (r *Refusal) Error() string { return r.Title + ": " + r.Detail }

// Refusals are all refusals of this package, by code, without what a single request adds.
func Refusals() []Refusal {
	return []Refusal{
		{Code: CodePaymentRequired, Status: 402, Title: "Payment required",
			Detail: "Pay the invoice, then repeat the request with Authorization: L402 <macaroon>:<preimage>."},
		{Code: CodeCredentialMalformed, Status: 402, Title: "Credential not readable",
			Detail: "Send Authorization: L402 <macaroon>:<preimage>, the macaroon in base64 as it was given, the preimage in 64 hexadecimal digits."},
		{Code: CodeCredentialInvalid, Status: 402, Title: "Credential not valid",
			Detail: "The macaroon was not made by this service, was changed, or its key is no longer in use. Use the macaroon as it was given, or buy a new one."},
		{Code: CodePaymentUnproven, Status: 402, Title: "Payment not proven",
			Detail: "The preimage is not that of the macaroon's invoice. Send the preimage that paying exactly this macaroon's invoice gave."},
		{Code: CodeCredentialExpired, Status: 402, Title: "Credential expired",
			Detail: "The credential's time is over. Buy a new one."},
		{Code: CodeCredentialRevoked, Status: 402, Title: "Credential revoked",
			Detail: "The operator ended this credential. Buy a new one."},
		{Code: CodeCreditsExhausted, Status: 402, Title: "Credits used up",
			Detail: "Every request this credential allows has been made. Buy a new one."},
		{Code: CodeAmbiguousCredential, Status: 402, Title: "Two credentials",
			Detail: "Send one credential a request; only one could be charged."},
		{Code: CodeRateLimited, Status: 429, Title: "Too many challenges",
			Detail: "Pay an invoice already given, or ask for the next one after the time in Retry-After."},
		{Code: CodeNodeUnavailable, Status: 503, Title: "No invoice to be had", RetryAfter: 10 * time.Second,
			Detail: "The Lightning node does not answer. Repeat the request after the time in Retry-After; credentials already bought work."},
		{Code: CodeLedgerUnavailable, Status: 503, Title: "Credits cannot be counted", RetryAfter: 5 * time.Second,
			Detail: "Do not pay again: the credential is good. Repeat the request after the time in Retry-After."},
		{Code: CodeMethodNotAllowed, Status: 405, Title: "Method not allowed", Detail: "Use GET."},
		{Code: CodeInternal, Status: 500, Title: "Internal error",
			Detail: "The request failed here and cost nothing. Repeat it later."},
	}
}

// refuse is a fresh refusal with the code.
func refuse(code string) *Refusal {
	all := Refusals()
	i := slices.IndexFunc(all, func(r Refusal) bool { return r.Code == code })
	return &all[i]
}

// refusalFor turns what is wrong with a credential into its refusal.
func refusalFor(err error) *Refusal {
	var r *Refusal
	switch {
	case errors.As(err, &r):
		return r
	case errors.Is(err, errNoCredential):
		return refuse(CodePaymentRequired)
	case errors.Is(err, errMalformed):
		return refuse(CodeCredentialMalformed)
	case errors.Is(err, errAmbiguous):
		return refuse(CodeAmbiguousCredential)
	case errors.Is(err, errForeign), errors.Is(err, errThirdPart), errors.Is(err, errCaveat):
		return refuse(CodeCredentialInvalid)
	case errors.Is(err, errUnproven):
		return refuse(CodePaymentUnproven)
	case errors.Is(err, ErrExpired):
		return refuse(CodeCredentialExpired)
	case errors.Is(err, ErrRevoked):
		return refuse(CodeCredentialRevoked)
	case errors.Is(err, ErrExhausted):
		return refuse(CodeCreditsExhausted)
	case errors.Is(err, ErrLedgerUnavailable):
		return refuse(CodeLedgerUnavailable)
	case errors.Is(err, ErrNodeUnavailable):
		return refuse(CodeNodeUnavailable)
	default:
		return refuse(CodeInternal)
	}
}

// WriteProblem writes a refusal, or any other error as an internal one, as a problem document (RFC 9457) whose type is
// base followed by the code. It is what a paywall without Config.Refuse does.
func WriteProblem(w http.ResponseWriter, base string, err error) {
	r := refusalFor(err)
	doc := map[string]any{"title": r.Title, "status": r.Status, "detail": r.Detail, "code": r.Code, "type": base + r.Code}
	maps.Copy(doc, r.Extensions)
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(doc); err != nil { // an extension that has no JSON form
		http.Error(w, r.Title, r.Status)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/problem+json")
	h.Set("Content-Length", strconv.Itoa(body.Len()))
	w.WriteHeader(r.Status)
	w.Write(body.Bytes())
}

// retryAfterSeconds is the value of Retry-After: whole seconds, rounded up, at least 1.
func retryAfterSeconds(d time.Duration) string {
	return strconv.FormatInt(max(1, int64((d+time.Second-1)/time.Second)), 10)
}
