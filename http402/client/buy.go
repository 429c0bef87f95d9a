package client

import (
	"cmp"
	"context"
	"errors"
	"sync/atomic"
	"time"

	"go.almanac.example/http402/journal"
)

const (
	maxRaces = 3 // credentials lost to others, before the next is presented while others wait
	maxTried = 8 // credentials that are tried for one request
)

// Take is Find for the first attempt of a request. A fresh credential, whose buyer may still be on the way to the seller, is
// Buy's alone to give.
func (c *Client) Take(ctx context.Context, origin, resource string) *Credential {
	if cred := c.Find(ctx, origin, resource); cred != nil && !cred.fresh() {
		return cred
	}
	return nil
}

// Buy returns a credential that answers need: one that somebody bought meanwhile, or a new one, and then paid is true.
// tried are those that were refused. At most one purchase is made at an origin at a time, in this process and in every
// other that shares the journal.
//
// A caller that gets a credential calls Present, presents it, and then calls Accepted or Rejected: until the first answer to
// a new one, others wait for it. So they do when the request lost maxRaces credentials to others. A payment that has
// begun goes on when ctx ends, and the next caller finds its credential.
func (c *Client) Buy(ctx context.Context, need Need, tried ...*Credential) (cred *Credential, paid bool, err error) {
	if len(tried) >= maxTried {
		return nil, false, refuse(TooManyRounds, "not paid: %s refuses one credential after another; almanac credits lists them, and almanac forget drops one", need.Host)
	}
	end := takeOver(tried)
	if end == nil {
		if end, err = c.cfg.Journal.Turn(ctx, need.Origin); err != nil {
			if ctx.Err() != nil {
				return nil, false, refuse(CallerLeft, "not paid: %w", err)
			}
			return nil, false, refuse(JournalFault, "not paid, because the journal cannot be locked: %w", err)
		}
		cred := c.Find(ctx, need.Origin, need.Resource, tried...)
		if cred != nil && !cred.fresh() && len(tried) < maxRaces {
			end()
			return cred, false, nil
		}
	}
	var bought *Credential
	var made *journal.Purchase
	var refusal *Refusal
	o, done := new(order), make(chan struct{})
	c.working.Go(func() {
		defer close(done)
		bought, made, refusal = c.buyAlone(ctx, need, tried, o)
		if bought != nil && (bought.fresh() || len(tried) >= maxRaces) {
			bought.landed.Store(&end) // whether it is good for more than one request shows in the first answer
		} else {
			end()
		}
	})
	select {
	case <-done:
		if refusal != nil {
			return nil, false, refusal
		}
		if report, ok := ctx.Value(paidKey{}).(func(journal.Purchase)); ok && made != nil {
			report(*made)
		}
		return bought, made != nil, nil
	case <-ctx.Done():
		go func() {
			<-done
			bought.land()
		}()
		if o.cancel() {
			return nil, false, refuse(CallerLeft, "not paid: %w", ctx.Err())
		}
		return nil, false, refuse(Pending,
			"the wallet was told to pay %s, and nobody waits for the outcome; the next call asks for it: %w", need.Host,
			ctx.Err())
	}
}

// takeOver returns the end of the turn in which a credential was refused, or nil.
func takeOver(tried []*Credential) (end func()) {
	for _, cred := range tried {
		if landed := cred.landed.Swap(nil); landed != nil {
			return *landed
		}
	}
	return nil
}

// An order to pay is given to the wallet or cancelled, whichever comes first. The zero value is neither.
type order struct{ state atomic.Int32 }

// give reports whether the order may be given to the wallet.
func (o *order) give() bool { return o.state.CompareAndSwap(0, 1) || o.state.Load() == 1 }

// cancel reports whether the wallet will not get the order.
func (o *order) cancel() bool { return o.state.CompareAndSwap(0, 2) || o.state.Load() == 2 }

// buyAlone buys while nobody else buys at the origin.
func (c *Client) buyAlone(
	ctx context.Context, need Need, tried []*Credential, o *order,
) (*Credential, *journal.Purchase, *Refusal) {
	q, refusal := c.choose(need)
	if refusal == nil {
		refusal = c.approve(ctx, q)
	}
	if refusal != nil {
		o.cancel() // nor is an unfinished payment ordered again; but it is settled, and its credential may be enough
	}
	refusal = cmp.Or(refusal, c.resume(context.WithoutCancel(ctx), need.Origin, o))
	if _, err := c.load(context.WithoutCancel(ctx), need.Origin); err != nil {
		return nil, nil, refuse(JournalFault, "not paid, because the journal cannot be read: %w", err)
	}
	if cred := c.Find(ctx, need.Origin, need.Resource, tried...); cred != nil {
		return cred, nil, nil
	}
	switch {
	case refusal != nil:
		return nil, nil, refusal
	case ctx.Err() != nil:
		return nil, nil, refuse(CallerLeft, "not paid: %w", ctx.Err())
	}
	if refusal := c.unaccepted(tried, need.Resource); refusal != nil {
		return nil, nil, refusal
	}
	return c.purchase(context.WithoutCancel(ctx), q, o)
}

func (c *Client) approve(ctx context.Context, q *Quote) *Refusal {
	if err := c.cfg.Journal.Fits(ctx, q.Host, q.AmountMilliSats+q.FeeLimitMilliSats, c.limits()); err != nil {
		return overLimit(q.Host, err)
	}
	if c.cfg.Approve == nil {
		return nil
	}
	if err := c.cfg.Approve(ctx, *q); err != nil {
		return refuse(Declined, "not paid: %w", err)
	}
	return nil
}

// mistrustFor is the time for which a seller who refused a fresh credential is not paid again.
const mistrustFor = 24 * time.Hour

// unaccepted refuses to buy again from a seller who refused a paid credential.
func (c *Client) unaccepted(tried []*Credential, resource string) *Refusal {
	for _, cred := range tried {
		known := cred.snapshot()
		if !known.Mistrusted || known.Spent || known.Resource != resource {
			continue
		}
		if c.cfg.Now().Sub(known.BoughtAt) < mistrustFor {
			return refuse(NotAccepted, "not paid: the payment %s of %s for this was not accepted, and the seller asks for another; after almanac forget %s it is paid",
				known.ID, known.BoughtAt.UTC().Format(time.RFC3339), known.ID)
		}
		c.update(cred, journal.Credential{Remaining: -1, Spent: true})
	}
	return nil
}

// purchase reserves the price, pays, and stores the credential.
func (c *Client) purchase(ctx context.Context, q *Quote, o *order) (*Credential, *journal.Purchase, *Refusal) {
	p := q.Purchase
	if c.cfg.Wallet == nil {
		return nil, nil, refuse(WalletFault, "not paid: there is no wallet to pay %s with; set one (-wallet)", Sats(p.AmountMilliSats))
	}
	p.ReservedMilliSats, p.Wallet = p.AmountMilliSats+q.FeeLimitMilliSats, c.cfg.WalletName
	switch err := c.cfg.Journal.Begin(ctx, p, c.limits(), c.cfg.Now()); {
	case errors.Is(err, journal.ErrUnknown):
		return nil, nil, refuse(AlreadyPaid, "not paid: the seller asks for payment hash %s, which was paid before", p.Hash)
	case err != nil:
		return nil, nil, overLimit(p.Host, err)
	}
	c.step(journal.Paying, p.Hash)
	if !o.give() {
		c.fail(ctx, p.Hash, "the caller left before the wallet was asked to pay")
		return nil, nil, refuse(CallerLeft, "not paid: the caller left")
	}
	return c.pay(ctx, p, false)
}
