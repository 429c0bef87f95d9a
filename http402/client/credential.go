package client

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.almanac.example/http402/challenge"
	"go.almanac.example/http402/journal"
)

// A Credential is something bought, as this process knows it.
type Credential struct {
	mu       sync.Mutex         // of rec's members that change
	rec      journal.Credential // those that do not change are read without mu
	answered bool               // by the seller, other than with a challenge, in this process
	opens    map[string]bool    // resources that it opens, and those that it does not

	landed atomic.Pointer[func()] // ends the turn in which it is presented
}

func newCredential(rec journal.Credential) *Credential {
	return &Credential{rec: rec, opens: map[string]bool{}}
}

// ID is the hash of the payment that bought the credential, or a name of its own when somebody else bought it.
func (c *Credential) ID() string { return c.rec.ID }

// Value is the value of the request header to send, a secret.
func (c *Credential) Value() string { return c.rec.Value }

// Scheme is L402, LSAT or Payment.
func (c *Credential) Scheme() string { return c.rec.Scheme }

// Remaining returns how many requests are left, or -1 when that is not known.
func (c *Credential) Remaining() int64 { return c.snapshot().Remaining }

// String keeps the secret out of logs.
func (c *Credential) String() string { return "credential " + c.rec.ID }

// LogValue is String.
func (c *Credential) LogValue() slog.Value { return slog.StringValue(c.String()) }

// snapshot returns a copy of the credential's record.
func (c *Credential) snapshot() journal.Credential {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.rec
}

// rank returns how well the credential suits a resource: better if it is known to open it, and then if it was answered.
// It is -1 for one that cannot open it. A Payment credential opens only the resource that it was bought for.
func (c *Credential) rank(resource string, now time.Time) int {
	fresh := c.fresh()
	c.mu.Lock()
	defer c.mu.Unlock()
	opens, tried := c.opens[resource]
	bought := c.rec.Resource == resource
	if c.rec.Spent || c.rec.Remaining == 0 || !c.rec.ValidUntil.IsZero() && !now.Before(c.rec.ValidUntil) ||
		!bought && (tried && !opens || c.rec.Scheme == challenge.Payment) {
		return -1
	}
	rank := 0
	if bought || opens {
		rank = 2
	}
	if !fresh {
		rank++
	}
	return rank
}

// Opens reports whether the credential was bought for a resource or has opened it.
func (c *Credential) Opens(resource string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.rec.Resource == resource || c.opens[resource]
}

// fresh reports whether the seller's first answer is still to come. A fresh credential may be good for one request
// alone, and that one is its buyer's.
func (c *Credential) fresh() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.rec.Accepted && !c.answered && !c.rec.Mistrusted && c.rec.Remaining < 0
}

// land ends the turn in which the credential was presented, if any.
func (c *Credential) land() {
	if c == nil {
		return
	}
	if release := c.landed.Swap(nil); release != nil {
		(*release)()
	}
}

// Find returns the credential to present for a resource of an origin, other than those already tried, or nil: one that is
// known to open it before one that may, and of these one that was answered before a fresh one.
func (c *Client) Find(ctx context.Context, origin, resource string, tried ...*Credential) (best *Credential) {
	c.mu.RLock()
	all, loaded := c.origins[origin]
	c.mu.RUnlock()
	if !loaded {
		all, _ = c.load(ctx, origin)
	}
	most, now := -1, c.cfg.Now()
	for _, cred := range all {
		if rank := cred.rank(resource, now); rank > most && !slices.Contains(tried, cred) {
			best, most = cred, rank
		}
	}
	return best
}

// load reads the credentials of an origin, which another process may have bought or used, and keeps what this process
// learned of those already loaded.
func (c *Client) load(ctx context.Context, origin string) (all []*Credential, err error) {
	recs, err := c.cfg.Journal.Credentials(ctx, origin)
	if err != nil {
		c.cfg.Log.Error("cannot read the credentials", slog.Any("error", err))
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	have := c.origins[origin]
	for _, rec := range recs {
		cred := newCredential(rec)
		if i := slices.IndexFunc(have, func(known *Credential) bool { return known.rec.ID == rec.ID }); i >= 0 {
			cred = have[i]
			cred.mu.Lock()
			cred.rec.Merge(rec)
			cred.mu.Unlock()
		}
		all = append(all, cred)
	}
	c.origins[origin] = all
	return all, nil
}

// update merges an update into the record of a credential, here and in the journal, and returns the record as it was.
func (c *Client) update(cred *Credential, change journal.Credential) (before journal.Credential) {
	cred.mu.Lock()
	before = cred.rec
	cred.rec.Merge(change)
	after := cred.rec
	cred.mu.Unlock()
	if after != before {
		if err := c.cfg.Journal.Update(context.Background(), after); err != nil {
			c.cfg.Log.Error("cannot write down what is left", slog.Any("error", err))
		}
	}
	return before
}
