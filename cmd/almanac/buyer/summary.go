package buyer

import (
	"errors"

	"go.almanac.example/http402/client"
)

// A summary tells a program what a Get did.
type summary struct {
	URL    string        `json:"url"`
	Status int           `json:"status"` // of the answer; 0: none came, or it asks for a payment that was not made
	Paid   *payment      `json:"paid"`
	Left   *int64        `json:"credits_left"` // null: the seller has not said
	Quote  *client.Quote `json:"quote"`        // of a dry run
	Error  *failure      `json:"error"`
}

// A payment is one that this Get made.
type payment struct {
	Hash      string `json:"payment_hash"`
	MilliSats int64  `json:"amount_msat"`
	Fee       int64  `json:"fee_msat"`
}

// A failure is the reason why there is no answer, or a bad one.
type failure struct {
	Reason  client.Reason `json:"reason,omitempty"` // of an answer that was not paid for
	Message string        `json:"message"`
}

func newFailure(err error) *failure {
	if err == nil {
		return nil
	}
	f := &failure{Message: err.Error()}
	if r := (*client.Refusal)(nil); errors.As(err, &r) {
		f.Reason = r.Reason
	}
	return f
}
