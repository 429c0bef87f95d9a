package ledger

import (
	"bytes"
	"slices"
	"time"

	"go.almanac.example/l402"

	"github.com/lightningnetwork/lnd/lntypes"
)

// A row is an account as it is stored. Times are Unix seconds, 0 for never.
type row struct {
	hash      lntypes.Hash
	credits   int64
	expiresAt int64
	serial    int64   // of the last debit
	live      serials // debits not given back
	// deliveries are the named requests of the last minute, oldest first.
	deliveries []delivery
	firstUsed  int64
	lastUsed   int64
	revokedAt  int64

	sale         int64 // an l402.SaleKind
	price        int64 // in satoshis
	soldAt       int64
	reimbursedAt int64
	branches     branches

	stored bool  // the account is in the store
	dirty  bool  // the row must be written
	damage error // why the stored lists cannot be read, or nil
}

// rows are the accounts that a batch of operations touches.
type rows map[lntypes.Hash]*row

// values returns the row in the order of rowColumns, followed by the number of credits in use.
func (r *row) values() []any {
	return []any{
		r.hash[:], r.credits, r.expiresAt, r.serial, r.live.appendBinary([]byte{}), r.firstUsed, r.lastUsed, r.revokedAt,
		appendDeliveries([]byte{}, r.deliveries), r.sale, r.price, r.soldAt, r.reimbursedAt,
		r.branches.appendBinary([]byte{}), int64(r.live.count()),
	}
}

// spend takes one credit. horizon is the latest end of an account that was pruned: an account that ended by then may be
// one of those, so it never gets a fresh account.
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
		return l402.Receipt{}, err
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
	r.branches.take(d.Budgets)
	return l402.Receipt{Hash: r.hash, Serial: r.serial, Used: used + 1, Branches: r.branches.uses(d.Budgets)}, nil
}

// sell records how the account came about.
func (r *row) sell(s l402.Sale) {
	if s.Kind != l402.SaleUnknown {
		r.sale, r.price, r.soldAt = int64(s.Kind), s.PriceSats, s.At.Unix()
	}
}

// create creates a granted account unless there is one.
func (r *row) create(g *l402.Account) {
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

// settle applies the operations in order, in memory, and returns the rows that must be written, in the order of their
// hashes.
func (rs rows) settle(ops []*op, horizon int64) (changed []*row) {
	for _, o := range ops {
		r := rs[o.hash]
		if r == nil {
			r = &row{hash: o.hash}
			rs[o.hash] = r
		}
		if o.receipt, o.err = (l402.Receipt{}), r.damage; r.damage == nil {
			o.receipt, o.err = o.change(r, horizon)
		}
	}
	for _, r := range rs {
		if r.dirty {
			changed = append(changed, r)
		}
	}
	slices.SortFunc(changed, func(a, b *row) int { return bytes.Compare(a.hash[:], b.hash[:]) })
	return changed
}

// hashesOf returns the payment hashes of the accounts that the operations touch, once each.
func hashesOf(ops []*op) [][]byte {
	var hashes [][]byte
	for _, o := range ops {
		hashes = append(hashes, o.hash[:])
	}
	slices.SortFunc(hashes, bytes.Compare)
	return slices.CompactFunc(hashes, bytes.Equal)
}
