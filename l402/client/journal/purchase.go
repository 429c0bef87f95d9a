package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// See writes down a challenge that may be paid. A hash that was seen before and not paid is seen anew.
func (j *Journal) See(ctx context.Context, p Purchase) error {
	res, err := j.db.ExecContext(ctx, `INSERT INTO purchases (hash, state, origin, host, method, resource, scheme, invoice, network, payee, description,
			challenge, amount, seen_at, expires_at)
		VALUES (?, 'seen', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (hash) DO UPDATE SET state = 'seen', origin = excluded.origin, host = excluded.host, method = excluded.method,
			resource = excluded.resource, scheme = excluded.scheme, challenge = excluded.challenge, seen_at = excluded.seen_at, reason = ''
		WHERE state IN ('seen', 'failed')`,
		p.Hash, p.Origin, p.Host, p.Method, p.Resource, p.Scheme, p.Invoice, p.Network, p.Payee, p.Description,
		p.Challenge, p.AmountMilliSats, stamp(p.SeenAt), stamp(p.InvoiceExpiresAt))
	return step("write down the challenge", res, err)
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

// Reserve sets amount and fee limit aside, unless that goes over a limit: then the error is an *OverLimit.
func (j *Journal) Reserve(ctx context.Context, hash string, need int64, limits Budget, now time.Time) error {
	return j.update(ctx, "set the payment aside", func(tx *sql.Tx) error {
		var host string
		err := tx.QueryRowContext(ctx, `SELECT host FROM purchases WHERE hash = ?`, hash).Scan(&host)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return ErrUnknown
		case err != nil:
			return fmt.Errorf("set the payment aside: %w", err)
		}
		if err := checkLimits(ctx, tx, host, need, limits); err != nil {
			return err
		}
		res, err := tx.ExecContext(ctx,
			`UPDATE purchases SET state = 'reserved', reserved = ?, reserved_at = ? WHERE hash = ? AND state = 'seen'`,
			need, stamp(now), hash)
		return step("set the payment aside", res, err)
	})
}

// update runs f in a transaction. Its own errors begin with doing.
func (j *Journal) update(ctx context.Context, doing string, f func(*sql.Tx) error) error {
	tx, err := j.db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	defer tx.Rollback()
	if err := f(tx); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return nil
}

func checkLimits(ctx context.Context, q queryer, host string, need int64, limits Budget) error {
	taken, err := taken(ctx, q, host, limits.DayBegins)
	if err != nil {
		return err
	}
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

type queryer interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// taken sums payments with fees, and reservations.
func taken(ctx context.Context, q queryer, host string, day time.Time) (Budget, error) {
	const open = `CASE WHEN state IN ('paid', 'used') THEN amount + fee ELSE reserved END`
	l := Budget{DayBegins: day}
	err := q.QueryRowContext(ctx, `SELECT
			coalesce(sum(`+open+`) FILTER (WHERE reserved_at >= ?1 AND host = ?2), 0),
			coalesce(sum(`+open+`) FILTER (WHERE reserved_at >= ?1), 0),
			coalesce(sum(`+open+`), 0)
		FROM purchases WHERE state IN ('reserved', 'paying', 'paid', 'used')`, stamp(day), host).Scan(&l.HostDay,
		&l.Day, &l.Total)
	if err != nil {
		return l, fmt.Errorf("sum the payments: %w", err)
	}
	return l, nil
}

// Taken returns the amounts spent or reserved since a day began: at a host, at all hosts, and at any time.
func (j *Journal) Taken(ctx context.Context, host string, day time.Time) (Budget, error) {
	return taken(ctx, j.db, host, day)
}

// Fits reports as an *OverLimit that a payment would not fit into the limits now. It sets nothing aside.
func (j *Journal) Fits(ctx context.Context, host string, need int64, limits Budget) error {
	return checkLimits(ctx, j.db, host, need, limits)
}

// Pay writes down that the wallet is asked to pay next. Only a reserved purchase may be paid.
func (j *Journal) Pay(ctx context.Context, hash string) error {
	res, err := j.db.ExecContext(ctx, `UPDATE purchases SET state = 'paying' WHERE hash = ? AND state = 'reserved'`, hash)
	return step("write down that the payment begins", res, err)
}

// Paid writes down the preimage and the credential that it makes, in one step.
func (j *Journal) Paid(
	ctx context.Context, hash, preimage string, feeMilliSats int64, c Credential, now time.Time,
) error {
	return j.update(ctx, "write down the preimage", func(tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx,
			`UPDATE purchases SET state = 'paid', preimage = ?, fee = ?, paid_at = ?, reason = '' WHERE hash = ? AND state = 'paying'`,
			preimage, feeMilliSats, stamp(now), hash)
		if err := step("write down the preimage", res, err); err != nil {
			return err
		}
		return save(ctx, tx, c)
	})
}

// Fail records that nothing was paid for a purchase, which frees its reservation. A purchase in any other state than
// from is left alone.
func (j *Journal) Fail(ctx context.Context, hash string, from State, reason string) error {
	res, err := j.db.ExecContext(ctx,
		`UPDATE purchases SET state = 'failed', reserved = 0, reason = ? WHERE hash = ? AND state = ? AND state IN ('seen', 'reserved', 'paying')`, reason, hash, from)
	return step("write down that the payment failed", res, err)
}

// Use writes down that the seller accepted the credential, with the receipt that came along, if any.
func (j *Journal) Use(ctx context.Context, hash, receipt string, now time.Time) error {
	_, err := j.db.ExecContext(ctx,
		`UPDATE purchases SET state = 'used', used_at = ?, receipt = ? WHERE hash = ? AND state = 'paid'`, stamp(now),
		receipt, hash)
	if err != nil {
		return fmt.Errorf("write down the use: %w", err)
	}
	return nil
}

// step turns the result of an update into an error.
func step(what string, res sql.Result, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if n, err := res.RowsAffected(); err != nil || n != 1 {
		return fmt.Errorf("%s: %w", what, errors.Join(ErrUnknown, err))
	}
	return nil
}

type execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

func save(ctx context.Context, db execer, c Credential) error {
	_, err := db.ExecContext(ctx, `INSERT INTO credentials (id, origin, resource, scheme, header, value, total, remaining, valid_until, bought_at, presented, accepted, mistrusted, spent)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET value = excluded.value, origin = excluded.origin, resource = excluded.resource, spent = excluded.spent`,
		c.ID, c.Origin, c.Resource, c.Scheme, c.Header, c.Value, c.Total, c.Remaining, stamp(c.ValidUntil),
		stamp(c.BoughtAt), c.Presented, c.Accepted, c.Mistrusted, c.Spent)
	if err != nil {
		return fmt.Errorf("keep the credential: %w", err)
	}
	return nil
}

// Save keeps a credential that somebody else bought.
func (j *Journal) Save(ctx context.Context, c Credential) error { return save(ctx, j.db, c) }

// Forget records that a credential opens nothing any more. The receipt of its payment stays.
func (j *Journal) Forget(ctx context.Context, id string) error {
	res, err := j.db.ExecContext(ctx, `UPDATE credentials SET spent = 1 WHERE id = ? AND spent = 0`, id)
	return step("forget the credential", res, err)
}

// Credentials returns the credentials for an origin that may still open something, the newest first; "" is every
// origin.
func (j *Journal) Credentials(ctx context.Context, origin string) ([]Credential, error) {
	return list(ctx, j.db, scanCredential, `SELECT id, origin, resource, scheme, header, value, total, remaining, valid_until, bought_at,
		presented, accepted, mistrusted, spent FROM credentials WHERE (origin = ?1 OR ?1 = '') AND spent = 0 ORDER BY bought_at DESC, id`, origin)
}

func scanCredential(row scanner) (c Credential, err error) {
	var until, bought int64
	err = row.Scan(&c.ID, &c.Origin, &c.Resource, &c.Scheme, &c.Header, &c.Value, &c.Total, &c.Remaining, &until, &bought,
		&c.Presented, &c.Accepted, &c.Mistrusted, &c.Spent)
	c.ValidUntil, c.BoughtAt = unstamp(until), unstamp(bought)
	return c, err
}

type scanner interface{ Scan(...any) error }

// list returns the rows of a result.
func list[T any](
	ctx context.Context, db *sql.DB, scan func(scanner) (T, error), query string, args ...any,
) (all []T, err error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("read the journal: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, fmt.Errorf("read the journal: %w", err)
		}
		all = append(all, one)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read the journal: %w", err)
	}
	return all, nil
}

// Present writes down that a credential is presented next. first is whether it never was before.
func (j *Journal) Present(ctx context.Context, id string) (first bool, err error) {
	res, err := j.db.ExecContext(ctx, `UPDATE credentials SET presented = 1 WHERE id = ? AND presented = 0`, id)
	if err != nil {
		return false, fmt.Errorf("write down that the credential is presented: %w", err)
	}
	n, err := res.RowsAffected()
	return n == 1, err
}

// Update records the balance of a credential. The balance only shrinks, and spent stays spent, whichever process
// learned it first.
func (j *Journal) Update(ctx context.Context, c Credential) error {
	_, err := j.db.ExecContext(ctx, `UPDATE credentials SET
			total = CASE WHEN ?1 > 0 THEN ?1 ELSE total END,
			remaining = CASE WHEN ?2 < 0 THEN remaining WHEN remaining < 0 THEN ?2 ELSE min(remaining, ?2) END,
			valid_until = CASE WHEN ?3 > 0 THEN ?3 ELSE valid_until END,
			accepted = max(accepted, ?4), mistrusted = max(mistrusted, ?5), spent = max(spent, ?6)
		WHERE id = ?7`, c.Total, c.Remaining, stamp(c.ValidUntil), c.Accepted, c.Mistrusted, c.Spent, c.ID)
	if err != nil {
		return fmt.Errorf("write down what is left of the credential: %w", err)
	}
	return nil
}

const columns = `hash, state, origin, host, method, resource, scheme, invoice, network, payee, description, challenge, amount, fee, reserved,
	preimage, reason, receipt, seen_at, reserved_at, paid_at, used_at, expires_at`

func scan(rows scanner) (Purchase, error) {
	var p Purchase
	var seen, reserved, paid, used, expires int64
	err := rows.Scan(&p.Hash, &p.State, &p.Origin, &p.Host, &p.Method, &p.Resource, &p.Scheme, &p.Invoice, &p.Network,
		&p.Payee, &p.Description,
		&p.Challenge, &p.AmountMilliSats, &p.FeeMilliSats, &p.ReservedMilliSats, &p.Preimage, &p.Reason, &p.Receipt,
		&seen, &reserved, &paid, &used, &expires)
	p.SeenAt, p.ReservedAt, p.PaidAt, p.UsedAt, p.InvoiceExpiresAt = unstamp(seen), unstamp(reserved), unstamp(paid),
		unstamp(used), unstamp(expires)
	return p, err
}

func (j *Journal) purchases(ctx context.Context, where string, args ...any) ([]Purchase, error) {
	return list(ctx, j.db, scan, `SELECT `+columns+` FROM purchases WHERE `+where, args...)
}

// Open returns the purchases whose outcome is not written down yet, the oldest first.
func (j *Journal) Open(ctx context.Context) ([]Purchase, error) {
	return j.purchases(ctx, `state IN ('seen', 'reserved', 'paying') ORDER BY seen_at, hash`)
}

// Purchase returns the purchase with a payment hash, or ErrUnknown.
func (j *Journal) Purchase(ctx context.Context, hash string) (Purchase, error) {
	p, err := scan(j.db.QueryRowContext(ctx, `SELECT `+columns+` FROM purchases WHERE hash = ?`, hash))
	if errors.Is(err, sql.ErrNoRows) {
		return p, ErrUnknown
	}
	if err != nil {
		return p, fmt.Errorf("read the journal: %w", err)
	}
	return p, nil
}

// Receipts returns the payments since a moment, settled or pending, the oldest first.
func (j *Journal) Receipts(ctx context.Context, since time.Time) ([]Purchase, error) {
	return j.purchases(ctx, `state IN ('paying', 'paid', 'used') AND reserved_at >= ? ORDER BY reserved_at, hash`,
		stamp(since))
}
