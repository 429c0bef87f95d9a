package journal

import (
	"context"
	"database/sql"
	"fmt"
)

type execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

func save(ctx context.Context, db execer, c Credential) error {
	_, err := db.ExecContext(ctx, `INSERT INTO credentials (id, origin, resource, scheme, header, value, total, remaining, valid_until, bought_at, presented, accepted, mistrusted, spent)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET value = excluded.value, origin = excluded.origin, resource = excluded.resource, spent = excluded.spent`,
		c.ID, c.Origin, c.Resource, c.Scheme, c.Header, c.Value, c.Total, c.Remaining, stamp(c.ValidUntil), stamp(c.BoughtAt), c.Presented, c.Accepted, c.Mistrusted, c.Spent)
	if err != nil {
		return fmt.Errorf("keep the credential: %w", err)
	}
	return nil
}

// Save keeps a credential that somebody else bought.
func (j *Journal) Save(ctx context.Context, c Credential) error { return save(ctx, j.db, c) }

// Credentials returns the credentials for an origin that may still open something, the newest first.
func (j *Journal) Credentials(ctx context.Context, origin string) ([]Credential, error) {
	rows, err := j.db.QueryContext(ctx, `SELECT id, origin, resource, scheme, header, value, total, remaining, valid_until, bought_at, presented, accepted, mistrusted, spent
		FROM credentials WHERE origin = ? AND spent = 0 ORDER BY bought_at DESC, id`, origin)
	if err != nil {
		return nil, fmt.Errorf("read the credentials: %w", err)
	}
	defer rows.Close()
	var all []Credential
	for rows.Next() {
		var c Credential
		var until, bought int64
		if err := rows.Scan(&c.ID, &c.Origin, &c.Resource, &c.Scheme, &c.Header, &c.Value, &c.Total, &c.Remaining, &until, &bought,
			&c.Presented, &c.Accepted, &c.Mistrusted, &c.Spent); err != nil {
			return nil, fmt.Errorf("read the credentials: %w", err)
		}
		c.ValidUntil, c.BoughtAt = unstamp(until), unstamp(bought)
		all = append(all, c)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read the credentials: %w", err)
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

// Update writes down what is left of a credential. What is left only shrinks, and spent stays spent, whichever process learned it first.
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
