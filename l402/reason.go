package l402

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/lightningnetwork/lnd/lntypes"

	"almanac/problem"
)

// reasons are the errors of credentials, ledger and node, with the codes that clients see.
var reasons = []struct {
	err  error
	code problem.Code
}{
	{errNoCredential, problem.PaymentRequired},
	{errMalformed, problem.CredentialMalformed},
	{errAmbiguous, problem.AmbiguousCredential},
	{errForeign, problem.CredentialInvalid},
	{errThirdPart, problem.CredentialInvalid},
	{errCaveat, problem.CredentialInvalid},
	{errUnproven, problem.PaymentUnproven},
	{ErrExpired, problem.CredentialExpired},
	{ErrRevoked, problem.CredentialRevoked},
	{ErrExhausted, problem.CreditsExhausted},
	{ErrBudgetExhausted, problem.BudgetExhausted},
	{ErrLedgerUnavailable, problem.LedgerUnavailable},
	{ErrNodeUnavailable, problem.NodeUnavailable},
}

// repeatWindow is how long a ledger remembers a request.
const repeatWindow = time.Minute

// A provenError refuses a credential that was paid for, and can buy nothing more.
type provenError struct {
	error
	hash lntypes.Hash
}

// Unwrap returns the reason.
func (e *provenError) Unwrap() error { return e.error }

// An expiredCopyError refuses a copy that ends before the payment it was made from.
type expiredCopyError struct{ until time.Time } // the end of the payment's credits

// Error implements error.
func (e *expiredCopyError) Error() string {
	return fmt.Sprintf("This copy of the credential has expired. The payment it was made from is valid until %s: "+
		"use the original or another copy, or pay the new invoice.", e.until.Format(time.RFC3339))
}

// Unwrap returns ErrExpired.
func (e *expiredCopyError) Unwrap() error { return ErrExpired }

// problemOf returns the problem that err is or leads to.
func problemOf(err error) *problem.Problem {
	if errors.Is(err, ErrRepeated) {
		p := problem.Errorf(problem.RateLimited,
			"This request was repeated as often as one credit allows. Repeat it after the time in Retry-After, or with a new idempotency key, which costs a credit.")
		p.RetryAfter = repeatWindow
		return p
	}
	if errors.Is(err, ErrTooManyBranches) {
		return problem.Errorf(problem.BudgetInvalid,
			"The branch cannot begin: an account has at most 32 branches in use, a branch of it 8, and a branch of that 4. Use a credential of a branch that is in use, or pay the new invoice.")
	}
	if p := (*problem.Problem)(nil); errors.As(err, &p) {
		return problem.FromError(p)
	}
	for _, r := range reasons {
		if errors.Is(err, r.err) {
			p := problem.New(r.code)
			if paid := (*provenError)(nil); errors.As(err, &paid) {
				p.Err = paid
			}
			if expired := (*expiredCopyError)(nil); errors.As(err, &expired) {
				p.Detail = expired.Error()
			}
			return p
		}
	}
	return problem.FromError(err)
}

// payable reports whether a new invoice helps a request that was refused with p because of err.
func payable(p *problem.Problem, err error) bool {
	return p.Status() == http.StatusPaymentRequired && !errors.Is(err, errOversize)
}

// withReason returns the problem of a request that was refused because of reason, and for which no invoice can be had.
// It keeps the code of failed, and names the reason in its detail and in the member "reason".
func withReason(failed, reason *problem.Problem) *problem.Problem {
	if reason.Code == problem.PaymentRequired {
		return failed
	}
	p := *failed
	p.Detail = fmt.Sprintf("%s. A new invoice cannot be issued at the moment: try again after the time in Retry-After.", reason.Title())
	p.Extensions = map[string]any{"reason": reason.Code}
	return &p
}
