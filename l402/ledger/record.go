package ledger

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
)

// sqliteVersion is the version of the schema of SQLite and of the records in its log, kept in PRAGMA user_version.
const sqliteVersion = 4

// readLog hands over the states in the log, oldest first, and returns the id of the last record. Records have the form of the version.
func readLog(ctx context.Context, tx *sql.Tx, version int, found func(r *row, id int64)) (last int64, err error) {
	records, err := tx.QueryContext(ctx, "SELECT id, entries FROM log ORDER BY id")
	if err != nil {
		return 0, err
	}
	defer records.Close()
	for records.Next() {
		var entries []byte
		if err := records.Scan(&last, &entries); err != nil {
			return 0, err
		}
		for len(entries) > 0 {
			var r *row
			if r, entries, err = parseRow(version, entries); err != nil {
				return 0, fmt.Errorf("record %d: %w", last, err)
			}
			found(r, last)
		}
	}
	return last, records.Err()
}

// appendRow encodes the state of an account for the log: its hash, its numbers as varints, then its debits, its deliveries and its
// branches, each list preceded by its length. A change needs a new version of the schema and a case in upgradeLog.
func appendRow(b []byte, r *row) []byte {
	b = append(b, r.hash[:]...)
	for _, n := range [...]int64{
		r.credits, r.expiresAt, r.serial, r.firstUsed, r.lastUsed, r.revokedAt, // since the first version
		r.sale, r.price, r.soldAt, r.reimbursedAt,
	} {
		b = binary.AppendVarint(b, n)
	}
	var buf [64]byte // enough unless many debits were given back
	live := r.live.appendBinary(buf[:0])
	b = binary.AppendUvarint(b, uint64(len(live)))
	b = append(b, live...)
	deliveries := appendDeliveries(nil, r.deliveries)
	b = binary.AppendUvarint(b, uint64(len(deliveries)))
	b = append(b, deliveries...)
	if len(r.branches) == 0 {
		return append(b, 0)
	}
	nested := r.branches.appendBinary(nil)
	b = binary.AppendUvarint(b, uint64(len(nested)))
	return append(b, nested...)
}

// numbers returns the numbers of a row in the order of appendRow.
func (r *row) numbers() [10]*int64 {
	return [...]*int64{
		&r.credits, &r.expiresAt, &r.serial, &r.firstUsed, &r.lastUsed, &r.revokedAt,
		&r.sale, &r.price, &r.soldAt, &r.reimbursedAt,
	}
}

var errRecord = errors.New("a log record is damaged")

// parseRow reads one state from the front of b, which has the form of a version of the schema, and returns the bytes after it.
func parseRow(version int, b []byte) (*row, []byte, error) {
	r := &row{stored: true}
	if len(b) < len(r.hash) {
		return nil, nil, errRecord
	}
	b = b[copy(r.hash[:], b):]
	numbers := r.numbers()
	known := numbers[:]
	if version < 4 {
		known = numbers[:6] // before sales
	}
	for _, n := range known {
		v, size := binary.Varint(b)
		if size <= 0 {
			return nil, nil, errRecord
		}
		*n, b = v, b[size:]
	}
	live, b, err := cutField(b)
	if err != nil {
		return nil, nil, err
	}
	if r.live, err = parseSerials(live); err != nil {
		return nil, nil, err
	}
	if version < 2 {
		return r, b, nil // before deliveries
	}
	deliveries, b, err := cutField(b)
	if err != nil {
		return nil, nil, err
	}
	if r.deliveries, err = parseDeliveries(deliveries); err != nil || version < 4 {
		return r, b, err // before branches
	}
	nested, b, err := cutField(b)
	if err != nil {
		return nil, nil, err
	}
	r.branches, err = parseBranches(nested)
	return r, b, err
}

// cutField cuts a field, which is preceded by its length, from the front of b.
func cutField(b []byte) (field, rest []byte, err error) {
	length, size := binary.Uvarint(b)
	if size <= 0 || length > uint64(len(b)-size) {
		return nil, nil, errRecord
	}
	return b[size : size+int(length)], b[size+int(length):], nil
}
