package ledger

import (
	"bytes"
	"context"
	"database/sql"
	"errors"

	"github.com/lightningnetwork/lnd/lntypes"
)

const maxTries = 100 // when other processes write at the same time

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

// try settles the batch. It reports false when another process has written since the cache was read.
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
			s.queue = append(s.queue, loggedRow{r, id})
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

// current reports whether the cache is up to date.
func (s *sqliteStore) current(ctx context.Context) (bool, error) {
	var version int64
	err := s.db.QueryRowContext(ctx, "SELECT max(id) FROM log").Scan(&version)
	return version == s.version, err
}

// wasWritten reports whether the record was written although the write returned an error, which it returns otherwise.
func (s *sqliteStore) wasWritten(ctx context.Context, id int64, cause error) (bool, error) {
	var entries []byte
	err := s.db.QueryRowContext(ctx, "SELECT entries FROM log WHERE id = ?", id).Scan(&entries)
	if err == nil && bytes.Equal(entries, s.record) {
		s.version = id
		return true, nil
	}
	return false, cause
}

// load reads the log unless the cache holds the state of the file.
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
	s.version, err = readLog(ctx, tx, sqliteVersion, func(r *row, id int64) {
		if older := s.cache[r.hash]; older != nil {
			older.loggedAt = 0 // move must not write it over this one
		}
		r.loggedAt = id
		s.cache[r.hash] = r
		s.queue = append(s.queue, loggedRow{r, id})
	})
	if err != nil {
		return err
	}
	s.loaded = true
	return nil
}

// fetch reads the accounts that ops touch into the cache. Those in the log are there already.
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

// makeRoom keeps the cache and the log within their bounds. What fails here is tried again with the next batch.
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

// tidy implements store: when nothing else is to do, the log is emptied.
func (s *sqliteStore) tidy(ctx context.Context) (more bool) {
	if !s.loaded || len(s.queue) == 0 {
		return false
	}
	if err := s.move(ctx, 8*s.step); err != nil {
		s.loaded = false
		return false // the next batch reads the log, and the committer calls tidy again
	}
	return len(s.queue) > 0
}

// resolve implements store. No commit is ever in doubt here: apply finds out itself.
func (s *sqliteStore) resolve(context.Context, *inDoubtError) (bool, error) { return false, nil }
