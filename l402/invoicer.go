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

// ErrNodeUnavailable is wrapped by every error of an [Invoicer] that a later call may not meet: the node is
// stopped, starting, locked, slow, overloaded or answers nonsense. The paywall answers 503 with Retry-After.
var ErrNodeUnavailable = errors.New("the Lightning node gives no invoice")

// An Invoicer is a Lightning node, seen by somebody who may ask it for invoices and for nothing else.
//
// The law, which lnd and the demo node both pass:
//
//   - AddInvoice gives a BOLT 11 invoice that [CheckInvoice] accepts for the same request, and an error without
//     ErrNodeUnavailable for a request that [InvoiceRequest.Check] refuses.
//   - Every call makes a new invoice with a payment hash that was never given before.
//   - It never gives the preimage away: whoever holds the preimage counts as having paid.
//   - It returns when ctx ends, and an invoice that comes too late is nobody's.
//   - Its other errors wrap ErrNodeUnavailable, hold no secret, and leave nothing behind that a next call trips over. It
//     logs trouble when it comes and when it goes; what each request met is logged by the paywall, for debugging.
//   - Ready says whether AddInvoice would work now, without adding an invoice where the node allows it.
//   - Both may be called from many goroutines.
type Invoicer interface {
	AddInvoice(ctx context.Context, req InvoiceRequest) (Invoice, error)
	Ready(ctx context.Context) error
}

// An InvoiceRequest says what an invoice shall ask for.
type InvoiceRequest struct {
	AmountSats int64         // in satoshis, at least 1
	Memo       string        // the invoice's description, at most 639 bytes (BOLT 11)
	Expiry     time.Duration // how long the invoice can be paid, in whole seconds
}

// maxMemo is the longest description in bytes: BOLT 11 counts its 5-bit groups in 10 bits.
const maxMemo = 639

// Check reports what no node could make an invoice of.
func (req InvoiceRequest) Check() error {
	switch {
	case req.AmountSats < 1:
		return fmt.Errorf("ask for an invoice: %d sat is no amount", req.AmountSats)
	case len(req.Memo) > maxMemo:
		return fmt.Errorf("ask for an invoice: memo of %d bytes is longer than %d", len(req.Memo), maxMemo)
	case req.Expiry < time.Second || req.Expiry%time.Second != 0:
		return fmt.Errorf("ask for an invoice: expiry %s is not in whole seconds", req.Expiry)
	}
	return nil
}

// An Invoice asks for one payment.
type Invoice struct {
	PaymentRequest string       // BOLT 11, as it is shown to the payer
	PaymentHash    lntypes.Hash // SHA-256 of the preimage that the payment reveals
	ExpiresAt      time.Time    // after it nobody can pay
}

// clockSkew is how far the node's clock may be from ours before its invoices are refused.
const clockSkew = 5 * time.Minute

// CheckInvoice decodes inv's BOLT 11 text and reports whether it is what req asked for: on network net, for exactly the
// amount, with inv's payment hash, and payable now for no longer than asked. A node that hands out anything else
// is misconfigured or not ours, and selling its invoice would take money for nothing.
func CheckInvoice(inv Invoice, req InvoiceRequest, net *chaincfg.Params, now time.Time) error {
	decoded, err := zpay32.Decode(inv.PaymentRequest, net)
	if err != nil {
		return fmt.Errorf("invoice for network %s: %w", net.Name, err)
	}
	if decoded.PaymentHash == nil || *decoded.PaymentHash != inv.PaymentHash {
		return errors.New("invoice has another payment hash than the node said")
	}
	if decoded.MilliSat == nil || int64(*decoded.MilliSat) != req.AmountSats*1000 {
		return fmt.Errorf("invoice is not for exactly %d sat", req.AmountSats)
	}
	end := decoded.Timestamp.Add(decoded.Expiry())
	if !end.After(now) {
		return fmt.Errorf("invoice expired at %s", end.UTC().Format(time.RFC3339))
	}
	if end.After(now.Add(req.Expiry + clockSkew)) {
		return fmt.Errorf("invoice can be paid until %s, longer than %s", end.UTC().Format(time.RFC3339), req.Expiry)
	}
	if diff := end.Sub(inv.ExpiresAt).Abs(); diff > clockSkew {
		return fmt.Errorf("invoice ends %s from the expiry the node said", diff)
	}
	return nil
}
