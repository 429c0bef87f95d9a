package buyer

import (
	"errors"
	"fmt"

	"almanac/l402/client"
	"almanac/l402/client/probe"
)

// The exit statuses of the buyer's commands, beside 0 for success, 1 for other failures and 2 for a wrong command line.
const (
	ExitAnswer    = 3  // the answer is an error, such as 404
	ExitBudget    = 4  // not paid: a limit or the user said no
	ExitChallenge = 5  // not paid: something is wrong with what was asked for
	ExitFailed    = 6  // the wallet could not pay
	ExitPending   = 7  // whether it is paid is not known yet
	ExitRefused   = 8  // paid, and the seller asks again
	ExitStore     = 9  // the wallet or the journal does not work
	ExitFaults    = 10 // a probe found faults
)

// ExitStatus returns the exit status for an error, or 0 for one that has none of its own.
func ExitStatus(err error) int {
	switch {
	case errors.As(err, new(*AnswerError)):
		return ExitAnswer
	case errors.Is(err, probe.ErrFaults):
		return ExitFaults
	}
	var r *client.Refusal
	if !errors.As(err, &r) {
		return 0
	}
	switch r.Reason {
	case client.NoBudget, client.OverPayment, client.OverHostDay, client.OverDay, client.OverTotal, client.Declined:
		return ExitBudget
	case client.PaymentFailed:
		return ExitFailed
	case client.Pending:
		return ExitPending
	case client.NotAccepted, client.AlreadyPaid, client.TooManyRounds:
		return ExitRefused
	case client.WalletFault, client.JournalFault:
		return ExitStore
	case client.CallerLeft:
		return 0
	}
	return ExitChallenge
}

// An AnswerError is an answer that is an error.
type AnswerError struct {
	Status string // such as "404 Not Found"
	Detail string
}

// Error implements error.
func (e *AnswerError) Error() string {
	if e.Detail != "" {
		return fmt.Sprintf("the answer is %s: %s", e.Status, e.Detail)
	}
	return "the answer is " + e.Status
}
