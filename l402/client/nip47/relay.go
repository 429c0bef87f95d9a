package nip47

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

// Options are settings for tests.
type Options struct {
	Backoff time.Duration // before a relay that failed once is tried again; doubled by each failure; 0 means a second
	Idle    time.Duration // after which an unused connection is closed; 0 means two minutes
}

// A relay keeps at most one connection to a relay, and remembers when it may be tried again.
type relay struct {
	address       string
	backoff, idle time.Duration
	dialing       chan struct{} // limits attempts to one at a time

	mu        sync.Mutex
	link      *link // nil if there is none
	failures  int   // since it was last heard
	notBefore time.Time
	lastErr   error // the last failure
}

func newRelay(address string, o Options) *relay {
	return &relay{address: address, backoff: cmp.Or(o.Backoff, time.Second), idle: cmp.Or(o.Idle, 2*time.Minute), dialing: make(chan struct{}, 1)}
}

// maxBackoff is the longest time between two attempts to connect to a relay.
const maxBackoff = time.Minute

// ask subscribes to a filter, publishes an event unless it is nil, and calls read with each event that arrives, and
// with nil after those that were stored, until it returns true or an error. Read judges the event, which may be
// anything.
//
// When a connection that was there before turns out to be dead, a new one is made and the same event published again: a
// wallet answers it once.
func (r *relay) ask(ctx context.Context, f filter, e *event, read func(*event) (bool, error)) error {
	for {
		l, reused, err := r.connect(ctx)
		if err != nil {
			return err
		}
		heard, err := l.ask(ctx, f, e, read)
		l.release(r.idle)
		if reused && !heard && errors.Is(err, errBroken) {
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", r.address, err)
		}
		return nil
	}
}

// connect returns the connection, for the caller to release, and whether it was there before.
func (r *relay) connect(ctx context.Context) (l *link, reused bool, err error) {
	select {
	case r.dialing <- struct{}{}:
		defer func() { <-r.dialing }()
	case <-ctx.Done():
		return nil, false, fmt.Errorf("connect to %s: %w", r.address, ctx.Err())
	}
	r.mu.Lock()
	l, wait, lastErr := r.link, time.Until(r.notBefore), r.lastErr
	r.mu.Unlock()
	switch {
	case l != nil && l.acquire():
		return l, true, nil
	case wait > 0:
		return nil, false, fmt.Errorf("connect to %s: %w; trying again in %s", r.address, lastErr, wait.Round(time.Second))
	}
	l, err = dial(ctx, r.address)
	if err != nil {
		if !errors.Is(err, context.Canceled) { // another relay was faster, or nobody waits any more
			r.failed(err)
		}
		return nil, false, fmt.Errorf("connect to %s: %w", r.address, err)
	}
	r.mu.Lock()
	r.link = l
	r.mu.Unlock()
	go func() {
		<-l.done
		r.ended(l)
	}()
	return l, false, nil
}

// failed lets the relay alone for a while, longer after each failure, and not for as long as all others do.
func (r *relay) failed(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	wait := min(maxBackoff, r.backoff<<min(r.failures, 16))
	r.failures, r.lastErr = r.failures+1, err
	r.notBefore = time.Now().Add(wait - rand.N(wait/4+1))
}

// ended forgets a connection. One that ended before anything was heard is a failure.
func (r *relay) ended(l *link) {
	r.mu.Lock()
	if r.link == l {
		r.link = nil
	}
	heard := l.heard.Load() > 0
	if heard {
		r.failures, r.notBefore = 0, time.Time{}
	}
	r.mu.Unlock()
	if !heard && !l.unused {
		r.failed(l.err)
	}
}

func (r *relay) close() {
	r.mu.Lock()
	l := r.link
	r.mu.Unlock()
	if l != nil {
		l.end(errClosed)
	}
}
