package catalog

import "net/http"

// A Code is one way a request can fail, as the trust checklist lists it. DESIGN.md, section 2:
// the codes live in this one table, trust.json lists it, and a test holds them together.
type Code struct {
	Code   string `json:"code"`
	Status int    `json:"status"` // HTTP status
	Title  string `json:"title"`
	Remedy string `json:"remedy"` // what the caller can do
	URL    string `json:"url"`    // address of the code's section in the trust checklist
}

// The codes that packages above name.
const (
	CodeNotFound           = "not_found"
	CodeMethodNotAllowed   = "method_not_allowed"
	CodeQueryMissing       = "query_missing"
	CodeQueryInvalid       = "query_invalid"
	CodeParameterInvalid   = "parameter_invalid"
	CodeCursorInvalid      = "cursor_invalid"
	CodeRateLimited        = "rate_limited"
	CodeTimeout            = "timeout"
	CodeOverloaded         = "overloaded"
	CodePaymentsOff        = "payments_off"
	CodeNodeUnavailable    = "node_unavailable"
	CodeLedgerUnavailable  = "ledger_unavailable"
	CodeInternal           = "internal"
	CodePaymentRequired    = "payment_required"
	CodeBodyTooLarge       = "body_too_large"
	CodeHostUnknown        = "host_unknown"
	CodeOriginForbidden    = "origin_forbidden"
	CodeMediaType          = "unsupported_media_type"
	CodeNotAcceptable      = "not_acceptable"
	CodePreconditionFailed = "precondition_failed"
	CodeRange              = "range_not_satisfiable"
)

// codes is the table, in the order in which the checklist shows it. The codes of the paid
// interface repeat the constants of package l402, which may not be imported here; a test of
// cmd/almanac holds the two together.
var codes = []Code{
	{Code: CodePaymentRequired, Status: http.StatusPaymentRequired, Title: "Payment required",
		Remedy: "Pay the Lightning invoice of the challenge, then repeat the request with Authorization: L402 <macaroon>:<preimage>."},
	{Code: "credential_malformed", Status: http.StatusPaymentRequired, Title: "Credential malformed",
		Remedy: "Send Authorization: L402 <macaroon in base64>:<preimage as 64 hex digits>; several macaroons are separated by commas."},
	{Code: "credential_invalid", Status: http.StatusPaymentRequired, Title: "Credential invalid",
		Remedy: "The macaroon was not made by this service, was changed, or asks for more than was bought. Use the macaroon as it was issued, or buy a new one."},
	{Code: "payment_unproven", Status: http.StatusPaymentRequired, Title: "Payment unproven",
		Remedy: "The preimage does not belong to the macaroon. Send the preimage that paying the macaroon's own invoice revealed."},
	{Code: "credential_expired", Status: http.StatusPaymentRequired, Title: "Credential expired",
		Remedy: "The days this payment bought are over. Pay the new invoice."},
	{Code: "credential_revoked", Status: http.StatusPaymentRequired, Title: "Credential revoked",
		Remedy: "The operator revoked this credential. Pay the new invoice."},
	{Code: "credits_exhausted", Status: http.StatusPaymentRequired, Title: "Credits used up",
		Remedy: "All requests of this payment are used. Pay the new invoice."},
	{Code: "ambiguous_credential", Status: http.StatusPaymentRequired, Title: "Ambiguous credential",
		Remedy: "Two different credentials were sent. Send one."},
	{Code: CodeQueryMissing, Status: http.StatusBadRequest, Title: "Query missing",
		Remedy: "Say in q what to look for, for example /v1/search?q=macaroon."},
	{Code: CodeQueryInvalid, Status: http.StatusBadRequest, Title: "Query invalid",
		Remedy: "Give 1 to 256 characters of valid UTF-8 in q, as the detail says."},
	{Code: CodeParameterInvalid, Status: http.StatusBadRequest, Title: "Parameter invalid",
		Remedy: "Correct the parameter that the detail names; it says what is allowed."},
	{Code: CodeCursorInvalid, Status: http.StatusBadRequest, Title: "Cursor invalid",
		Remedy: "The cursor belongs to another query or to older data. Ask again without a cursor."},
	{Code: CodeNotFound, Status: http.StatusNotFound, Title: "Not found",
		Remedy: "Nothing is published at this address. /manifest.json lists every file."},
	{Code: CodeMethodNotAllowed, Status: http.StatusMethodNotAllowed, Title: "Method not allowed",
		Remedy: "Use one of the methods that the Allow header names."},
	{Code: CodeNotAcceptable, Status: http.StatusNotAcceptable, Title: "Not acceptable",
		Remedy: "Ask for application/json."},
	{Code: CodePreconditionFailed, Status: http.StatusPreconditionFailed, Title: "Precondition failed",
		Remedy: "The file changed. Ask for it without If-Match or If-Unmodified-Since."},
	{Code: CodeRange, Status: http.StatusRequestedRangeNotSatisfiable, Title: "Range not satisfiable",
		Remedy: "Ask for a range within the length of the file; Content-Range tells it."},
	{Code: CodeBodyTooLarge, Status: http.StatusRequestEntityTooLarge, Title: "Request too large",
		Remedy: "Send a smaller request."},
	{Code: CodeMediaType, Status: http.StatusUnsupportedMediaType, Title: "Unsupported media type",
		Remedy: "Send application/json, without Content-Encoding."},
	{Code: CodeOriginForbidden, Status: http.StatusForbidden, Title: "Origin forbidden",
		Remedy: "Pages of this origin may not call the tool server; call it from a program, or ask the operator to allow the origin."},
	{Code: CodeHostUnknown, Status: http.StatusMisdirectedRequest, Title: "Unknown host",
		Remedy: "Use the public name of the service; the operator sets it with -base-url, -api-url and -mcp-url."},
	{Code: CodeRateLimited, Status: http.StatusTooManyRequests, Title: "Too many requests",
		Remedy: "Wait as long as Retry-After says, then try again."},
	{Code: CodeOverloaded, Status: http.StatusServiceUnavailable, Title: "Overloaded",
		Remedy: "Try again shortly; Retry-After says when."},
	{Code: CodeTimeout, Status: http.StatusServiceUnavailable, Title: "Out of time",
		Remedy: "The search took too long. Ask for less, or try again."},
	{Code: CodePaymentsOff, Status: http.StatusNotFound, Title: "Payments are off",
		Remedy: "This installation does not sell searches. The data files and the tool server are free."},
	{Code: CodeNodeUnavailable, Status: http.StatusServiceUnavailable, Title: "No invoice at the moment",
		Remedy: "The Lightning node does not answer. Credentials already bought keep working; to buy, try again after Retry-After."},
	{Code: CodeLedgerUnavailable, Status: http.StatusServiceUnavailable, Title: "Ledger unavailable",
		Remedy: "The credits could not be read or written. Do not pay again; repeat the request after Retry-After."},
	{Code: "bad_pay_request", Status: http.StatusBadRequest, Title: "No invoice to pay",
		Remedy: "Send the demo wallet {\"invoice\": \"lnbcrt…\"} with the invoice of a challenge of this service."},
	{Code: "invoice_foreign", Status: http.StatusNotFound, Title: "Not an invoice of this demo",
		Remedy: "The demo wallet pays only invoices of its own node. Ask for a fresh challenge."},
	{Code: "invoice_expired", Status: http.StatusGone, Title: "Invoice expired",
		Remedy: "Ask for a fresh challenge and pay its invoice."},
	{Code: CodeInternal, Status: http.StatusInternalServerError, Title: "Internal error",
		Remedy: "The fault is ours and has been logged. Try again later."},
}

// Codes gives every error code with its address for a site.
func Codes(s Site) []Code {
	list := make([]Code, len(codes))
	for i, c := range codes {
		c.URL = s.URL(CodePath(c.Code))
		list[i] = c
	}
	return list
}

// CodeOf finds a code of the table.
func CodeOf(code string) (Code, bool) {
	for _, c := range codes {
		if c.Code == code {
			return c, true
		}
	}
	return Code{}, false
}
