package tools

import (
	"cmp"
	"encoding/json"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"almanac/problem"
)

// The names that the scheme Payment has in MCP (draft-payment-transport-mcp-00, and the reference implementation for what must not be
// an error of the protocol since 2026-07-28).
const (
	CredentialMeta = "org.paymentauth/credential"       // _meta of a call
	receiptMeta    = "org.paymentauth/receipt"          // _meta of its result
	requiredMeta   = "org.paymentauth/payment-required" // _meta of a result that asks for payment
)

// The errors of that draft. Versions of the protocol from 2026-07-28 on reserve their numbers, so that a challenge is a result there.
const (
	codePaymentRequired = -32042
	codePaymentFailed   = -32043
)

// paymentCapability is the experimental capability of a server that sells by the scheme Payment.
var paymentCapability = map[string]any{
	"payment": map[string]any{"methods": map[string]any{"lightning": map[string]any{"intents": []string{"charge"}}}},
}

// A paymentRequest asks for payment in the scheme Payment.
type paymentRequest struct {
	HTTPStatus int               `json:"httpStatus"`
	Challenges []json.RawMessage `json:"challenges"`
	Problem    paymentProblem    `json:"problem"`
	Failure    *paymentFailure   `json:"failure,omitempty"`
}

// A paymentProblem is the problem document that HTTP would answer with.
type paymentProblem struct {
	Type   string       `json:"type"`
	Title  string       `json:"title"`
	Status int          `json:"status"`
	Detail string       `json:"detail"`
	Code   problem.Code `json:"code"`
}

// A paymentFailure is why a credential was refused.
type paymentFailure struct {
	Reason problem.Code `json:"reason"`
	Detail string       `json:"detail"`
}

// newPaymentRequest returns a request for the payment of a challenge. reason is why a credential was refused, nil if there was none.
func newPaymentRequest(challenge json.RawMessage, reason *problem.Problem) paymentRequest {
	p := cmp.Or(reason, problem.New(problem.PaymentRequired)).ForPayment()
	r := paymentRequest{
		HTTPStatus: http.StatusPaymentRequired, Challenges: []json.RawMessage{challenge},
		Problem: paymentProblem{Type: p.Type, Title: p.Title(), Status: p.Status(), Detail: p.Sentence(), Code: p.Code},
	}
	if reason != nil {
		r.Failure = &paymentFailure{Reason: reason.Code, Detail: reason.Sentence()}
	}
	return r
}

// challengeError returns a challenge as an error of the protocol.
func challengeError(challenge json.RawMessage, reason *problem.Problem) error {
	r := newPaymentRequest(challenge, reason)
	code := int64(codePaymentRequired)
	if reason != nil {
		code = codePaymentFailed
	}
	return &jsonrpc.Error{Code: code, Message: r.Problem.Title, Data: json.RawMessage(encode(r))}
}
