package journal

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
)

// Save keeps a credential that somebody else bought.
func (j *Journal) Save(ctx context.Context, c Credential) error {
	return wrap("keep the credential", j.locked(ctx, func() error { return j.write(record{Credential: &c}) }))
}

// change changes the credential with an id, and writes it with write if that made it another. It returns ErrUnknown if
// there is none.
func (j *Journal) change(
	ctx context.Context, doing, id string, change func(*Credential), write func(...record) error,
) (changed bool, err error) {
	return changed, wrap(doing, j.locked(ctx, func() error {
		before, ok := j.credentials[id]
		if !ok {
			return ErrUnknown
		}
		c := before
		if change(&c); c == before {
			return nil
		}
		changed = true
		return write(record{Credential: &c})
	}))
}

// Forget records that a credential, by its id, opens nothing any more. A payment with this hash whose outcome the wallet
// does not tell is given up: all that was reserved for it counts as spent, and lost is true. Receipts stay.
func (j *Journal) Forget(ctx context.Context, id string) (lost bool, err error) {
	err = j.step(ctx, "give the payment up", id, Paying, func(p *Purchase) []record {
		p.State, p.Reason = Lost, "given up by its buyer"
		return nil
	})
	if !errors.Is(err, ErrUnknown) {
		return err == nil, err
	}
	forgotten, err := j.change(ctx, "forget the credential", id, func(c *Credential) { c.Spent = true }, j.write)
	if err == nil && !forgotten {
		err = wrap("forget the credential", ErrUnknown)
	}
	return false, err
}

// Credentials returns the credentials for an origin that may still open something, the newest first; "" is every
// origin.
func (j *Journal) Credentials(ctx context.Context, origin string) (list []Credential, err error) {
	err = j.locked(ctx, func() error {
		list = slices.DeleteFunc(slices.Collect(maps.Values(j.credentials)), func(c Credential) bool {
			return c.Spent || c.Origin != origin && origin != ""
		})
		return nil
	})
	slices.SortFunc(list, func(a, b Credential) int { return cmp.Or(b.BoughtAt.Compare(a.BoughtAt), cmp.Compare(a.ID, b.ID)) })
	return list, wrap("read the journal", err)
}

// Present writes down that a credential is presented next. first is whether it never was before.
func (j *Journal) Present(ctx context.Context, id string) (first bool, err error) {
	return j.change(ctx, "write down that the credential is presented", id, func(c *Credential) { c.Presented = true }, j.write)
}

// Merge applies an update to the record. The balance only shrinks, and spent stays spent, in whichever order the updates
// of several processes arrive.
func (c *Credential) Merge(update Credential) {
	if update.Remaining >= 0 && (c.Remaining < 0 || update.Remaining < c.Remaining) {
		c.Remaining = update.Remaining
	}
	if c.ValidUntil.IsZero() {
		c.ValidUntil = update.ValidUntil
	}
	c.Presented = c.Presented || update.Presented
	c.Accepted = c.Accepted || update.Accepted
	c.Mistrusted = c.Mistrusted || update.Mistrusted
	c.Spent = c.Spent || update.Spent
}

// Update merges an update into the record of a credential. It does not wait for the disk: a power failure may lose it.
func (j *Journal) Update(ctx context.Context, c Credential) error {
	_, err := j.change(ctx, "write down what is left of the credential", c.ID, func(known *Credential) { known.Merge(c) }, j.add)
	return err
}
