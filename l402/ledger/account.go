package ledger

import (
	"time"

	"almanac/l402"
)

// spend takes one credit. horizon is the latest end of an account that was pruned: what ended by then may have been one of
// those, so it never gets a fresh account.
func (r *row) spend(d *l402.Debit, horizon int64) (l402.Receipt, error) {
	end, now := d.ExpiresAt.Unix(), d.At.Unix()
	if r.revokedAt != 0 {
		if r.expiresAt == 0 { // revoked before its first use: now it is known how long to remember that
			r.credits, r.expiresAt, r.dirty = int64(d.Credits), end, true
			r.sell(d.Sale)
		}
		return l402.Receipt{}, l402.ErrRevoked
	}
	credits, born := int64(d.Credits), !r.stored && !r.dirty
	if !born {
		credits, end = r.credits, r.expiresAt
	}
	if now >= end || end <= horizon {
		return l402.Receipt{}, l402.ErrExpired
	}
	used := r.live.count()
	name := nameWithin(d.Request, d.Budgets)
	serial, charged, err := r.deliver(name, now)
	switch {
	case err != nil:
		return l402.Receipt{}, l402.ErrRepeated
	case charged:
		return l402.Receipt{Hash: r.hash, Serial: serial, Used: used, Branches: r.branches.uses(d.Budgets)}, nil
	}
	if int64(used) >= min(credits, int64(d.Limit)) {
		return l402.Receipt{}, l402.ErrExhausted
	}
	if err := r.branches.check(d.Budgets); err != nil {
		return l402.Receipt{}, err
	}
	if born {
		r.sell(d.Sale)
	}
	if r.serial == 0 {
		r.firstUsed = now
	}
	r.credits, r.expiresAt, r.lastUsed, r.dirty = credits, end, now, true
	r.serial++
	r.live = r.live.push(r.serial)
	r.remember(name, now)
	return l402.Receipt{Hash: r.hash, Serial: r.serial, Used: used + 1, Branches: r.branches.take(d.Budgets)}, nil
}

// sell records how the account came about.
func (r *row) sell(s l402.Sale) {
	if s.Kind != l402.SaleUnknown {
		r.sale, r.price, r.soldAt = int64(s.Kind), s.PriceSats, s.At.Unix()
	}
}

// grant creates the account unless there is one.
func (r *row) grant(g *l402.Account) {
	if !r.stored && !r.dirty {
		r.credits, r.expiresAt, r.dirty = int64(g.Credits), g.ExpiresAt.Unix(), true
		r.sell(g.Sale)
	}
}

// reimburse ends the account, and records that it is paid back. Only the first time is recorded.
func (r *row) reimburse(at int64) {
	r.revoke(at)
	if r.reimbursedAt == 0 {
		r.reimbursedAt, r.dirty = at, true
	}
}

// revoke ends the account. Only the first time is recorded.
func (r *row) revoke(at int64) {
	if r.revokedAt == 0 {
		r.revokedAt, r.dirty = at, true
	}
}

// account returns the row as other packages see it.
func (r *row) account() l402.Account {
	return l402.Account{
		Hash:         r.hash,
		Credits:      int(r.credits),
		Used:         r.live.count(),
		ExpiresAt:    fromUnix(r.expiresAt),
		FirstUsed:    fromUnix(r.firstUsed),
		LastUsed:     fromUnix(r.lastUsed),
		RevokedAt:    fromUnix(r.revokedAt),
		Sale:         l402.Sale{Kind: l402.SaleKind(r.sale), PriceSats: r.price, At: fromUnix(r.soldAt)},
		ReimbursedAt: fromUnix(r.reimbursedAt),
		Branches:     r.branches.all(nil),
	}
}

func fromUnix(seconds int64) time.Time {
	if seconds == 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}

// settle applies the operations in order, in memory.
func (rs rows) settle(ops []*op, horizon int64) {
	for _, o := range ops {
		r := rs.at(o.hash)
		switch o.kind {
		case opSpend:
			o.receipt, o.err = r.spend(&o.debit, horizon)
		case opRefund:
			r.refund(o.serial, o.branches)
		case opRevoke:
			r.revoke(o.at)
		case opReimburse:
			r.reimburse(o.at)
		case opGrant:
			r.grant(o.account)
		case opRead:
			a := r.account()
			o.account, o.err = &a, nil
			if !r.stored && !r.dirty {
				o.err = l402.ErrUnknownAccount
			}
		}
	}
}
