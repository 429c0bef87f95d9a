package ledger

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"go.almanac.example/l402"

	"github.com/lightningnetwork/lnd/lntypes"
)

const (
	maxBatch     = 512             // operations committed together
	maxQueue     = 4 * maxBatch    // operations that wait for a batch; the callers of others wait to queue theirs
	applyTimeout = 5 * time.Second // for one batch
	idleTime     = time.Second     // without operations, before undoing and in-doubt commits are tried again
)

// An op is one operation on one account, and then its outcome.
type op struct {
	hash lntypes.Hash
	// change changes the account, and returns the receipt of a spend. It may be called again, with the account as
	// another replica has left it.
	change func(r *row, horizon int64) (l402.Receipt, error)

	receipt l402.Receipt
	err     error

	decided atomic.Bool   // set by the outcome or by a caller that gives up, whichever is first
	done    chan struct{} // receives once, when the outcome is known
}

func newOp(hash lntypes.Hash, change func(*row, int64) (l402.Receipt, error)) *op {
	return &op{hash: hash, change: change, done: make(chan struct{}, 1)}
}

// changeOp returns an operation that always succeeds.
func changeOp(hash lntypes.Hash, change func(*row)) *op {
	return newOp(hash, func(r *row, _ int64) (l402.Receipt, error) {
		change(r)
		return l402.Receipt{}, nil
	})
}

// spendOp returns the operation that takes a credit.
func spendOp(d *l402.Debit) *op {
	return newOp(d.Hash, func(r *row, horizon int64) (l402.Receipt, error) { return r.spend(d, horizon) })
}

// probeOp returns the operation that takes a credit of an account that nobody has.
func probeOp() *op {
	now := time.Now()
	d := l402.Debit{Credits: 1, Limit: 1, At: now, ExpiresAt: now.AddDate(100, 0, 0)}
	rand.Read(d.Hash[:]) // never fails since Go 1.24
	return spendOp(&d)
}

// refundOp returns the operation that undoes a debit.
func refundOp(r l402.Receipt) *op {
	return changeOp(r.Hash, func(account *row) { account.refund(r.Serial, r.Branches) })
}

// hasSpent reports whether the operation took a credit.
func (o *op) hasSpent() bool { return o.err == nil && o.receipt.Serial > 0 }

// A store commits batches of operations. It is used by one goroutine at a time.
type store interface {
	// apply settles ops in one durable transaction. On an error nothing was committed, unless the error is an
	// *inDoubtError.
	apply(ctx context.Context, ops []*op) error
	// resolve reports whether an in-doubt transaction was committed. It must be called before the next apply that takes
	// credits.
	resolve(ctx context.Context, d *inDoubtError) (committed bool, err error)
}

// An inDoubtError is the error of a commit whose outcome is unknown, because the database's answer was lost.
type inDoubtError struct {
	transaction string // as the database numbers it
	batch       int64  // as the store numbers it
	cause       error
	spent       []l402.Receipt // in it, although their callers were told that it failed
}

func (d *inDoubtError) Error() string { return "outcome of the commit unknown: " + d.cause.Error() }
func (d *inDoubtError) Unwrap() error { return d.cause }

// A committer commits the operations of many callers through one store, many in one transaction (a group commit).
type committer struct {
	store store
	queue chan *op      // in order of arrival
	stop  chan struct{} // closed to end run
	once  sync.Once     // closes stop
	ended chan struct{} // closed when run has ended

	// The rest belongs to run.
	batch   []*op
	undo    []*op         // refunds for callers that had given up
	inDoubt *inDoubtError // a commit that may have to be undone, usually nil
}

func newCommitter(s store) *committer {
	c := &committer{store: s, queue: make(chan *op, maxQueue), stop: make(chan struct{}), ended: make(chan struct{})}
	go c.run()
	return c
}

// close ends the committer. Queued operations fail. The error counts the credits that could not be given back.
func (c *committer) close() error {
	c.once.Do(func() { close(c.stop) })
	<-c.ended
	lost := len(c.undo)
	if c.inDoubt != nil {
		lost += len(c.inDoubt.spent)
	}
	if lost > 0 {
		return fmt.Errorf("up to %d credits of requests that were refused stay taken: the database did not answer", lost)
	}
	return nil
}

var errClosed = errors.New("the ledger is closed")

// do queues an operation and waits for its outcome or for the end of ctx. A credit taken for a caller that has given up
// is given back.
func (c *committer) do(ctx context.Context, o *op) error {
	err := ctx.Err()
	if err != nil {
		return unavailable("wait", err)
	}
	select {
	case c.queue <- o:
	case <-ctx.Done():
		return unavailable("wait", ctx.Err())
	case <-c.ended:
		return unavailable("wait", errClosed)
	}
	select {
	case <-o.done:
		return o.err
	case <-ctx.Done():
		err = ctx.Err()
	case <-c.ended: // perhaps before it came to this operation
		err = errClosed
	}
	if o.decided.CompareAndSwap(false, true) {
		return unavailable("wait", err)
	}
	<-o.done
	return o.err
}

// dequeue fills the batch from the queue, up to so many operations.
func (c *committer) dequeue(limit int) {
	for len(c.batch) < limit {
		select {
		case o := <-c.queue:
			c.batch = append(c.batch, o)
		default:
			return
		}
	}
}

// run commits whatever is queued, and then whatever was queued meanwhile. It never waits for a batch to fill up.
func (c *committer) run() {
	defer close(c.ended)
	idle := time.NewTimer(0)
	for {
		if len(c.undo) > 0 || c.inDoubt != nil {
			idle.Reset(idleTime)
		}
		select {
		case o := <-c.queue:
			runtime.Gosched() // let ready callers queue first: a larger batch makes a commit cheaper for each
			c.batch = append(c.batch, o)
			c.dequeue(maxBatch)
			c.commit()
		case <-idle.C:
			c.applyUndo()
		case <-c.stop:
			c.applyUndo()
			c.fail(errClosed)
			return
		}
	}
}

// commit applies the batch and hands the outcomes to the callers.
func (c *committer) commit() {
	ctx, cancel := context.WithTimeout(context.Background(), applyTimeout)
	defer cancel()
	err := c.resolve(ctx)
	if err == nil {
		err = c.apply(ctx)
	}
	if err != nil {
		c.fail(err)
		return
	}
	c.deliver()
	c.applyUndo()
}

// apply applies the batch. A commit whose outcome stays unknown is an error, and is kept to be resolved later.
func (c *committer) apply(ctx context.Context) error {
	err := c.store.apply(ctx, c.batch)
	var unknown *inDoubtError
	if !errors.As(err, &unknown) {
		return err
	}
	committed, resolveErr := c.store.resolve(ctx, unknown)
	switch {
	case resolveErr != nil:
		c.inDoubt = unknown
		for _, o := range c.batch {
			if o.hasSpent() {
				unknown.spent = append(unknown.spent, o.receipt)
			}
		}
	case committed:
		return nil
	}
	return err
}

// deliver hands the outcomes over, and undoes those without a caller.
func (c *committer) deliver() {
	for _, o := range c.batch {
		if o.decided.CompareAndSwap(false, true) {
			o.done <- struct{}{}
		} else if o.hasSpent() {
			c.undo = append(c.undo, refundOp(o.receipt))
		}
	}
	c.batch = c.batch[:0]
}

// fail fails every operation of the batch and of the queue, which would only wait for the next time-out. The queue is
// emptied before the first caller learns of the error: an operation that follows the news is tried for itself.
func (c *committer) fail(err error) {
	c.dequeue(math.MaxInt)
	for _, o := range c.batch {
		if o.decided.CompareAndSwap(false, true) {
			o.receipt, o.err = l402.Receipt{}, unavailable("commit", err)
			o.done <- struct{}{}
		}
	}
	c.batch = c.batch[:0]
}

// resolve finds out whether the in-doubt commit, if any, took place. It precedes the next batch, because a store
// remembers only its last one.
func (c *committer) resolve(ctx context.Context) error {
	if c.inDoubt == nil {
		return nil
	}
	committed, err := c.store.resolve(ctx, c.inDoubt)
	if err != nil {
		return err
	}
	if committed {
		for _, r := range c.inDoubt.spent {
			c.undo = append(c.undo, refundOp(r))
		}
	}
	c.inDoubt = nil
	return nil
}

// applyUndo refunds callers that were told otherwise. A failure is tried again later: refunding
// twice counts once.
func (c *committer) applyUndo() {
	ctx, cancel := context.WithTimeout(context.Background(), applyTimeout)
	defer cancel()
	if c.resolve(ctx) != nil {
		return
	}
	for len(c.undo) > 0 {
		n := min(len(c.undo), maxBatch)
		if c.store.apply(ctx, c.undo[:n]) != nil {
			return
		}
		c.undo = c.undo[n:]
	}
}
