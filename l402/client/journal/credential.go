package journal

import (
	"cmp"
	"context"
	"slices"
)

// saved returns the record of a credential that was bought or given. What is known of one with its id stays, but for its
// value and the place where it works.
func (j *Journal) saved(c Credential) record {
	if known, ok := j.file.credentials[c.ID]; ok {
		known.Value, known.Origin, known.Resource, known.Spent = c.Value, c.Origin, c.Resource, c.Spent
		c = known
	}
	return record{Credential: &c}
}

// Save keeps a credential that somebody else bought.
func (j *Journal) Save(ctx context.Context, c Credential) error {
	return wrap("keep the credential", j.file.locked(ctx, func() error { return j.file.write(j.saved(c)) }))
}

// change changes the credential with an id, if change returns true. It returns ErrUnknown if there is none.
func (j *Journal) change(ctx context.Context, doing, id string, change func(*Credential) bool) error {
	return wrap(doing, j.file.locked(ctx, func() error {
		c, ok := j.file.credentials[id]
		if !ok {
			return ErrUnknown
		}
		if !change(&c) {
			return nil
		}
		return j.file.write(record{Credential: &c})
	}))
}

// Forget records that a credential opens nothing any more. The receipt of its payment stays.
func (j *Journal) Forget(ctx context.Context, id string) error {
	forgotten := false
	err := j.change(ctx, "forget the credential", id, func(c *Credential) bool {
		forgotten, c.Spent = !c.Spent, true
		return forgotten
	})
	if err == nil && !forgotten {
		return wrap("forget the credential", ErrUnknown)
	}
	return err
}

// Credentials returns the credentials for an origin that may still open something, the newest first; "" is every
// origin.
func (j *Journal) Credentials(ctx context.Context, origin string) (list []Credential, err error) {
	err = j.file.locked(ctx, func() error {
		for _, c := range j.file.credentials {
			if !c.Spent && (c.Origin == origin || origin == "") {
				list = append(list, c)
			}
		}
		return nil
	})
	slices.SortFunc(list, func(a, b Credential) int { return cmp.Or(b.BoughtAt.Compare(a.BoughtAt), cmp.Compare(a.ID, b.ID)) })
	return list, wrap("read the journal", err)
}

// Present writes down that a credential is presented next. first is whether it never was before.
func (j *Journal) Present(ctx context.Context, id string) (first bool, err error) {
	err = j.change(ctx, "write down that the credential is presented", id, func(c *Credential) bool {
		first, c.Presented = !c.Presented, true
		return first
	})
	return first, err
}

// Learn takes over news of the credential. The balance only shrinks, and spent stays spent, whichever process learned it
// first.
func (c *Credential) Learn(news Credential) {
	if news.Total > 0 {
		c.Total = news.Total
	}
	if news.Remaining >= 0 && (c.Remaining < 0 || news.Remaining < c.Remaining) {
		c.Remaining = news.Remaining
	}
	if c.ValidUntil.IsZero() {
		c.ValidUntil = news.ValidUntil
	}
	c.Presented = c.Presented || news.Presented
	c.Accepted = c.Accepted || news.Accepted
	c.Mistrusted = c.Mistrusted || news.Mistrusted
	c.Spent = c.Spent || news.Spent
}

// Update records news of a credential.
func (j *Journal) Update(ctx context.Context, c Credential) error {
	return j.change(ctx, "write down what is left of the credential", c.ID, func(known *Credential) bool {
		before := *known
		known.Learn(c)
		return *known != before
	})
}
