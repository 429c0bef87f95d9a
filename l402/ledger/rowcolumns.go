package ledger

import "errors"

// rowColumns are the columns that scanRow reads.
const rowColumns = `hash, credits, expires_at, serial, live, first_used, last_used, revoked_at, recent, ` +
	`sale, price, sold_at, reimbursed_at, branches`

// A scanner is a row of a result.
type scanner interface{ Scan(...any) error }

func scanRow(from scanner) (*row, error) {
	r := &row{stored: true}
	var hash, live, deliveries, nested []byte
	err := from.Scan(&hash, &r.credits, &r.expiresAt, &r.serial, &live, &r.firstUsed, &r.lastUsed, &r.revokedAt, &deliveries,
		&r.sale, &r.price, &r.soldAt, &r.reimbursedAt, &nested)
	if err != nil {
		return nil, err
	}
	if len(hash) != len(r.hash) {
		return nil, errors.New("a payment hash is not 32 bytes long")
	}
	copy(r.hash[:], hash)
	if r.live, err = parseSerials(live); err != nil {
		return nil, err
	}
	if r.deliveries, err = parseDeliveries(deliveries); err != nil {
		return nil, err
	}
	r.branches, err = parseBranches(nested)
	return r, err
}
