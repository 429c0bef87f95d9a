package ledger

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"almanac/l402"

	"github.com/lightningnetwork/lnd/lntypes"
)

const (
	maxBatch     = 512             // operations committed together
	applyTimeout = 5 * time.Second // for one batch
	quietTime    = time.Second     // without requests, before the store tidies up and is asked again about what is unsettled
)

type opKind uint8

const (
	opSpend opKind = iota
	opRefund
	opRevoke
	opLook
)

// An op is one operation on one account, and then its outcome.
type op struct {
	kind   opKind
	hash   lntypes.Hash
	debit  l402.Debit // opSpend
	serial int64      // opRefund
	at     int64      // opRevoke

	receipt l402.Receipt // opSpend
	account l402.Account // opLook
	err     error

	state atomic.Uint32 // decides between the outcome and a caller that gives up
	done  chan struct{} // receives once, when the outcome is there
}

const (
	opWaiting uint32 = iota
	opSettled
	opAbandoned
)

// A store commits batches. It is used by one goroutine at a time.
type store interface {
	// apply settles ops in one durable transaction. On an error nothing was committed, unless the error is a *doubt.
	apply(ctx context.Context, ops []*op) error
	// resolve says whether a transaction in doubt was committed. It must be asked before the next apply that takes credits.
	resolve(ctx context.Context, d *doubt) (committed bool, err error)
	// tidy does what can wait for a quiet moment, and reports whether any is left to do.
	tidy(ctx context.Context) (more bool)
}

// A doubt is the error of a commit whose answer was lost.
type doubt struct {
	transaction string // as the database numbers it
	batch       int64  // as the store numbers it
	cause       error
}

func (d *doubt) Error() string { return "outcome of the commit unknown: " + d.cause.Error() }
func (d *doubt) Unwrap() error { return d.cause }

// A group runs the operations that many callers bring through one store, many in a transaction.
type group struct {
	store store
	calls chan func()
	stop  chan struct{} // closed to end run
	once  sync.Once     // closes it
	ended chan struct{} // closed when run has ended

	mu      sync.Mutex
	waiting []*op         // in the order they came
	closed  bool          // nothing may wait any more
	wake    chan struct{} // holds one when something waits

	// The rest belongs to run.
	batch  []*op
	undo   []*op      // refunds of what was taken for callers that had given up
	doubt  *openDoubt // what may have to be undone, nil mostly
	untidy bool       // the store has something to do when nobody asks for anything
}

// An openDoubt is a commit whose callers were told that it failed.
type openDoubt struct {
	*doubt
	spent []l402.Receipt
}

func newGroup(s store) *group {
	g := &group{store: s, calls: make(chan func()), stop: make(chan struct{}), ended: make(chan struct{}), wake: make(chan struct{}, 1)}
	go g.run()
	return g
}

// close ends the group. Operations that wait are refused. Again is no error.
func (g *group) close() {
	g.once.Do(func() { close(g.stop) })
	<-g.ended
}

var errClosed = errors.New("it is closed")

// do brings an operation and waits for its outcome, or for the end of ctx. What was taken for a caller that did not wait is given
// back.
func (g *group) do(ctx context.Context, o *op) error {
	if err := ctx.Err(); err != nil {
		return unavailable("wait", err)
	}
	if !g.enqueue(o) {
		return unavailable("wait", errClosed)
	}
	select {
	case <-o.done:
		return o.err
	case <-ctx.Done():
		if o.state.CompareAndSwap(opWaiting, opAbandoned) {
			return unavailable("wait", ctx.Err())
		}
	}
	<-o.done
	return o.err
}

// enqueue brings an operation, which run will settle, unless the group is closed.
func (g *group) enqueue(o *op) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	g.waiting = append(g.waiting, o)
	g.ring()
	return true
}

// ring wakes run.
func (g *group) ring() {
	select {
	case g.wake <- struct{}{}:
	default: // it is being woken
	}
}

// take makes a batch of at most limit operations of those that wait.
func (g *group) take(limit int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := min(len(g.waiting), limit)
	g.batch = append(g.batch[:0], g.waiting[:n]...)
	g.waiting = slices.Delete(g.waiting, 0, n)
	if len(g.waiting) > 0 {
		g.ring()
	}
}

// call runs f while no batch runs.
func (g *group) call(ctx context.Context, f func() error) error {
	result := make(chan error, 1)
	select {
	case g.calls <- func() { result <- f() }:
		return <-result
	case <-ctx.Done():
		return unavailable("wait", ctx.Err())
	case <-g.ended:
		return unavailable("wait", errClosed)
	}
}

// run takes what waits, commits it, and takes again: nobody is made to wait for company.
func (g *group) run() {
	defer close(g.ended)
	quiet := time.NewTimer(0)
	for {
		if g.untidy || len(g.undo) > 0 || g.doubt != nil {
			quiet.Reset(quietTime)
		}
		select {
		case <-g.wake:
			if g.take(maxBatch); len(g.batch) > 0 {
				g.commit()
				g.untidy = true
			}
		case f := <-g.calls:
			f()
		case <-quiet.C:
			g.settleUndone()
			ctx, cancel := context.WithTimeout(context.Background(), applyTimeout)
			g.untidy = g.store.tidy(ctx)
			cancel()
		case <-g.stop:
			g.settleUndone()
			g.mu.Lock()
			g.closed = true
			g.mu.Unlock()
			g.failWaiting(errClosed)
			return
		}
	}
}

// commit applies the batch and tells everybody.
func (g *group) commit() {
	ctx, cancel := context.WithTimeout(context.Background(), applyTimeout)
	defer cancel()
	err := g.settleDoubt(ctx)
	if err == nil {
		err = g.apply(ctx)
	}
	if err == nil {
		g.deliver()
		if len(g.undo) > 0 {
			g.settleUndone()
		}
		return
	}
	g.fail(err)
	g.failWaiting(err) // they would wait for the next time-out
}

// apply applies the batch. If its outcome cannot be found out, it is an error and a doubt stays.
func (g *group) apply(ctx context.Context) error {
	err := g.store.apply(ctx, g.batch)
	var lost *doubt
	if !errors.As(err, &lost) {
		return err
	}
	committed, resolveErr := g.store.resolve(ctx, lost)
	switch {
	case resolveErr != nil:
		g.doubt = &openDoubt{lost, receipts(g.batch)}
	case committed:
		return nil
	}
	return err
}

// deliver hands the outcomes over. What nobody waits for any more is undone.
func (g *group) deliver() {
	for _, o := range g.batch {
		if o.state.CompareAndSwap(opWaiting, opSettled) {
			o.done <- struct{}{}
		} else if o.kind == opSpend && o.err == nil {
			g.undo = append(g.undo, refundOp(o.receipt))
		}
	}
	g.batch = g.batch[:0]
}

// fail tells the whole batch that the store is in trouble, and empties it.
func (g *group) fail(err error) {
	for _, o := range g.batch {
		if o.state.CompareAndSwap(opWaiting, opSettled) {
			o.receipt, o.err = l402.Receipt{}, unavailable("commit", err)
			o.done <- struct{}{}
		}
	}
	g.batch = g.batch[:0]
}

// failWaiting tells all who wait that the store is in trouble.
func (g *group) failWaiting(err error) {
	g.take(math.MaxInt)
	g.fail(err)
}

// settleDoubt finds out what became of a batch in doubt. It comes before the next batch: a store remembers the last one.
func (g *group) settleDoubt(ctx context.Context) error {
	if g.doubt == nil {
		return nil
	}
	committed, err := g.store.resolve(ctx, g.doubt.doubt)
	if err != nil {
		return err
	}
	if committed {
		for _, r := range g.doubt.spent {
			g.undo = append(g.undo, refundOp(r))
		}
	}
	g.doubt = nil
	return nil
}

// settleUndone gives back what callers were not told they had spent. What does not work now is tried again later: a
// refund that is done twice counts once.
func (g *group) settleUndone() {
	ctx, cancel := context.WithTimeout(context.Background(), applyTimeout)
	defer cancel()
	if g.settleDoubt(ctx) != nil {
		return
	}
	for len(g.undo) > 0 {
		n := min(len(g.undo), maxBatch)
		if g.store.apply(ctx, g.undo[:n]) != nil {
			return
		}
		g.undo = g.undo[n:]
	}
}

func refundOp(r l402.Receipt) *op {
	return &op{kind: opRefund, hash: r.Hash, serial: r.Serial}
}

// receipts are what a batch has taken if it was committed.
func receipts(ops []*op) []l402.Receipt {
	var rs []l402.Receipt
	for _, o := range ops {
		if o.kind == opSpend && o.err == nil {
			rs = append(rs, o.receipt)
		}
	}
	return rs
}

func newOp(kind opKind, hash lntypes.Hash) *op {
	return &op{kind: kind, hash: hash, done: make(chan struct{}, 1)}
}

func (g *group) spend(ctx context.Context, d l402.Debit) (l402.Receipt, error) {
	o := newOp(opSpend, d.Hash)
	o.debit = d
	err := g.do(ctx, o)
	if err != nil {
		return l402.Receipt{}, err // o may still be in use
	}
	return o.receipt, nil
}

func (g *group) refund(ctx context.Context, r l402.Receipt) error {
	o := newOp(opRefund, r.Hash)
	o.serial = r.Serial
	return g.do(ctx, o)
}

func (g *group) revoke(ctx context.Context, hash lntypes.Hash, at time.Time) error {
	o := newOp(opRevoke, hash)
	o.at = at.Unix()
	return g.do(ctx, o)
}

func (g *group) look(ctx context.Context, hash lntypes.Hash) (l402.Account, error) {
	o := newOp(opLook, hash)
	if err := g.do(ctx, o); err != nil {
		return l402.Account{}, err
	}
	return o.account, nil
}
