package ledger

import (
	"context"
	"sync/atomic"

	"almanac/l402"

	"github.com/lightningnetwork/lnd/lntypes"
)

type opKind uint8

const (
	opSpend opKind = iota
	opRefund
	opRevoke
	opReimburse
	opGrant
	opRead
)

// An op is one operation on one account, and then its outcome.
type op struct {
	kind     opKind
	hash     lntypes.Hash
	debit    l402.Debit       // opSpend
	serial   int64            // opRefund
	branches []l402.BranchUse // opRefund
	at       int64            // opRevoke, opReimburse

	receipt l402.Receipt  // opSpend
	account *l402.Account // opRead: the outcome; opGrant: what to create
	err     error

	state atomic.Uint32 // decides between the outcome and a caller that gives up
	done  chan struct{} // receives once, when the outcome is known
}

// The states of an op.
const (
	opWaiting uint32 = iota
	opSettled
	opAbandoned
)

func newOp(kind opKind, hash lntypes.Hash) *op {
	return &op{kind: kind, hash: hash, done: make(chan struct{}, 1)}
}

// refundOp returns the operation that undoes a debit.
func refundOp(r l402.Receipt) *op {
	o := newOp(opRefund, r.Hash)
	o.serial, o.branches = r.Serial, r.Branches
	return o
}

// receiptsOf returns what the operations have taken, provided that their batch was committed.
func receiptsOf(ops []*op) []l402.Receipt {
	var rs []l402.Receipt
	for _, o := range ops {
		if o.kind == opSpend && o.err == nil {
			rs = append(rs, o.receipt)
		}
	}
	return rs
}

// A store commits batches of operations. It is used by one goroutine at a time.
type store interface {
	// apply settles ops in one durable transaction. On an error nothing was committed, unless the error is an *inDoubtError.
	apply(ctx context.Context, ops []*op) error
	// resolve reports whether an in-doubt transaction was committed. It must be called before the next apply that takes credits.
	resolve(ctx context.Context, d *inDoubtError) (committed bool, err error)
	// tidy does what can wait for an idle moment, and reports whether anything is left to do.
	tidy(ctx context.Context) (more bool)
}

// An inDoubtError is the error of a commit whose outcome is unknown, because the database's answer was lost.
type inDoubtError struct {
	transaction string // as the database numbers it
	batch       int64  // as the store numbers it
	cause       error
}

func (d *inDoubtError) Error() string { return "outcome of the commit unknown: " + d.cause.Error() }
func (d *inDoubtError) Unwrap() error { return d.cause }
