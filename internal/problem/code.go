package problem

import (
	"net/http"
	"slices"
	"time"
)

// A Code names one way in which a request can fail. Codes are stable: programs compare them.
type Code string

// The codes of the paid interface. Those of status 402 come with a challenge.
const (
	PaymentRequired     Code = "payment_required"
	CredentialMalformed Code = "credential_malformed"
	CredentialInvalid   Code = "credential_invalid"
	PaymentUnproven     Code = "payment_unproven"
	CredentialExpired   Code = "credential_expired"
	CredentialRevoked   Code = "credential_revoked"
	CreditsExhausted    Code = "credits_exhausted"
	BudgetExhausted     Code = "budget_exhausted"
	BudgetInvalid       Code = "budget_invalid"
	AmbiguousCredential Code = "ambiguous_credential"
	PaymentsOff         Code = "payments_off"
	NodeUnavailable     Code = "node_unavailable"
	LedgerUnavailable   Code = "ledger_unavailable"
)

// The codes of the demo wallet, which pays invoices where no real node does.
const (
	BadPayRequest  Code = "bad_pay_request"
	InvoiceForeign Code = "invoice_foreign"
	InvoiceExpired Code = "invoice_expired"
)

// The codes of the search.
const (
	QueryMissing     Code = "query_missing"
	QueryInvalid     Code = "query_invalid"
	ParameterInvalid Code = "parameter_invalid"
	CursorInvalid    Code = "cursor_invalid"
	Timeout          Code = "timeout"
)

// The codes that any interface may answer with.
const (
	NotFound             Code = "not_found"
	Withdrawn            Code = "withdrawn"
	MethodNotAllowed     Code = "method_not_allowed"
	NotAcceptable        Code = "not_acceptable"
	PreconditionFailed   Code = "precondition_failed"
	RangeNotSatisfiable  Code = "range_not_satisfiable"
	BodyTooLarge         Code = "body_too_large"
	UnsupportedMediaType Code = "unsupported_media_type"
	OriginForbidden      Code = "origin_forbidden"
	HostUnknown          Code = "host_unknown"
	RateLimited          Code = "rate_limited"
	Overloaded           Code = "overloaded"
	Internal             Code = "internal"
)

// A Definition is the row of a code in the table.
type Definition struct {
	Code   Code   `json:"code"`
	Status int    `json:"status"` // of HTTP
	Title  string `json:"title"`
	Remedy string `json:"remedy"` // for the caller
	URL    string `json:"url"`    // of the code's section in the trust checklist; set by Table

	RetryAfter time.Duration `json:"-"` // when to try again, unless the problem knows better; 0: not said
	// PaymentType is the type that clients of the HTTP authentication scheme Payment know, after PaymentBase; "" if
	// they know none (draft-httpauth-payment, draft-lightning-charge).
	PaymentType string `json:"-"`
	// Correctable tells that this refuses a credential that was paid for but is not sent as it should be.
	Correctable bool `json:"-"`
}

// PaymentBase precedes the types of problems that the scheme Payment defines.
const PaymentBase = "https://paymentauth.org/problems/"

// definitions is the table, in the order in which the trust checklist publishes it. To add a code, add its constant
// above and its row here; every writer of this package and the published checklist follow.
var definitions = []Definition{
	{Code: PaymentRequired, Status: http.StatusPaymentRequired, Title: "Payment required", PaymentType: "payment-required",
		Remedy: "Pay the Lightning invoice of the challenge, then repeat the request with Authorization: L402 <macaroon>:<preimage>."},
	{Code: CredentialMalformed, Status: http.StatusPaymentRequired, Title: "Credential malformed",
		PaymentType: "lightning/malformed-credential", Correctable: true,
		Remedy: "Send Authorization: L402 <macaroon>:<preimage>, the macaroon in base64 as it was issued and the preimage as 64 hexadecimal digits; separate several macaroons with commas."},
	{Code: CredentialInvalid, Status: http.StatusPaymentRequired, Title: "Credential invalid",
		PaymentType: "lightning/unknown-challenge", Correctable: true,
		Remedy: "This service did not issue the macaroon, its key is no longer in use, or it was altered or asks for more than was bought. Send the macaroon as it was issued, or pay the new invoice."},
	{Code: PaymentUnproven, Status: http.StatusPaymentRequired, Title: "Payment unproven",
		PaymentType: "lightning/invalid-preimage", Correctable: true,
		Remedy: "The preimage does not belong to the macaroon. Send the preimage that paying the macaroon's own invoice revealed."},
	{Code: CredentialExpired, Status: http.StatusPaymentRequired, Title: "Credential expired",
		PaymentType: "payment-expired", Remedy: "The time that this payment bought is over. Pay the new invoice."},
	{Code: CredentialRevoked, Status: http.StatusPaymentRequired, Title: "Credential revoked",
		PaymentType: "verification-failed", Remedy: "The operator revoked this credential. Pay the new invoice."},
	{Code: CreditsExhausted, Status: http.StatusPaymentRequired, Title: "Credits used up",
		PaymentType: "lightning/unknown-challenge",
		Remedy:      "All requests of this payment are used. Pay the new invoice."},
	{Code: BudgetExhausted, Status: http.StatusPaymentRequired, Title: "Budget used up",
		PaymentType: "lightning/unknown-challenge",
		Remedy:      "The budget that this credential was given is used up; the payment may have credits left. Ask its giver for a larger budget, or pay the new invoice."},
	{Code: BudgetInvalid, Status: http.StatusPaymentRequired, Title: "Budget invalid", PaymentType: "verification-failed",
		Correctable: true, Remedy: "A budget caveat of the credential cannot be used, as the detail says. Use the credential as it was before the caveat was added, or pay the new invoice."},
	{Code: AmbiguousCredential, Status: http.StatusPaymentRequired, Title: "Ambiguous credential",
		PaymentType: "bad-request", Correctable: true,
		Remedy: "Two different credentials were sent, and only one can be charged. Send one."},
	{Code: QueryMissing, Status: http.StatusBadRequest, Title: "Query missing",
		Remedy: "Say in q what to look for, such as /v1/search?q=licence."},
	{Code: QueryInvalid, Status: http.StatusBadRequest, Title: "Query invalid",
		Remedy: "Send valid UTF-8 in q, as the detail says. Of a long text the first 256 characters are searched for."},
	{Code: ParameterInvalid, Status: http.StatusBadRequest, Title: "Parameter invalid",
		Remedy: "Correct the parameter that the detail names; it says what is allowed."},
	{Code: CursorInvalid, Status: http.StatusBadRequest, Title: "Cursor invalid",
		Remedy: "The cursor belongs to another query or to older data. Ask again without a cursor."},
	{Code: NotFound, Status: http.StatusNotFound, Title: "Not found",
		Remedy: "Nothing is published at this address. /manifest.json lists every file."},
	{Code: Withdrawn, Status: http.StatusGone, Title: "Withdrawn",
		Remedy: "The record is no longer published. The detail has the reason, and the record that replaces it."},
	{Code: MethodNotAllowed, Status: http.StatusMethodNotAllowed, Title: "Method not allowed",
		Remedy: "Use one of the methods that the Allow header names."},
	{Code: NotAcceptable, Status: http.StatusNotAcceptable, Title: "Not acceptable",
		Remedy: "Ask for application/json."},
	{Code: PreconditionFailed, Status: http.StatusPreconditionFailed, Title: "Precondition failed",
		Remedy: "The file has changed. Ask for it without If-Match or If-Unmodified-Since."},
	{Code: RangeNotSatisfiable, Status: http.StatusRequestedRangeNotSatisfiable, Title: "Range not satisfiable",
		Remedy: "Ask for a range within the length of the file, which Content-Range states."},
	{Code: BodyTooLarge, Status: http.StatusRequestEntityTooLarge, Title: "Request too large",
		Remedy: "Send a smaller request."},
	{Code: UnsupportedMediaType, Status: http.StatusUnsupportedMediaType, Title: "Unsupported media type",
		Remedy: "Send application/json, without Content-Encoding."},
	{Code: OriginForbidden, Status: http.StatusForbidden, Title: "Origin forbidden",
		Remedy: "Only pages of the service itself may call the tool server from a browser. Call it from a program; a page of your own can call it through its own server."},
	{Code: HostUnknown, Status: http.StatusMisdirectedRequest, Title: "Unknown host",
		Remedy: "Use the public name of the service; the operator sets it with -base-url, -api-url and -mcp-url."},
	{Code: RateLimited, Status: http.StatusTooManyRequests, Title: "Too many requests",
		Remedy: "Wait as long as Retry-After says, then try again."},
	{Code: Overloaded, Status: http.StatusServiceUnavailable, Title: "Overloaded", RetryAfter: time.Second,
		Remedy: "Wait as long as Retry-After says, then try again."},
	{Code: Timeout, Status: http.StatusServiceUnavailable, Title: "Out of time", RetryAfter: time.Second,
		Remedy: "The search took too long. Ask for less, or try again."},
	{Code: PaymentsOff, Status: http.StatusNotFound, Title: "Payments are off",
		Remedy: "This installation does not sell searches. The data files and the tool server are free."},
	{Code: NodeUnavailable, Status: http.StatusServiceUnavailable, Title: "No invoice at the moment",
		RetryAfter: 10 * time.Second,
		Remedy:     "The Lightning node makes no invoice now. Credentials already bought keep working; to buy, try again after the time in Retry-After."},
	{Code: LedgerUnavailable, Status: http.StatusServiceUnavailable, Title: "Ledger unavailable",
		RetryAfter: 5 * time.Second,
		Remedy:     "The credits could not be read or written. Do not pay again: repeat the request after the time in Retry-After."},
	{Code: BadPayRequest, Status: http.StatusBadRequest, Title: "No invoice to pay",
		Remedy: "Send the demo wallet {\"invoice\": \"lnbcrt…\"} with the invoice of a challenge of this service."},
	{Code: InvoiceForeign, Status: http.StatusNotFound, Title: "Not an invoice of this demo",
		Remedy: "The demo wallet pays only invoices of its own node. Ask for a fresh challenge."},
	{Code: InvoiceExpired, Status: http.StatusGone, Title: "Invoice expired",
		Remedy: "Ask for a fresh challenge and pay its invoice."},
	{Code: Internal, Status: http.StatusInternalServerError, Title: "Internal error",
		Remedy: "The request failed on our side, which has been logged, and cost nothing. Try again later."},
}

// Lookup returns the row of a code.
func Lookup(code Code) (Definition, bool) {
	i := slices.IndexFunc(definitions, func(d Definition) bool { return d.Code == code })
	if i < 0 {
		return Definition{}, false
	}
	return definitions[i], true
}

// Table returns every row, in the published order. The URL of each is base followed by its code: base ends where the
// code begins, for example "https://almanac.example/trust/#".
func Table(base string) []Definition {
	list := slices.Clone(definitions)
	for i, d := range list {
		list[i].URL = base + string(d.Code)
	}
	return list
}
