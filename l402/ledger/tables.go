package ledger

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lightningnetwork/lnd/lntypes"

	"go.almanac.example/l402"
)

// tables are the statements that SQLite and PostgreSQL share. They are written as PostgreSQL has them, with @ before
// the names of tables.
type tables struct {
	db       *sql.DB
	dialect  *strings.Replacer
	lockKeys string // makes replicas that adopt keys take turns; SQLite's transactions do so by themselves
}

var (
	sqliteDialect   = strings.NewReplacer("@", "", "$", "?", "bytea", "BLOB", "bigint", "INTEGER", "''", "x''")
	postgresDialect = strings.NewReplacer("@", "almanac_")
)

func (t *tables) close() error { return t.db.Close() }

// update runs f in a transaction of a database or a connection. In SQLite it has the write lock from its beginning.
func update(
	ctx context.Context, begin func(context.Context, *sql.TxOptions) (*sql.Tx, error), f func(tx *sql.Tx) error,
) error {
	tx, err := begin(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// accountColumns and salesColumns define the columns of the two tables that the statements here are about.
const (
	accountColumns = `(
	hash       bytea  PRIMARY KEY,        -- of the payment
	credits    bigint NOT NULL,           -- bought
	used       bigint NOT NULL,           -- the number of debits in live; for people who read the table
	expires_at bigint NOT NULL,           -- Unix seconds, as all times; 0: revoked before its first use
	serial     bigint NOT NULL,           -- of the last debit
	live       bytea  NOT NULL,           -- debits not given back, as runs
	first_used bigint NOT NULL,
	last_used  bigint NOT NULL,
	revoked_at bigint NOT NULL,           -- 0: not revoked
	recent     bytea  NOT NULL,           -- deliveries: the named requests of the last minute
	sale       bigint NOT NULL DEFAULT 0, -- 0: from before sales were recorded, 1: paid, 2: demo, 3: granted
	price      bigint NOT NULL DEFAULT 0, -- in satoshis
	sold_at    bigint NOT NULL DEFAULT 0,
	reimbursed_at bigint NOT NULL DEFAULT 0, -- 0: not paid back
	branches   bytea  NOT NULL DEFAULT '' -- branches in use, each with its credits
)`
	salesColumns = ` (
	day        bigint NOT NULL, -- since 1970-01-01, 0: not known
	sale       bigint NOT NULL, -- as in accounts
	accounts   bigint NOT NULL,
	sats       bigint NOT NULL,
	credits    bigint NOT NULL,
	used       bigint NOT NULL,
	reimbursed bigint NOT NULL,
	reimbursed_sats bigint NOT NULL,
	PRIMARY KEY (day, sale)
)`
)

// rowColumns are the columns that scanRow reads.
const rowColumns = `hash, credits, expires_at, serial, live, first_used, last_used, revoked_at, recent, ` +
	`sale, price, sold_at, reimbursed_at, branches`

// terms returns a term for each of the columns, in which COLUMN stands for its name.
func terms(columns, term string) string {
	all := strings.Split(columns, ", ")
	for i, column := range all {
		all[i] = strings.ReplaceAll(term, "COLUMN", column)
	}
	return strings.Join(all, ", ")
}

// assignments returns the assignments that update every column but the hash from a table.
func assignments(table string) string {
	return terms(strings.TrimPrefix(rowColumns, "hash, ")+", used", "COLUMN = "+table+".COLUMN")
}

// A scanner is a row of a result.
type scanner interface{ Scan(...any) error }

func scanRow(from scanner) (*row, error) {
	r := new(row)
	var hash, live, deliveries, nested []byte
	err := from.Scan(&hash, &r.credits, &r.expiresAt, &r.serial, &live, &r.firstUsed, &r.lastUsed, &r.revokedAt,
		&deliveries, &r.sale, &r.price, &r.soldAt, &r.reimbursedAt, &nested)
	if err != nil {
		return nil, err
	}
	if len(hash) != len(r.hash) {
		return nil, errors.New("a payment hash is not 32 bytes long")
	}
	copy(r.hash[:], hash)
	if err := r.parseLists(live, deliveries, nested); err != nil {
		r.damage = fmt.Errorf("%w: %s: %w", l402.ErrDamaged, r.hash, err)
	}
	return r, nil
}

// parseLists completes a row that is stored.
func (r *row) parseLists(live, deliveries, nested []byte) error {
	var errs [3]error
	r.live, errs[0] = parseSerials(live)
	r.deliveries, errs[1] = parseDeliveries(deliveries)
	r.branches, errs[2] = parseBranches(nested)
	r.stored = true
	return errors.Join(errs[:]...)
}

// mayAdopt reports whether a ledger that was used with the known keys may be used with keys.
func mayAdopt(known, keys []l402.KeyID) bool {
	return len(known) == 0 || slices.ContainsFunc(keys, func(k l402.KeyID) bool { return slices.Contains(known, k) })
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

// A querier is a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// list returns the rows of a result.
func list[T any](
	ctx context.Context, db querier, scan func(scanner) (T, error), query string, args ...any,
) ([]T, error) {
	found, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	all := []T{}
	for found.Next() {
		one, err := scan(found)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, found.Err()
}

const selectRow = "SELECT " + rowColumns + " FROM @accounts WHERE hash = $1"

func (t *tables) account(ctx context.Context, hash lntypes.Hash) (*row, error) {
	r, err := scanRow(t.db.QueryRowContext(ctx, t.dialect.Replace(selectRow), hash[:]))
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return r, err
}

func (t *tables) accounts(ctx context.Context) ([]*row, error) {
	return list(ctx, t.db, scanRow, t.dialect.Replace("SELECT "+rowColumns+" FROM @accounts ORDER BY hash"))
}

func (t *tables) sales(ctx context.Context, at int64) ([]l402.DayOfSales, error) {
	return list(ctx, t.db, scanDay, t.dialect.Replace(salesQuery()), at)
}

func (t *tables) latest(ctx context.Context) (time.Time, error) {
	var seconds int64
	err := t.db.QueryRowContext(ctx, t.dialect.Replace("SELECT coalesce(max(last_used), 0) FROM @accounts")).Scan(&seconds)
	return fromUnix(seconds), err
}

func (t *tables) adopt(ctx context.Context, keys []l402.KeyID) error {
	return update(ctx, t.db.BeginTx, func(tx *sql.Tx) error {
		if t.lockKeys != "" {
			if _, err := tx.ExecContext(ctx, t.lockKeys); err != nil {
				return err
			}
		}
		known, err := list(ctx, tx, scanKeyID, t.dialect.Replace("SELECT id FROM @master_keys"))
		if err != nil {
			return err
		}
		if !mayAdopt(known, keys) {
			return l402.ErrForeignKeys
		}
		for _, k := range keys {
			if _, err := tx.ExecContext(ctx,
				t.dialect.Replace("INSERT INTO @master_keys VALUES ($1) ON CONFLICT DO NOTHING"), k[:]); err != nil {
				return err
			}
		}
		return nil
	})
}

// totalColumns are the columns of the table of pruned sales: its key, and sums.
const (
	totalColumns = "day, sale, " + sumColumns
	sumColumns   = "accounts, sats, credits, used, reimbursed, reimbursed_sats"
)

// totals returns the query for those columns over the accounts of a table that meet a condition. An account that was
// revoked and never used is not a sale: nobody knows whether it was paid for.
func totals(table, condition string) string {
	return `SELECT sold_at / 86400, sale, count(*), coalesce(sum(price), 0), coalesce(sum(credits), 0), coalesce(sum(used), 0),
		coalesce(sum(CASE WHEN reimbursed_at > 0 THEN 1 ELSE 0 END), 0), coalesce(sum(CASE WHEN reimbursed_at > 0 THEN price ELSE 0 END), 0)
		FROM ` + table + ` WHERE ` + isSale + ` AND ` + condition + ` GROUP BY 1, 2`
}

// isSale is the condition for an account that was used or granted.
const isSale = `(first_used > 0 OR sale > 0)`

// addTotals returns the assignments that add the totals of an upsert to those of a table.
func addTotals(table string) string {
	return terms(sumColumns, "COLUMN = "+table+".COLUMN + excluded.COLUMN")
}

// salesQuery returns the query for the totals of all accounts, and of the credits open at the time in $1.
func salesQuery() string {
	sums := terms(sumColumns+", open, open_msat", "CAST(sum(COLUMN) AS bigint)") // PostgreSQL's sum of integers is no integer
	return `SELECT day, sale, ` + sums + ` FROM (
			SELECT ` + totalColumns + `, 0 AS open, 0 AS open_msat FROM @pruned_sales
		UNION ALL
			SELECT t.*, 0, 0 FROM (` + totals("@accounts", "true") + `) AS t
		UNION ALL
			SELECT sold_at / 86400, sale, 0, 0, 0, 0, 0, 0, sum(credits - used),
				sum(CASE WHEN credits > 0 THEN price * 1000 * (credits - used) / credits ELSE 0 END)
			FROM @accounts WHERE ` + isSale + ` AND revoked_at = 0 AND expires_at > $1 GROUP BY 1, 2
		) AS s GROUP BY day, sale ORDER BY day, sale`
}

// scanDay reads a row of salesQuery.
func scanDay(from scanner) (d l402.DayOfSales, err error) {
	var day int64
	err = from.Scan(&day, &d.Kind, &d.Accounts, &d.Sats, &d.Credits, &d.Used, &d.Reimbursed, &d.ReimbursedSats,
		&d.OpenCredits, &d.OpenMilliSats)
	if day > 0 {
		d.Day = time.Unix(day*86400, 0).UTC()
	}
	return d, err
}

// errStored means that a list in an account is not as it was written.
var errStored = errors.New("a stored account is damaged")

// A decoder reads values stored in binary. Damaged ones read as zero, and nothing follows them.
type decoder struct {
	rest    []byte
	damaged bool
}

// bytes reads so many bytes.
func (d *decoder) bytes(n uint64) []byte {
	if n > uint64(len(d.rest)) {
		d.damage()
		return nil
	}
	b := d.rest[:n]
	d.rest = d.rest[n:]
	return b
}

func (d *decoder) uvarint() uint64 {
	n, size := binary.Uvarint(d.rest)
	if size <= 0 {
		d.damage()
		return 0
	}
	d.rest = d.rest[size:]
	return n
}

func (d *decoder) varint() int64 {
	n := d.uvarint()
	return int64(n>>1) ^ -int64(n&1) // zigzag, as binary.AppendVarint writes it
}

func (d *decoder) damage() { d.rest, d.damaged = nil, true }

func (d *decoder) err() error {
	if d.damaged {
		return errStored
	}
	return nil
}
