package tools

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/catalog"
	"go.almanac.example/index"
	"go.almanac.example/internal/problem"
	"go.almanac.example/l402"
)

// Paid is the paywall as the tools need it.
type Paid struct {
	Terms catalog.Terms
	// Payment reports whether challenges come in the scheme Payment (MPP) too.
	Payment bool
	// Spend takes one credit for a search. A credential that cannot be used is a *problem.Problem.
	Spend func(context.Context, l402.Request) (Charge, error)
	// Balance returns the balance of a credential, free of charge. Its errors are those of Spend.
	Balance func(ctx context.Context, credential string) (l402.Balance, error)
	// Challenge creates an invoice for a client at an address. reason is the error of Spend, nil when
	// there was no credential. Without an invoice its error is a *problem.Problem.
	Challenge func(ctx context.Context, source netip.Addr, reason error) (*l402.Challenge, error)
	// Handles are short names of credentials, which outlive the tools; nil: there are none.
	Handles *Handles
}

// Handles are short names of credentials that were used: a model copies 18 characters rightly, and may not copy 300.
// They last as long as the program, which remembers the last ones used.
type Handles struct{ names *lru.Cache[string, string] }

const (
	maxHandles   = 10_000
	handlePrefix = "cr_"
)

// NewHandles returns no handles yet.
func NewHandles() *Handles {
	names, _ := lru.New[string, string](maxHandles) // a size that exists
	return &Handles{names}
}

// handle returns the handle of a credential that was accepted, which nobody can guess who does not have it.
func (h *Handles) handle(credential string) string {
	if h == nil || credential == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(credential))
	name := handlePrefix + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:])[:26])
	h.names.Add(name, credential)
	return name
}

// credential returns the credential of a handle that is known, and a text that is no handle as it is.
func (h *Handles) credential(text string) (string, error) {
	if h == nil || !strings.HasPrefix(text, handlePrefix) {
		return text, nil
	}
	if known, ok := h.names.Get(text); ok {
		return known, nil
	}
	return "", inputError("This handle is not known here any more. Send the whole credential once more as l402, " +
		"<macaroon>:<preimage hex>: it is paid for, do not pay again. No credit was taken.")
}

// A Charge is one credit taken for one search, as [l402.Charge] is.
type Charge interface {
	Balance() l402.Balance
	PaymentReceipt() []byte
	Waive(context.Context)
}

// An account is the balance of a credential.
type account struct {
	l402.Balance
	proof  json.RawMessage // the receipt of the scheme Payment, or nil
	handle string          // of the credential; "" for none
}

func accountOf(c Charge) account { return account{Balance: c.Balance(), proof: c.PaymentReceipt()} }

func (a account) String() string {
	if branch := a.Branch(); branch != "" {
		return fmt.Sprintf("%d credits are left of the budget of %s, and %d of the account, valid until %s.",
			a.Remaining, branch, a.Account, timestamp(a.ValidUntil))
	}
	return fmt.Sprintf("%d credits are left, valid until %s.", a.Remaining, timestamp(a.ValidUntil))
}

// credits is the account as a structured answer has it.
type credits struct {
	Left        int    `json:"left"`
	ValidUntil  string `json:"valid_until"`
	Branch      string `json:"branch,omitempty"`
	AccountLeft *int   `json:"account_left,omitempty"` // with a branch
	Handle      string `json:"handle,omitempty"`       // send it as l402 from now on
}

func (a account) credits() credits {
	out := credits{Left: a.Remaining, ValidUntil: timestamp(a.ValidUntil), Branch: a.Branch(), Handle: a.handle}
	if out.Branch != "" {
		out.AccountLeft = &a.Account
	}
	return out
}

// receipt returns the account as members of _meta.
func (a account) receipt() mcp.Meta {
	m := mcp.Meta{Prefix + "l402-receipt": map[string]any{"credits_left": a.Remaining,
		"valid_until": timestamp(a.ValidUntil)}}
	if a.proof != nil {
		m[receiptMeta] = a.proof
	}
	return m
}

func timestamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// challenge asks for payment. It is an answer on which a model can act, since it never sees HTTP's 402. reason is the
// fault of the credential, if there was one.
func (p *Paid) challenge(ctx context.Context, site catalog.Site, query string, from Caller, reason *problem.Problem) (*mcp.CallToolResult, error) {
	var refused error // a nil *problem.Problem would not be a nil error
	if reason != nil {
		refused = reason
	}
	ch, err := p.Challenge(ctx, from.Source, refused)
	if err != nil {
		return nil, problemSentence(err, noCredit)
	}
	payment := ch.Payment()
	if from.ChallengeErrors && payment != nil {
		return nil, challengeError(payment, reason)
	}
	query, _ = index.CutText(query)
	address := site.SearchURL() + "?q=" + url.QueryEscape(query)
	var b strings.Builder
	if reason != nil {
		b.WriteString("The credential was not accepted. " + problemText(reason) + "\n\n")
	}
	fmt.Fprintf(&b, "search_passages is paid: %d satoshis buy %d searches within %d days. Pay only if the person you work for agrees.\n\n", p.Terms.PriceSats, p.Terms.Credits, p.Terms.ValidDays)
	fmt.Fprintf(&b, "1. Pay this Lightning invoice (BOLT 11) before %s: %s\n", timestamp(ch.ExpiresAt), ch.Invoice)
	fmt.Fprintf(&b, "2. The payment reveals the preimage, 64 hex digits. Join the macaroon, a colon and the preimage: %s:<preimage>\n", ch.Macaroon)
	fmt.Fprintf(&b, "3. Call search_passages again with that as the argument l402, or GET %s with the header Authorization: L402 <macaroon>:<preimage>.\n", address)
	fmt.Fprintf(&b, "4. Keep it for %d searches: do not pay for each. search_passages without query returns how many are left, and costs nothing. The first answer has a short handle, which may stand for the credential from then on.\n\n", p.Terms.Credits)
	fmt.Fprintf(&b, "Free alternatives: search, fetch and list_entries; or the whole library at %s.", site.URL(catalog.LibraryJSONLPath))
	members := ch.Members()
	delete(members, "instructions")                                                                                     // the text has those of MCP
	members["http"] = map[string]string{"url": address, "header": "Authorization: L402 " + ch.Macaroon + ":<preimage>"} // the same search
	a := newAnswer(b.String(), encode(map[string]any{"payment_required": members}))
	a.IsError = true
	if payment != nil {
		a.Meta = mcp.Meta{requiredMeta: newPaymentRequest(payment, reason)}
	}
	return a, nil
}

// check returns the balance of a credential.
func (p *Paid) check(ctx context.Context, credential string) (*mcp.CallToolResult, error) {
	if credential == "" {
		return nil, inputError("search_passages needs a query, or a credential to return what is left of it. " +
			`Examples: {"query":"words"}, {"l402":"<macaroon>:<preimage hex>"}`)
	}
	balance, err := p.Balance(ctx, credential)
	var refused *problem.Problem
	switch {
	case errors.As(err, &refused) && refused.Correctable():
		return nil, correctCredential(refused)
	case err != nil:
		return nil, err
	}
	left := account{Balance: balance}
	a := newAnswer(left.String(), encode(map[string]credits{"credits": left.credits()}))
	a.Meta = left.receipt()
	return a, nil
}

// correctCredential returns an error that names the correction.
func correctCredential(p *problem.Problem) error {
	form := ""
	if p.Detail == "" { // which says it otherwise
		form = " It is the macaroon of the challenge, a colon, and the preimage that the payment revealed as 64 hex digits: <macaroon>:<preimage>."
	}
	return inputError("The credential was not accepted. " + problemText(p) + " " + problem.PaidAlready + form +
		" No credit was taken. If there was no payment, call search_passages without a credential for an invoice.")
}

// noCredit ends the problems of the paid tool.
const noCredit = " No credit was taken."

// problemSentence turns a problem into a sentence for the model, with more at its end. A fault of this service stays an
// error, and nil is no error.
func problemSentence(err error, more string) error {
	var p *problem.Problem
	if !errors.As(err, &p) || p.Code == problem.Internal || p.Status() == 0 {
		return err
	}
	s := problemText(p)
	if wait := problem.Seconds(p.Wait()); wait > 0 {
		s += fmt.Sprintf(" Try again in %d seconds.", wait)
	}
	return inputError(s + more)
}

// problemText returns the problem's own detail, or the title and remedy of its code.
func problemText(p *problem.Problem) string {
	if p.Detail != "" {
		return p.Detail
	}
	return p.Title() + ". " + p.Sentence()
}

// The names that the scheme Payment has in MCP (draft-payment-transport-mcp-00, and the reference implementation for
// what must not be an error of the protocol since 2026-07-28).
const (
	CredentialMeta = "org.paymentauth/credential"       // _meta of a call
	receiptMeta    = "org.paymentauth/receipt"          // _meta of its result
	requiredMeta   = "org.paymentauth/payment-required" // _meta of a result that asks for payment
)

// The errors of that draft. Versions of the protocol from 2026-07-28 on reserve their numbers, so that a challenge is a
// result there.
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
	Problem    json.RawMessage   `json:"problem"` // the document that HTTP would answer with
	Failure    *paymentFailure   `json:"failure,omitempty"`
}

// A paymentFailure is why a credential was refused.
type paymentFailure struct {
	Reason problem.Code `json:"reason"`
	Detail string       `json:"detail"`
}

// noPayment is the problem of a call without a credential.
var noPayment = problem.New(problem.PaymentRequired)

// newPaymentRequest returns a request for the payment of a challenge. reason is why a credential was refused, nil if
// there was none.
func newPaymentRequest(challenge json.RawMessage, reason *problem.Problem) paymentRequest {
	r := paymentRequest{HTTPStatus: http.StatusPaymentRequired, Challenges: []json.RawMessage{challenge},
		Problem: cmp.Or(reason, noPayment).ForPayment().Document("", nil)}
	if reason != nil {
		r.Failure = &paymentFailure{Reason: reason.Code, Detail: reason.Sentence()}
	}
	return r
}

// challengeError returns a challenge as an error of the protocol.
func challengeError(challenge json.RawMessage, reason *problem.Problem) error {
	code := int64(codePaymentRequired)
	if reason != nil {
		code = codePaymentFailed
	}
	return &jsonrpc.Error{Code: code, Message: cmp.Or(reason, noPayment).Title(),
		Data: json.RawMessage(encode(newPaymentRequest(challenge, reason)))}
}
