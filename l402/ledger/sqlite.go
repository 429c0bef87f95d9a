package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"modernc.org/sqlite" // the driver "sqlite"
	sqlitelib "modernc.org/sqlite/lib"
)

// A sqliteDatabase is one file behind one connection for batches and one for all else. Other processes may have the file
// open too. Each batch is a transaction that reads the accounts it touches and writes those that changed.
type sqliteDatabase struct {
	tables
	file string

	mu    sync.Mutex // while there is a transaction of conn
	conn  *sql.Conn
	batch statements // of conn
	files *sqliteFiles
}

// statements are those of batches, each parsed once.
type statements struct {
	begin, commit, rollback, horizon, read, debit, write *sql.Stmt
	all                                                  []*sql.Stmt
}

// openSQLite opens the file, and creates it, readable by its owner alone, if there is none.
func openSQLite(ctx context.Context, file string) (database, error) {
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("ledger: %w", err)
	}
	if err = f.Close(); err != nil {
		return nil, fmt.Errorf("ledger: %w", err)
	}
	db := openFile(sqliteDSN(file))
	db.SetMaxOpenConns(2)
	s := &sqliteDatabase{tables: tables{db: db, dialect: sqliteDialect}, file: file}
	if err = update(ctx, db.BeginTx, func(tx *sql.Tx) error { return migrateSQLite(ctx, tx) }); err == nil {
		s.conn, err = db.Conn(ctx)
	}
	if err == nil {
		s.batch, err = prepare(ctx, s.conn.PrepareContext)
	}
	if err == nil {
		s.files, err = openSQLiteFiles(file)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("ledger %s: %w", file, err), s.close())
	}
	return s, nil
}

func (s *sqliteDatabase) close() error {
	var errs []error
	for _, stmt := range s.batch.all { // without which SQLite would keep the file open
		errs = append(errs, stmt.Close())
	}
	if s.conn != nil {
		errs = append(errs, s.conn.Close())
	}
	errs = append(errs, s.tables.close())
	if s.files != nil {
		errs = append(errs, s.files.close())
	}
	return errors.Join(errs...)
}

// prepare parses the statements of batches, which fails if a table or a column is missing.
func prepare(ctx context.Context, parse func(context.Context, string) (*sql.Stmt, error)) (s statements, err error) {
	for query, to := range map[string]**sql.Stmt{"BEGIN IMMEDIATE": &s.begin, "COMMIT": &s.commit, "ROLLBACK": &s.rollback,
		sqliteHorizon: &s.horizon, sqliteRead: &s.read, sqliteDebit: &s.debit, sqliteWrite: &s.write} {
		if *to, err = parse(ctx, query); err != nil {
			return s, err
		}
		s.all = append(s.all, *to)
	}
	return s, nil
}

// lockTimeout bounds the wait for another process that has the write lock, through busyTimeout.
const lockTimeout = 4 * time.Second

var busyTimeout = fmt.Sprintf("busy_timeout(%d)", lockTimeout.Milliseconds())

// sqliteDSN returns the data source name of a file, with the settings that make a commit durable: FULL syncs the
// write-ahead log at every commit (https://sqlite.org/pragma.html#pragma_synchronous). Transactions take the write lock
// when they begin, so none fails half-way because another wrote first.
func sqliteDSN(file string) string {
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(file)}).EscapedPath()}
	u.RawQuery = url.Values{
		"_pragma": {busyTimeout, "journal_mode(WAL)", "synchronous(FULL)", "cache_size(-16000)"},
		"_txlock": {"immediate"},
	}.Encode()
	return u.String()
}

// openFile returns the database of a data source name. The file is opened when it is used.
func openFile(dsn string) *sql.DB {
	db, _ := sql.Open("sqlite", dsn) // an error would be of the driver's name
	return db
}

func (s *sqliteDatabase) stores() []store { return []store{s} }

// transact runs f in a transaction of the connection for batches, on files that are in place. Through [sql.Tx] it would
// start two goroutines, and parse the beginning and the end.
func (s *sqliteDatabase) transact(ctx context.Context, f func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if end, ok := ctx.Deadline(); ok && time.Until(end) > lockTimeout {
		ctx = context.Background() // lockTimeout ends the wait for another process first, without a goroutine
	}
	_, err := s.batch.begin.ExecContext(ctx)
	if err == nil {
		err = f()
	}
	if err == nil {
		_, err = s.batch.commit.Exec()
	}
	if err == nil {
		s.files.committed()
		return nil
	}
	s.batch.rollback.Exec() // an error says that there is no transaction
	if errors.Is(err, errLogRemoved) {
		s.conn.ExecContext(context.Background(), "PRAGMA wal_checkpoint") // the debits in the log, which would end with this process
	}
	return err
}

// apply implements store.
func (s *sqliteDatabase) apply(ctx context.Context, ops []*op) error {
	return s.transact(ctx, func() error { return s.settle(ops, false) })
}

// settle decides operations and writes the accounts that they change. A probe looks at all files.
func (s *sqliteDatabase) settle(ops []*op, isProbe bool) error {
	if err := s.files.inPlace(isProbe); err != nil {
		return err
	}
	var horizon int64
	touched := make(rows)
	for _, hash := range hashesOf(ops) {
		r, err := scanRow(s.batch.read.QueryRow(hash))
		if err == nil {
			touched[r.hash] = r
			continue
		}
		if errors.Is(err, sql.ErrNoRows) { // it is new, or it was pruned
			err = s.batch.horizon.QueryRow().Scan(&horizon)
		}
		if err != nil {
			return err
		}
	}
	for _, r := range touched.settle(ops, horizon) {
		if r.stored {
			res, err := s.batch.debit.Exec(r.values()...)
			if err != nil {
				return err
			}
			if n, _ := res.RowsAffected(); n > 0 { // which SQLite always knows
				continue
			}
		}
		if _, err := s.batch.write.Exec(r.values()...); err != nil {
			return err
		}
	}
	return nil
}

// resolve implements store. No commit is ever in doubt here: SQLite says whether it took place.
func (s *sqliteDatabase) resolve(context.Context, *inDoubtError) (bool, error) { return false, nil }

const sqliteHorizon = "SELECT horizon FROM pruned"

var sqliteRead = sqliteDialect.Replace(selectRow)

var sqliteWrite = `INSERT INTO accounts (` + rowColumns + `, used) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
	ON CONFLICT (hash) DO UPDATE SET ` + assignments("excluded")

// sqliteDebit writes an account whose end has not changed, and so leaves the page of the index of ends alone: a commit
// writes half as much.
var sqliteDebit = func() string {
	var sets []string
	for i, column := range strings.Split(rowColumns+", used", ", ") {
		if column != "hash" && column != "expires_at" {
			sets = append(sets, fmt.Sprintf("%s = ?%d", column, i+1))
		}
	}
	return "UPDATE accounts SET " + strings.Join(sets, ", ") + " WHERE hash = ?1 AND expires_at = ?3"
}()

func (s *sqliteDatabase) prune(ctx context.Context, before int64) (n int64, err error) {
	err = update(ctx, s.db.BeginTx, func(tx *sql.Tx) error {
		const old = `SELECT hash FROM accounts WHERE expires_at > 0 AND expires_at <= ?1 ORDER BY expires_at, hash LIMIT ?2`
		if _, err := tx.ExecContext(ctx, `INSERT INTO pruned_sales (`+totalColumns+`)
			`+totals("accounts", "hash IN ("+old+")")+`
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
		n, err = res.RowsAffected()
		return err
	})
	return n, err
}

// ready debits an account that nobody has, takes that back, and writes as much as a batch does, because reading also
// works on a full disk. Setting a column to the value that it has would write nothing.
func (s *sqliteDatabase) ready(ctx context.Context) error {
	return s.transact(ctx, func() error {
		probe := probeOp()
		if err := s.settle([]*op{probe}, true); err != nil {
			return err
		}
		if _, err := s.conn.ExecContext(context.Background(), "DELETE FROM accounts WHERE hash = ?", probe.hash[:]); err != nil {
			return err
		}
		_, err := s.conn.ExecContext(context.Background(), "UPDATE probe SET written = written + 1, filler = randomblob(8192)")
		return err
	})
}

// check reads every page of the file, beside the connection that debits.
func (s *sqliteDatabase) check(ctx context.Context) error {
	db := openFile(readOnlyDSN(s.file, false))
	defer db.Close()
	return checkSQLite(ctx, db)
}

// checkSQLite returns the first damage that SQLite finds (https://sqlite.org/pragma.html#pragma_integrity_check).
func checkSQLite(ctx context.Context, db *sql.DB) error {
	var result string
	err := db.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&result)
	if fault := (*sqlite.Error)(nil); errors.As(err, &fault) &&
		(fault.Code()&0xff == sqlitelib.SQLITE_CORRUPT || fault.Code()&0xff == sqlitelib.SQLITE_NOTADB) {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	if err != nil {
		return err
	}
	if result != "ok" {
		return fmt.Errorf("%w: %s", errDamaged, strings.Join(strings.Fields(result), " "))
	}
	return nil
}
