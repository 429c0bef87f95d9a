package tools

import (
	"context"
	"net/netip"
	"time"

	"almanac/catalog"
)

// Paid is the paid search as the tools need it. They may not import the package that takes the
// money, so the program brings the two together.
type Paid struct {
	Offer catalog.Offer
	// Spend takes one credit of a credential, which is "<macaroon>:<preimage>" or the whole value
	// of an Authorization header. refund gives the credit back, once. What is wrong with the
	// credential is told as a *catalog.Problem.
	Spend func(ctx context.Context, credential string) (left int, validUntil time.Time, refund func(context.Context) error, err error)
	// Challenge makes an invoice for whoever asks from an address. A *catalog.Problem tells that
	// none can be made now.
	Challenge func(ctx context.Context, source netip.Addr) (Challenge, error)
}

// A Challenge is what has to be paid, and the token that paying makes good.
type Challenge struct {
	Macaroon    string
	Invoice     string
	PaymentHash string
	ExpiresAt   time.Time
}
