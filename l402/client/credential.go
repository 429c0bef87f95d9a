package client

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"almanac/l402/client/challenge"
	"almanac/l402/client/journal"
)

// A Credential is something bought, as this process knows it.
type Credential struct {
	rec journal.Credential // the record read from the journal; later changes are in the fields below

	total, remaining atomic.Int64
	validUntil       atomic.Int64 // Unix milliseconds; 0 when not known
	accepted, spent  atomic.Bool
	answered         atomic.Bool            // by the seller, other than with a challenge, in this process
	presented        atomic.Bool            // to the seller, by this process or one before
	mistrusted       atomic.Bool            // refused when it was presented for the first time
	changed          atomic.Bool            // since it was written down
	refusedAt        sync.Map               // resources that it does not open
	acceptedAt       sync.Map               // resources that it opens
	landed           atomic.Pointer[func()] // ends the turn in which it is presented
}

func newCredential(rec journal.Credential) *Credential {
	c := &Credential{rec: rec}
	c.total.Store(rec.Total)
	c.remaining.Store(rec.Remaining)
	if !rec.ValidUntil.IsZero() {
		c.validUntil.Store(rec.ValidUntil.UnixMilli())
	}
	c.accepted.Store(rec.Accepted)
	c.spent.Store(rec.Spent)
	c.presented.Store(rec.Presented)
	c.mistrusted.Store(rec.Mistrusted)
	return c
}

// ID is the hash of the payment that bought the credential, or a name of its own when somebody else bought it.
func (c *Credential) ID() string { return c.rec.ID }

// Header and Value form the request header to send. The value is a secret.
func (c *Credential) Header() string { return c.rec.Header }

// Value is the value of the request header named by Header.
func (c *Credential) Value() string { return c.rec.Value }

// Scheme is L402, LSAT or Payment.
func (c *Credential) Scheme() string { return c.rec.Scheme }

// Remaining returns how many requests are left, or -1 when that is not known.
func (c *Credential) Remaining() int64 { return c.remaining.Load() }

// String keeps the secret out of logs.
func (c *Credential) String() string { return "credential " + c.rec.ID }

// LogValue is String.
func (c *Credential) LogValue() slog.Value { return slog.StringValue(c.String()) }

// mayOpen reports whether the credential may open a resource. A Payment credential opens only the resource it was
// bought for.
func (c *Credential) mayOpen(resource string, now time.Time) bool {
	if c.spent.Load() || c.remaining.Load() == 0 {
		return false
	}
	if until := c.validUntil.Load(); until > 0 && now.UnixMilli() >= until {
		return false
	}
	if c.rec.Scheme == challenge.Payment && c.rec.Resource != resource {
		return false
	}
	_, refused := c.refusedAt.Load(resource)
	return !refused
}

// Opens reports whether the credential was bought for a resource or has opened it.
func (c *Credential) Opens(resource string) bool {
	if c.rec.Resource == resource {
		return true
	}
	_, ok := c.acceptedAt.Load(resource)
	return ok
}

// fresh reports whether the seller's first answer is still to come. A fresh credential may be good for one request
// alone, and that one is its buyer's.
func (c *Credential) fresh() bool {
	return !c.accepted.Load() && !c.answered.Load() && !c.mistrusted.Load() && c.remaining.Load() < 0
}

// land ends the turn in which the credential was presented.
func (c *Credential) land() {
	if release := c.landed.Swap(nil); release != nil {
		(*release)()
	}
}

func (c *Credential) record() journal.Credential {
	rec := c.rec
	rec.Total, rec.Remaining = c.total.Load(), c.remaining.Load()
	rec.Accepted, rec.Mistrusted, rec.Spent = c.accepted.Load(), c.mistrusted.Load(), c.spent.Load()
	if until := c.validUntil.Load(); until > 0 {
		rec.ValidUntil = time.UnixMilli(until).UTC()
	}
	return rec
}

// A credentialStore keeps the credentials of every origin that this process has asked.
type credentialStore struct {
	journal *journal.Journal
	log     *slog.Logger

	mu      sync.RWMutex
	origins map[string][]*Credential
	flush   *time.Timer // runs while something has changed
}

// flushAfter is the longest time that a new balance may stay unwritten.
const flushAfter = time.Second

// find returns the credential to present for a resource, or nil: one that is known to open it before one that may, and
// of these one that was answered before a fresh one.
func (s *credentialStore) find(
	ctx context.Context, origin, resource string, tried []*Credential, now time.Time,
) *Credential {
	s.mu.RLock()
	all, loaded := s.origins[origin]
	s.mu.RUnlock()
	if !loaded {
		if s.load(ctx, origin) != nil {
			return nil
		}
		s.mu.RLock()
		all = s.origins[origin]
		s.mu.RUnlock()
	}
	var best *Credential
	rank := -1
	for _, c := range all {
		if !c.mayOpen(resource, now) || slices.Contains(tried, c) {
			continue
		}
		r := 0
		if c.Opens(resource) {
			r += 2
		}
		if !c.fresh() {
			r++
		}
		if r > rank {
			best, rank = c, r
		}
		if rank == 3 {
			break
		}
	}
	return best
}

// load reads the credentials of an origin, which another process may have bought or used, and keeps what this process
// learned of those already loaded.
func (s *credentialStore) load(ctx context.Context, origin string) error {
	recs, err := s.journal.Credentials(ctx, origin)
	if err != nil {
		s.log.Error("cannot read the credentials", slog.Any("error", err))
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	have := map[string]*Credential{}
	for _, c := range s.origins[origin] {
		have[c.rec.ID] = c
	}
	all := make([]*Credential, 0, len(recs))
	for _, rec := range recs {
		c := have[rec.ID]
		if c == nil {
			c = newCredential(rec)
		} else {
			c.refresh(rec)
		}
		all = append(all, c)
	}
	if s.origins == nil {
		s.origins = map[string][]*Credential{}
	}
	s.origins[origin] = all
	return nil
}

// refresh takes over what another process wrote down.
func (c *Credential) refresh(rec journal.Credential) {
	if rec.Accepted {
		c.accepted.Store(true)
	}
	if rec.Mistrusted {
		c.mistrusted.Store(true)
	}
	if rec.Presented {
		c.presented.Store(true)
	}
	if rec.Remaining >= 0 {
		c.lower(rec.Remaining)
	}
}

// lower notes the requests that are left, and reports whether they are fewer than was known: answers may overtake each
// other.
func (c *Credential) lower(left int64) bool {
	for {
		old := c.remaining.Load()
		if old >= 0 && old <= left {
			return false
		}
		if c.remaining.CompareAndSwap(old, left) {
			return true
		}
	}
}

// add puts a new credential in front.
func (s *credentialStore) add(c *Credential) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.origins == nil {
		s.origins = map[string][]*Credential{}
	}
	s.origins[c.rec.Origin] = append([]*Credential{c}, s.origins[c.rec.Origin]...)
}

// touch has a changed credential written down before long.
func (s *credentialStore) touch(c *Credential) {
	if c.changed.Swap(true) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.flush == nil {
		s.flush = time.AfterFunc(flushAfter, func() { s.write() })
	}
}

// write stores the changes.
func (s *credentialStore) write() error {
	s.mu.Lock()
	if s.flush != nil {
		s.flush.Stop()
		s.flush = nil
	}
	var changed []*Credential
	for _, all := range s.origins {
		for _, c := range all {
			if c.changed.Swap(false) {
				changed = append(changed, c)
			}
		}
	}
	s.mu.Unlock()
	for _, c := range changed {
		if err := s.journal.Update(context.Background(), c.record()); err != nil {
			s.log.Error("cannot write down what is left", slog.Any("error", err))
			return err
		}
	}
	return nil
}

func (s *credentialStore) close() error { return s.write() }
