package node

import (
	"context"
	"log/slog"
	"time"

	"almanac/l402"

	"github.com/btcsuite/btcd/chaincfg"
	"github.com/lightningnetwork/lnd/lntypes"
)

// A Service speaks to one kind of node. Its methods may be called by several goroutines at once, and return when ctx
// ends.
type Service interface {
	// MakeInvoice asks the node for one invoice, and returns its answer. A request that it is given has been checked.
	MakeInvoice(ctx context.Context, req l402.InvoiceRequest) (Made, *Error)

	// Probe returns an error if the node would not make an invoice now. It makes none; if one follows, it may skip
	// checks that the invoice repeats.
	Probe(ctx context.Context, invoiceFollows bool) *Error

	// Lookup asks the node about one of its invoices, and returns the answer unchanged: a refusal is an answer. A
	// stranger asks without our credentials. Nil means that the node says nothing, or that only its owner could ask.
	Lookup(ctx context.Context, hash lntypes.Hash, stranger bool) ([]byte, *Error)

	// Reload reads the credentials again. If they cannot be read, the present ones stay.
	Reload() error
}

// Made is an invoice as a node returned it.
type Made struct {
	PaymentRequest string
	PaymentHash    lntypes.Hash
	ExpiresAt      time.Time // as the node says; zero if it does not
}

// NewMade returns an invoice from the members that nodes answer in JSON: the payment hash in hex, and when it ends as a
// Unix time, 0 if they do not say.
func NewMade(paymentRequest, paymentHash string, expiresAt int64) (Made, error) {
	hash, err := lntypes.MakeHashFromStr(paymentHash)
	if err != nil {
		return Made{}, err
	}
	made := Made{PaymentRequest: paymentRequest, PaymentHash: hash}
	if expiresAt > 0 {
		made.ExpiresAt = time.Unix(expiresAt, 0)
	}
	return made, nil
}

// Config says how to treat a node.
type Config struct {
	Net         *chaincfg.Params
	NetworkFlag string        // the flag that names the network, as in "-lnd-network"
	Timeout     time.Duration // of one call, including the wait for its turn; 0 means 5 seconds
	Concurrency int           // calls at the same time; 0 means 8
	Quiet       time.Duration // how long a node that answered counts as ready without being asked; 0 means 3 seconds

	Now func() time.Time // nil means time.Now
	Log *slog.Logger     // receives a line when the node fails and when it recovers; nil means no log
}
