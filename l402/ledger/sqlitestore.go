package ledger

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/lightningnetwork/lnd/lntypes"
)

// A sqliteStore settles batches in a cache of accounts and makes each durable as one record in a log: one short
// statement and one sync, however many accounts it touches. The table of accounts follows later, when many records have
// made the same account's state obsolete.
//
// The records' ids are unbroken, so the next id is also a lock without waiting: whoever writes it has seen all others. When another
// process took it first, the insertion fails, the cache is read anew, and the batch is settled again.
type sqliteStore struct {
	db *sql.DB
	sqliteBounds

	loaded  bool  // what follows is the state of the file
	version int64 // the id of the last record
	horizon int64 // the latest end of a pruned account
	cache   rows
	queue   []logged // oldest first

	record []byte // of the current batch
}

// A logged account has its state in a log record. It is outdated once the account is in a later one.
type logged struct {
	*row
	id int64
}

// sqliteBounds keep memory and log small.
type sqliteBounds struct {
	cached int // accounts, about 200 bytes each
	logged int // states in the log before some are moved to the table
	step   int // states moved at once, beside those above the bound
}

var usualBounds = sqliteBounds{cached: 1 << 16, logged: 1 << 15, step: 1 << 11}

const maxTries = 100 // against other processes

// apply implements store.
func (s *sqliteStore) apply(ctx context.Context, ops []*op) error {
	for range maxTries {
		done, err := s.try(ctx, ops)
		if err != nil {
			s.loaded = false
			return err
		}
		if done {
			return s.makeRoom(ctx, len(ops))
		}
		s.loaded = false
	}
	return errors.New("other processes write too often")
}

// try settles the batch, unless another process wrote since the cache was read.
func (s *sqliteStore) try(ctx context.Context, ops []*op) (done bool, err error) {
	if err := s.load(ctx); err != nil {
		return false, err
	}
	if err := s.fetch(ctx, ops); err != nil {
		return false, err
	}
	s.cache.settle(ops, s.horizon)
	id := s.version + 1
	s.record = s.record[:0]
	for _, o := range ops {
		if r := s.cache[o.hash]; r.dirty {
			s.record = appendRow(s.record, r)
			r.dirty, r.stored, r.loggedAt = false, true, id
			s.queue = append(s.queue, logged{r, id})
		}
	}
	if len(s.record) == 0 {
		return s.current(ctx)
	}
	res, err := s.db.Exec("INSERT INTO log VALUES (?, ?) ON CONFLICT DO NOTHING", id, s.record)
	if err != nil {
		return s.wasWritten(ctx, id, err)
	}
	n, err := res.RowsAffected()
	if err == nil && n == 1 {
		s.version = id
		return true, nil
	}
	return false, err
}

// current reports whether the cache is as new as the file.
func (s *sqliteStore) current(ctx context.Context) (bool, error) {
	var version int64
	err := s.db.QueryRowContext(ctx, "SELECT max(id) FROM log").Scan(&version)
	return version == s.version, err
}

// wasWritten finds out whether the record was written although writing it failed. If it cannot, that is an error.
func (s *sqliteStore) wasWritten(ctx context.Context, id int64, cause error) (bool, error) {
	var entries []byte
	err := s.db.QueryRowContext(ctx, "SELECT entries FROM log WHERE id = ?", id).Scan(&entries)
	if err == nil && bytes.Equal(entries, s.record) {
		s.version = id
		return true, nil
	}
	return false, cause
}

// load reads the log, unless the cache is known to be the state of the file.
func (s *sqliteStore) load(ctx context.Context) error {
	if s.loaded {
		return nil
	}
	s.cache, s.queue = make(rows), nil
	tx, err := s.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := tx.QueryRowContext(ctx, "SELECT horizon FROM pruned").Scan(&s.horizon); err != nil {
		return err
	}
	records, err := tx.QueryContext(ctx, "SELECT id, entries FROM log ORDER BY id")
	if err != nil {
		return err
	}
	defer records.Close()
	for records.Next() {
		var entries []byte
		if err := records.Scan(&s.version, &entries); err != nil {
			return err
		}
		for len(entries) > 0 {
			var r *row
			if r, entries, err = parseRow(entries); err != nil {
				return fmt.Errorf("record %d: %w", s.version, err)
			}
			r.loggedAt = s.version
			s.cache[r.hash] = r
			s.queue = append(s.queue, logged{r, s.version})
		}
	}
	if err := records.Err(); err != nil {
		return err
	}
	s.loaded = true
	return nil
}

// fetch puts the accounts that ops are about into the cache. Those in the log are there already.
func (s *sqliteStore) fetch(ctx context.Context, ops []*op) error {
	missing := make(map[lntypes.Hash]bool)
	for _, o := range ops {
		if s.cache[o.hash] == nil {
			missing[o.hash] = true
		}
	}
	if len(missing) == 0 {
		return nil
	}
	found, err := s.db.QueryContext(ctx, "SELECT "+rowColumns+" FROM accounts WHERE hash IN (SELECT unhex(value) FROM json_each(?))",
		hashesJSON(missing))
	if err != nil {
		return err
	}
	defer found.Close()
	for found.Next() {
		r, err := scanRow(found)
		if err != nil {
			return err
		}
		s.cache[r.hash] = r
	}
	return found.Err()
}

// makeRoom keeps cache and log bounded. What fails here will be tried again with the next batch.
func (s *sqliteStore) makeRoom(ctx context.Context, n int) error {
	if len(s.queue) > s.logged {
		if err := s.move(ctx, len(s.queue)-s.logged+s.step); err != nil {
			s.loaded = false
		}
	}
	if len(s.cache) <= s.cached {
		return nil
	}
	for hash, r := range s.cache {
		if r.loggedAt == 0 {
			delete(s.cache, hash)
			if n--; n < 0 {
				break
			}
		}
	}
	return nil
}

// tidy implements store: in quiet moments the log is emptied.
func (s *sqliteStore) tidy(ctx context.Context) (more bool) {
	if !s.loaded || len(s.queue) == 0 {
		return false
	}
	if err := s.move(ctx, 8*s.step); err != nil {
		s.loaded = false
		return false // the next batch will read the log and bring us here again
	}
	return len(s.queue) > 0
}

// resolve implements store. There is no doubt here: apply finds out itself.
func (s *sqliteStore) resolve(context.Context, *doubt) (bool, error) { return false, nil }
