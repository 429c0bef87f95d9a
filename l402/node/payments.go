package node

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lightningnetwork/lnd/lntypes"
)

// A Payment is a settled invoice of a node.
type Payment struct {
	Hash      lntypes.Hash
	Memo      string
	MilliSats int64
	At        time.Time // when it was settled
}

// A Lister is a [Service] whose node lists its settled invoices, perhaps only with other credentials than those that
// make invoices.
type Lister interface {
	// Payments returns a page of what was settled, from the cursor that the page before it returned, 0 for the first. The
	// cursor of the last page is 0. Invoices settled before since may be in it.
	Payments(ctx context.Context, since time.Time, cursor int64) (page []Payment, next int64, nodeErr *Error)
}

// A Receiver is a [Service] whose node says whether others can pay it.
type Receiver interface {
	// Receive returns an error if the node could not be paid an amount now, and otherwise what is known about it.
	Receive(ctx context.Context, sats int64) (note string, nodeErr *Error)
}

// Payments returns all that was settled since a time.
func (n *Node) Payments(ctx context.Context, since time.Time) (list []Payment, err error) {
	lister, ok := n.service.(Lister)
	if !ok {
		return nil, errors.New("this kind of node lists no payments: compare with the history of its wallet")
	}
	known := map[lntypes.Hash]bool{}
	for cursor := int64(0); ; {
		page, next, nodeErr := lister.Payments(ctx, since, cursor)
		if nodeErr != nil {
			return nil, fmt.Errorf("list the node's payments: %s: %w", nodeErr.Advice, nodeErr.Cause)
		}
		before := len(known)
		for _, p := range page {
			if !known[p.Hash] && !p.At.Before(since) {
				list = append(list, p)
			}
			known[p.Hash] = true
		}
		if next <= cursor || len(page) > 0 && len(known) == before { // the second: a node that ignores the cursor
			return list, nil
		}
		cursor = next
	}
}

// Receive returns an error if the node could not be paid an amount now, and otherwise what is known about it.
func (n *Node) Receive(ctx context.Context, sats int64) (note string, err error) {
	r, ok := n.service.(Receiver)
	if !ok {
		return "its wallet has the channels", nil
	}
	nodeErr := n.call(ctx, func(ctx context.Context) (nodeErr *Error) {
		note, nodeErr = r.Receive(ctx, sats)
		return nodeErr
	})
	if nodeErr != nil {
		return "", nodeErr
	}
	return note, nil
}
