package journal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// step changes the purchase with a hash if it is in a state, and is on disk, behind the records that change returns, when
// it returns.
func (j *Journal) step(ctx context.Context, doing, hash string, from State, change func(*Purchase) []record) error {
	return wrap(doing, j.locked(ctx, func() error {
		p, ok := j.purchases[hash]
		if !ok || p.State != from {
			return ErrUnknown
		}
		with := change(&p)
		return j.write(append(with, newPurchaseRecord(p))...)
	}))
}

func wrap(doing string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return nil
}

// A Budget bounds reserved and paid amounts together, in millisatoshis with fees. 0 is no bound.
type Budget struct {
	HostDay, Day, Total int64
	DayBegins           time.Time
}

// OverLimit is the error of a purchase that does not fit into a limit.
type OverLimit struct {
	Limit   string // "host and day", "day" or "all"
	Allowed int64
	Taken   int64 // already spent or set aside
	Needed  int64
}

// Error implements error.
func (e *OverLimit) Error() string {
	return fmt.Sprintf("%d of %d millisatoshis for %s are taken, and %d are needed", e.Taken, e.Allowed, e.Limit, e.Needed)
}

// Begin sets amount and fee limit of a purchase aside, and writes down that the wallet is asked to pay next. It returns
// ErrUnknown for a hash that is paid, or may be, and an *OverLimit for a purchase that goes over a limit.
func (j *Journal) Begin(ctx context.Context, p Purchase, limits Budget, now time.Time) error {
	return wrap("write down that the payment begins", j.locked(ctx, func() error {
		if j.purchases[p.Hash].State.counts() {
			return ErrUnknown
		}
		if err := j.checkLimits(p.Host, p.ReservedMilliSats, limits); err != nil {
			return err
		}
		p.State, p.ReservedAt = Paying, now
		return j.write(newPurchaseRecord(p))
	}))
}

func (j *Journal) checkLimits(host string, need int64, limits Budget) error {
	taken := j.taken(host, limits.DayBegins)
	for _, l := range []struct {
		name           string
		allowed, taken int64
	}{
		{"host and day", limits.HostDay, taken.HostDay}, {"day", limits.Day, taken.Day}, {"all", limits.Total, taken.Total},
	} {
		if l.allowed > 0 && need > l.allowed-l.taken {
			return &OverLimit{Limit: l.name, Allowed: l.allowed, Taken: l.taken, Needed: need}
		}
	}
	return nil
}

// taken sums payments with fees, and reservations.
func (j *Journal) taken(host string, day time.Time) Budget {
	sum := Budget{DayBegins: day}
	for _, p := range j.purchases {
		if !p.State.counts() {
			continue
		}
		amount := p.ReservedMilliSats
		if p.State == Paid || p.State == Used {
			amount = p.AmountMilliSats + p.FeeMilliSats
		}
		sum.Total += amount
		if p.ReservedAt.Before(day) {
			continue
		}
		sum.Day += amount
		if p.Host == host {
			sum.HostDay += amount
		}
	}
	return sum
}

// Taken returns the amounts spent or reserved since a day began: at a host, at all hosts, and at any time.
func (j *Journal) Taken(ctx context.Context, host string, day time.Time) (sum Budget, err error) {
	return sum, wrap("sum the payments", j.locked(ctx, func() error {
		sum = j.taken(host, day)
		return nil
	}))
}

// Fits reports as an *OverLimit that a payment would not fit into the limits now. It sets nothing aside.
func (j *Journal) Fits(ctx context.Context, host string, need int64, limits Budget) error {
	return j.locked(ctx, func() error { return j.checkLimits(host, need, limits) })
}

// Paid writes down the preimage and the credential that it makes, in one step.
func (j *Journal) Paid(
	ctx context.Context, hash, preimage string, feeMilliSats int64, c Credential, now time.Time,
) error {
	return j.step(ctx, "write down the preimage", hash, Paying, func(p *Purchase) []record {
		p.State, p.Preimage, p.FeeMilliSats, p.PaidAt, p.Reason = Paid, preimage, feeMilliSats, now, ""
		return []record{{Credential: &c}} // after half of the step, the payment is still open
	})
}

// Fail records that nothing was paid for a purchase, which frees its reservation.
func (j *Journal) Fail(ctx context.Context, hash, reason string) error {
	return j.step(ctx, "write down that the payment failed", hash, Paying, func(p *Purchase) []record {
		p.State, p.ReservedMilliSats, p.Reason = Failed, 0, reason
		return nil
	})
}

// Use writes down that the seller accepted the credential, with the receipt that came along, if any.
func (j *Journal) Use(ctx context.Context, hash, receipt string, now time.Time) error {
	err := j.step(ctx, "write down the use", hash, Paid, func(p *Purchase) []record {
		p.State, p.UsedAt, p.Receipt = Used, now, receipt
		return nil
	})
	if errors.Is(err, ErrUnknown) {
		return nil // it was used before
	}
	return err
}

// Open returns the purchases whose outcome is not written down yet, the oldest first.
func (j *Journal) Open(ctx context.Context) ([]Purchase, error) {
	return j.list(ctx, func(p Purchase) bool { return p.State != Paying })
}

// Receipts returns the payments, settled or pending, the oldest first.
func (j *Journal) Receipts(ctx context.Context) ([]Purchase, error) {
	return j.list(ctx, func(p Purchase) bool { return !p.State.counts() })
}

// list returns the purchases without those that drop names, the oldest first.
func (j *Journal) list(ctx context.Context, drop func(Purchase) bool) (list []Purchase, err error) {
	err = j.locked(ctx, func() error {
		list = slices.DeleteFunc(slices.Collect(maps.Values(j.purchases)), drop)
		return nil
	})
	slices.SortFunc(list, func(a, b Purchase) int {
		return cmp.Or(a.ReservedAt.Compare(b.ReservedAt), cmp.Compare(a.Hash, b.Hash))
	})
	return list, wrap("read the journal", err)
}
