package ledger

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"slices"
	"strconv"

	"almanac/l402"

	"github.com/lightningnetwork/lnd/lntypes"
)

// errStale reports that another process wrote in the meantime.
var errStale = errors.New("another process wrote to the ledger")

// update runs f in a transaction on the state that the cache holds, or returns errStale. Whatever f changes of that state must be
// announced to other processes by a log record.
func (s *sqliteStore) update(ctx context.Context, f func(tx *sql.Tx) error) error {
	if err := s.load(ctx); err != nil {
		return err
	}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var version int64
	if err := tx.QueryRowContext(ctx, "SELECT max(id) FROM log").Scan(&version); err != nil {
		return err
	}
	if version != s.version {
		return errStale
	}
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// retry repeats f, with a fresh cache, while it returns errStale.
func (s *sqliteStore) retry(f func() error) error {
	err := errStale
	for try := 0; errors.Is(err, errStale) && try < maxTries; try++ {
		if err = f(); err != nil {
			s.loaded = false
		}
	}
	return err
}

// move writes the n oldest states of the log to the table of accounts, and deletes the records that hold nothing else.
func (s *sqliteStore) move(ctx context.Context, n int) error {
	n = min(n, len(s.queue))
	var current []*row
	for _, l := range s.queue[:n] {
		if l.loggedAt == l.id {
			current = append(current, l.row)
		}
	}
	// In the order of the table, rows that share a page are written together.
	slices.SortFunc(current, func(a, b *row) int { return bytes.Compare(a.hash[:], b.hash[:]) })
	keep := s.version // the last record stays, because of its id
	if n < len(s.queue) {
		keep = s.queue[n].id
	}
	err := s.update(ctx, func(tx *sql.Tx) error {
		if err := writeRows(ctx, tx, current); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "DELETE FROM log WHERE id < ?", keep)
		return err
	})
	if err != nil {
		return err
	}
	for _, r := range current {
		r.loggedAt = 0
	}
	s.queue = append(s.queue[:0], s.queue[n:]...)
	return nil
}

const sqliteWrite = `INSERT INTO accounts (` + rowColumns + `, used)
	SELECT unhex(value->>0), value->>1, value->>2, value->>3, unhex(value->>4), value->>5, value->>6, value->>7, unhex(value->>8),
		value->>9, value->>10, value->>11, value->>12, unhex(value->>13), value->>14
	FROM json_each(?) WHERE true
	ON CONFLICT (hash) DO UPDATE SET credits = excluded.credits, expires_at = excluded.expires_at,
		serial = excluded.serial, live = excluded.live, first_used = excluded.first_used,
		last_used = excluded.last_used, revoked_at = excluded.revoked_at, recent = excluded.recent,
		sale = excluded.sale, price = excluded.price, sold_at = excluded.sold_at, reimbursed_at = excluded.reimbursed_at,
		branches = excluded.branches, used = excluded.used`

// writeRows writes accounts in one statement, whose parameter is one JSON text: the driver parses a statement each time it runs,
// which costs more than a row.
func writeRows(ctx context.Context, tx *sql.Tx, rs []*row) error {
	if len(rs) == 0 {
		return nil
	}
	b := []byte{'['}
	var field []byte
	numbers := func(list ...int64) {
		for _, n := range list {
			b = strconv.AppendInt(append(b, ','), n, 10)
		}
	}
	for i, r := range rs {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendHexString(append(b, '['), r.hash[:])
		numbers(r.credits, r.expiresAt, r.serial)
		field = r.live.appendBinary(field[:0])
		b = appendHexString(append(b, ','), field)
		numbers(r.firstUsed, r.lastUsed, r.revokedAt)
		field = appendDeliveries(field[:0], r.deliveries)
		b = appendHexString(append(b, ','), field)
		numbers(r.sale, r.price, r.soldAt, r.reimbursedAt)
		field = r.branches.appendBinary(field[:0])
		b = appendHexString(append(b, ','), field)
		numbers(int64(r.live.count()))
		b = append(b, ']')
	}
	_, err := tx.ExecContext(ctx, sqliteWrite, string(append(b, ']')))
	return err
}

// hashesJSON returns payment hashes as a JSON array of hexadecimal strings.
func hashesJSON(hashes map[lntypes.Hash]bool) string {
	b := []byte{'['}
	for h := range hashes {
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = appendHexString(b, h[:])
	}
	return string(append(b, ']'))
}

func appendHexString(b, data []byte) []byte {
	return append(hex.AppendEncode(append(b, '"'), data), '"')
}

// accounts lists accounts from the table, after moving all logged states there.
func (s *sqliteStore) accounts(ctx context.Context, after lntypes.Hash, limit int) (accounts []l402.Account, err error) {
	err = s.retry(func() error {
		if err := s.load(ctx); err != nil {
			return err
		}
		if err := s.move(ctx, len(s.queue)); err != nil {
			return err
		}
		found, err := s.db.QueryContext(ctx, "SELECT "+rowColumns+" FROM accounts WHERE hash > ? ORDER BY hash LIMIT ?", after[:], limit)
		if err != nil {
			return err
		}
		defer found.Close()
		accounts = []l402.Account{}
		for found.Next() {
			r, err := scanRow(found)
			if err != nil {
				return err
			}
			accounts = append(accounts, r.account())
		}
		return found.Err()
	})
	return accounts, err
}

// prune deletes at most pruneStep accounts that ended by the given time, and returns their number.
func (s *sqliteStore) prune(ctx context.Context, before int64) (n int64, err error) {
	err = s.retry(func() error {
		if err := s.load(ctx); err != nil {
			return err
		}
		if err := s.move(ctx, len(s.queue)); err != nil {
			return err
		}
		return s.update(ctx, func(tx *sql.Tx) error {
			const old = `SELECT hash FROM accounts WHERE expires_at > 0 AND expires_at <= ?1 ORDER BY expires_at LIMIT ?2`
			if _, err := tx.ExecContext(ctx, `INSERT INTO pruned_sales (`+totalColumns+`)
				`+totals("accounts WHERE hash IN ("+old+")")+`
				ON CONFLICT (day, sale) DO UPDATE SET `+addTotals("pruned_sales"), before, pruneStep); err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, `UPDATE pruned SET horizon = max(horizon,
				coalesce((SELECT max(expires_at) FROM accounts WHERE hash IN (`+old+`)), 0))`, before, pruneStep); err != nil {
				return err
			}
			res, err := tx.ExecContext(ctx, `DELETE FROM accounts WHERE hash IN (`+old+`)`, before, pruneStep)
			if err != nil {
				return err
			}
			if n, err = res.RowsAffected(); err != nil || n == 0 {
				return err
			}
			// A record without a state tells other processes that their caches are stale. The states before it are in the table, or were just deleted.
			_, err = tx.ExecContext(ctx, "INSERT INTO log VALUES (?1, x''); DELETE FROM log WHERE id < ?1", s.version+1)
			return err
		})
	})
	s.loaded = false
	return n, err
}

// sales adds up all accounts, after moving all logged states to their table.
func (s *sqliteStore) sales(ctx context.Context, at int64) (days []l402.DayOfSales, err error) {
	err = s.retry(func() error {
		if err := s.load(ctx); err != nil {
			return err
		}
		if err := s.move(ctx, len(s.queue)); err != nil {
			return err
		}
		found, err := s.db.QueryContext(ctx, salesQuery("accounts", "pruned_sales", "?1"), at)
		if err != nil {
			return err
		}
		defer found.Close()
		days = []l402.DayOfSales{}
		for found.Next() {
			d, err := scanDay(found)
			if err != nil {
				return err
			}
			days = append(days, d)
		}
		return found.Err()
	})
	return days, err
}

// adopt checks and records master keys.
func (s *sqliteStore) adopt(ctx context.Context, keys []l402.KeyID) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	known, err := keyIDs(ctx, tx)
	if err != nil {
		return err
	}
	if !mayAdopt(known, keys) {
		return l402.ErrForeignKeys
	}
	for _, k := range keys {
		if _, err := tx.ExecContext(ctx, "INSERT INTO master_keys VALUES (?) ON CONFLICT DO NOTHING", k[:]); err != nil {
			return err
		}
	}
	return tx.Commit()
}

func keyIDs(ctx context.Context, tx *sql.Tx) ([]l402.KeyID, error) {
	found, err := tx.QueryContext(ctx, "SELECT id FROM master_keys")
	if err != nil {
		return nil, err
	}
	defer found.Close()
	var ids []l402.KeyID
	for found.Next() {
		id, err := scanKeyID(found)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, found.Err()
}

func scanKeyID(from scanner) (id l402.KeyID, err error) {
	var b []byte
	if err := from.Scan(&b); err != nil {
		return id, err
	}
	if copy(id[:], b) != len(id) {
		return id, errors.New("the id of a master key is damaged")
	}
	return id, nil
}
