package l402

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/btcsuite/btcd/chaincfg"
	"github.com/lightningnetwork/lnd/lntypes"
	"github.com/lightningnetwork/lnd/zpay32"
)

// ErrNodeUnavailable is wrapped by every error of an [Invoicer] that may be temporary: the node is stopped, starting,
// locked, slow, overloaded or answers nonsense. The paywall answers 503 with Retry-After.
var ErrNodeUnavailable = errors.New("the Lightning node cannot create an invoice")

// An Invoicer is a Lightning node, as seen by a client that may create invoices and nothing else.
//
// Every implementation keeps these rules, which package invoicertest tests:
//
//   - AddInvoice returns a BOLT 11 invoice that [CheckInvoice] accepts for the same request, and an error without
//     ErrNodeUnavailable for a request that [InvoiceRequest.Check] refuses.
//   - Every call creates a new invoice with a new payment hash.
//   - It never reveals the preimage: whoever holds the preimage counts as having paid.
//   - It returns when ctx ends; an invoice that arrives later is dropped.
//   - Its other errors wrap ErrNodeUnavailable, contain no secret, and do not affect later calls. It logs when the node fails and
//     when it recovers; the error of each request is logged by the paywall, at debug level.
//   - Ready reports whether AddInvoice would work now, without creating an invoice where the node allows that.
//   - Both methods may be called by several goroutines at once.
type Invoicer interface {
	AddInvoice(ctx context.Context, req InvoiceRequest) (Invoice, error)
	Ready(ctx context.Context) error
}

// An InvoiceRequest describes an invoice to be created.
type InvoiceRequest struct {
	AmountSats int64         // in satoshis, at least 1
	Memo       string        // the invoice's description, at most 639 bytes (BOLT 11)
	Expiry     time.Duration // how long the invoice can be paid, in whole seconds
}

// maxMemo is the longest description in bytes: BOLT 11 counts its 5-bit groups in 10 bits.
const maxMemo = 639

// Check returns an error for a request that no node could fulfil.
func (req InvoiceRequest) Check() error {
	switch {
	case req.AmountSats < 1:
		return fmt.Errorf("create an invoice: the amount is %d sat, but must be at least 1", req.AmountSats)
	case len(req.Memo) > maxMemo:
		return fmt.Errorf("create an invoice: the memo has %d bytes, but at most %d are allowed", len(req.Memo), maxMemo)
	case req.Expiry < time.Second || req.Expiry%time.Second != 0:
		return fmt.Errorf("create an invoice: the expiry is %s, but must be a whole number of seconds", req.Expiry)
	}
	return nil
}

// An Invoice asks for one payment.
type Invoice struct {
	PaymentRequest string       // BOLT 11, as it is shown to the payer
	PaymentHash    lntypes.Hash // SHA-256 of the preimage that the payment reveals
	ExpiresAt      time.Time    // after it nobody can pay
}

// clockSkew is how much the node's clock may differ from ours before its invoices are refused.
const clockSkew = 5 * time.Minute

// CheckInvoice decodes inv's BOLT 11 text and returns an error unless it matches req: on network net, for exactly the
// amount, with inv's payment hash, and payable now for no longer than asked. A node that returns anything else is
// misconfigured or not ours, and selling its invoice would take money for nothing.
func CheckInvoice(inv Invoice, req InvoiceRequest, net *chaincfg.Params, now time.Time) error {
	decoded, err := zpay32.Decode(inv.PaymentRequest, net)
	if err != nil {
		return fmt.Errorf("invoice for network %s: %w", net.Name, err)
	}
	if decoded.PaymentHash == nil || *decoded.PaymentHash != inv.PaymentHash {
		return errors.New("the invoice does not have the payment hash that the node returned")
	}
	if decoded.MilliSat == nil || int64(*decoded.MilliSat) != req.AmountSats*1000 {
		return fmt.Errorf("the invoice is not for exactly %d sat", req.AmountSats)
	}
	end := decoded.Timestamp.Add(decoded.Expiry())
	if !end.After(now) {
		return fmt.Errorf("the invoice expired at %s", end.UTC().Format(time.RFC3339))
	}
	if end.After(now.Add(req.Expiry + clockSkew)) {
		return fmt.Errorf("the invoice can be paid until %s, longer than %s", end.UTC().Format(time.RFC3339), req.Expiry)
	}
	if diff := end.Sub(inv.ExpiresAt).Abs(); diff > clockSkew {
		return fmt.Errorf("the invoice expires %s from the time that the node returned", diff)
	}
	return nil
}
