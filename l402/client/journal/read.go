package journal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

const columns = `hash, state, origin, host, method, resource, scheme, invoice, network, payee, description, challenge, amount, fee, reserved,
	preimage, reason, receipt, seen_at, reserved_at, paid_at, used_at, expires_at`

func scan(rows interface{ Scan(...any) error }) (Purchase, error) {
	var p Purchase
	var seen, reserved, paid, used, expires int64
	err := rows.Scan(&p.Hash, &p.State, &p.Origin, &p.Host, &p.Method, &p.Resource, &p.Scheme, &p.Invoice, &p.Network, &p.Payee, &p.Description,
		&p.Challenge, &p.AmountMilliSats, &p.FeeMilliSats, &p.ReservedMilliSats, &p.Preimage, &p.Reason, &p.Receipt, &seen, &reserved, &paid, &used, &expires)
	p.SeenAt, p.ReservedAt, p.PaidAt, p.UsedAt, p.InvoiceExpiresAt = unstamp(seen), unstamp(reserved), unstamp(paid), unstamp(used), unstamp(expires)
	return p, err
}

func (j *Journal) purchases(ctx context.Context, where string, args ...any) ([]Purchase, error) {
	rows, err := j.db.QueryContext(ctx, `SELECT `+columns+` FROM purchases WHERE `+where, args...)
	if err != nil {
		return nil, fmt.Errorf("read the journal: %w", err)
	}
	defer rows.Close()
	var all []Purchase
	for rows.Next() {
		p, err := scan(rows)
		if err != nil {
			return nil, fmt.Errorf("read the journal: %w", err)
		}
		all = append(all, p)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read the journal: %w", err)
	}
	return all, nil
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

// Receipts returns what was paid since a moment, and what may yet be, the oldest first.
func (j *Journal) Receipts(ctx context.Context, since time.Time) ([]Purchase, error) {
	return j.purchases(ctx, `state IN ('paying', 'paid', 'used') AND reserved_at >= ? ORDER BY reserved_at, hash`, stamp(since))
}
