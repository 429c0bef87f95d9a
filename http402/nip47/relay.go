package nip47

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/btcsuite/btcd/btcec/v2"
)

// A relay keeps at most one connection to a relay, and remembers when it may be tried again.
type relay struct {
	address string
	backoff time.Duration
	dialing chan struct{} // limits attempts to one at a time

	link atomic.Pointer[link] // the last one, which may have ended; nil if there was none

	mu        sync.Mutex
	notBefore time.Time
	lastErr   error // the last failure
}

// ask subscribes to a filter, publishes an event unless it is nil, and calls read with each event that arrives, and
// with nil after those that were stored, until it returns true or an error. Read judges the event, which may be
// anything.
//
// A relay that demands to know who asks is told, by an event signed with key (NIP-42).
//
// When a connection that was there before turns out to be dead, a new one is made and the same event published again: a
// wallet answers it once.
func (r *relay) ask(
	ctx context.Context, f filter, e *event, key *btcec.PrivateKey, read func(*event) (bool, error),
) error {
	auth := func(challenge string) (*event, error) {
		return newEvent(kindAuth, "", [][]string{{"relay", r.address}, {"challenge", challenge}}, key)
	}
	for {
		l, reused, err := r.connect(ctx)
		if err != nil {
			return err
		}
		before := l.heard.Load()
		err = l.ask(ctx, f, e, auth, read)
		heard := l.heard.Load() > before
		if errors.Is(err, context.DeadlineExceeded) && !heard {
			l.end(errSilent) // perhaps it is gone, and nothing said so: the next question dials again
		}
		switch {
		case err == nil:
			return nil
		case !reused || heard || !errors.Is(err, errBroken):
			return fmt.Errorf("%s: %w", r.address, err)
		}
	}
}

// connect returns the connection, and whether it was there before. It fails once ctx has ended: a wallet pays whatever it
// is sent.
func (r *relay) connect(ctx context.Context) (l *link, reused bool, err error) {
	select {
	case r.dialing <- struct{}{}:
		defer func() { <-r.dialing }()
	case <-ctx.Done():
		return nil, false, fmt.Errorf("connect to %s: %w", r.address, ctx.Err())
	}
	if l = r.link.Load(); l != nil && l.ctx.Err() == nil {
		return l, true, ctx.Err()
	}
	r.mu.Lock()
	wait, lastErr := time.Until(r.notBefore), r.lastErr
	r.mu.Unlock()
	if wait > 0 {
		return nil, false, fmt.Errorf("connect to %s: %w; trying again in %s", r.address, lastErr, wait.Round(time.Second))
	}
	l, err = dial(ctx, r.address)
	if err != nil {
		if !errors.Is(err, context.Canceled) { // another relay was faster, or nobody waits any more
			r.failed(err)
		}
		return nil, false, fmt.Errorf("connect to %s: %w", r.address, err)
	}
	r.link.Store(l)
	go func() {
		l.read()
		if l.heard.Load() == 0 {
			r.failed(context.Cause(l.ctx))
		}
	}()
	return l, false, nil
}

// failed lets the relay alone for a while.
func (r *relay) failed(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.notBefore, r.lastErr = time.Now().Add(r.backoff), err
}

// agreeTimeout is how long the relays may take to tell the wallet's abilities.
const agreeTimeout = 15 * time.Second

// exchange publishes a request on every relay and returns the first answer, decrypted. The same event on several relays
// is one request.
func (c *Connection) exchange(ctx context.Context, request *event, ciph textCipher) (string, error) {
	// The answer may come before the relay has acknowledged the request.
	responses := filter{Kinds: []int{kindResponse}, Authors: []string{c.wallet.public}, Events: []string{request.ID}}
	return race(ctx, c.wallet.relays, func(ctx context.Context, r *relay) (text string, err error) {
		err = r.ask(ctx, responses, request, c.secret, func(e *event) (done bool, err error) {
			if e == nil {
				return false, nil // the end of the stored events: the answer is still to come
			}
			text, done = c.read(e, request.ID, ciph)
			return done, nil
		})
		return text, err
	})
}

// read decrypts an answer, unless it is forged, of another request, or unreadable.
func (c *Connection) read(e *event, id string, ciph textCipher) (string, bool) {
	names := func(tag []string) bool { return len(tag) > 1 && tag[0] == "e" && tag[1] == id }
	if e.Kind != kindResponse || !slices.ContainsFunc(e.Tags, names) || !c.wallet.wrote(e) {
		return "", false
	}
	text, err := ciph.decrypt(e.Content)
	return text, err == nil
}

// agree returns how to encrypt: the best cipher in the wallet's info event, NIP-04 when it names none.
func (c *Connection) agree(ctx context.Context) (textCipher, error) {
	info, err := c.abilities(ctx)
	if errors.Is(err, errNoInfo) {
		info, err = c.greet(ctx, err)
	}
	if err != nil {
		return nil, fmt.Errorf("ask for the wallet's abilities: %w", err)
	}
	return newCipher(info, c.wallet.key, c.secret)
}

var errNoInfo = errors.New("does not know the wallet")

// greet returns the abilities of a wallet of which no relay has an info event: it publishes none, or they dropped it. It
// knows NIP-04 if it answers a question in that. Until then it gets no other.
func (c *Connection) greet(ctx context.Context, cause error) (*event, error) {
	info := new(event)
	ciph, err := newCipher(info, c.wallet.key, c.secret)
	if err != nil {
		return nil, err
	}
	request, err := c.request("get_info", struct{}{}, ciph)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, agreeTimeout)
	defer cancel()
	if _, err := c.exchange(ctx, request, ciph); err != nil {
		return nil, fmt.Errorf("%w, and it does not answer: %w", cause, err)
	}
	c.wallet.info.Store(info)
	return info, nil
}

// abilities returns the wallet's info event.
func (c *Connection) abilities(ctx context.Context) (*event, error) {
	w := c.wallet
	if known := w.info.Load(); known != nil {
		return known, nil
	}
	ctx, cancel := context.WithTimeout(ctx, agreeTimeout)
	defer cancel()
	infos := filter{Kinds: []int{kindInfo}, Authors: []string{w.public}, Limit: 1}
	info, err := race(ctx, w.relays, func(ctx context.Context, r *relay) (info *event, err error) {
		err = r.ask(ctx, infos, nil, c.secret, func(e *event) (bool, error) {
			if e == nil {
				return false, fmt.Errorf("%s %w", r.address, errNoInfo)
			}
			info = e
			return e.Kind == kindInfo && w.wrote(e), nil
		})
		return info, err
	})
	if err == nil {
		w.info.Store(info)
	}
	return info, err
}

// race runs f for every relay at once and returns the first success, or all errors.
func race[T any](
	ctx context.Context, relays []*relay, f func(context.Context, *relay) (T, error),
) (first T, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type result struct {
		value T
		err   error
	}
	results := make(chan result, len(relays))
	for _, r := range relays {
		go func() {
			value, err := f(ctx, r)
			results <- result{value, err}
		}()
	}
	var all []error
	for range relays {
		r := <-results
		if r.err == nil {
			return r.value, nil
		}
		all = append(all, r.err)
	}
	return first, errors.Join(all...)
}
