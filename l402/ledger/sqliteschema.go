package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
)

// sqliteVersion is the version of the schema, which the file has in PRAGMA user_version, and sqliteBefore the one that is
// upgraded. No release wrote an older one.
const sqliteVersion, sqliteBefore = 5, 4

var sqliteSchema = sqliteDialect.Replace(`
CREATE TABLE accounts ` + accountColumns + `STRICT, WITHOUT ROWID;
CREATE INDEX accounts_by_end ON accounts (expires_at) WHERE expires_at > 0;
CREATE TABLE master_keys (id BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE TABLE pruned (horizon INTEGER NOT NULL) STRICT; -- the latest end of a pruned account
INSERT INTO pruned VALUES (0);
CREATE TABLE probe (written INTEGER NOT NULL, filler BLOB NOT NULL) STRICT; -- that Ready writes to, as much as a batch takes
INSERT INTO probe VALUES (0, zeroblob(8192));
CREATE TABLE pruned_sales ` + salesColumns + ` STRICT, WITHOUT ROWID; -- the totals of pruned accounts
`)

// migrateSQLite creates the tables in a new file, upgrades an older one, and refuses one from a later version of this
// program. Before an upgrade it copies the file, so that the older program can go back to that.
func migrateSQLite(ctx context.Context, db *sql.DB, file string) error {
	var version int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	if version == sqliteBefore {
		if err := Backup(ctx, "sqlite:"+file, copyBefore(file, version)); err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("copy it before its upgrade: %w", err)
		}
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	// another process may have upgraded it
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	switch {
	case version == sqliteVersion:
		return nil
	case version == 0:
		_, err = tx.ExecContext(ctx, sqliteSchema)
	case version == sqliteBefore:
		err = upgradeSQLite(ctx, tx)
	default:
		err = otherVersion(version)
	}
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", sqliteVersion)); err != nil {
		return err
	}
	return tx.Commit()
}

// copyBefore returns the name of the copy of a file of an older version.
func copyBefore(file string, version int) string { return fmt.Sprintf("%s.version-%d", file, version) }

// upgradeSQLite brings the tables from the version before to this one. The newest states of accounts were in a log, from
// which they move to the table.
func upgradeSQLite(ctx context.Context, tx *sql.Tx) error {
	logged, err := readLog(ctx, tx)
	if err != nil {
		return err
	}
	for _, r := range logged {
		if _, err := tx.ExecContext(ctx, sqliteWrite, r.values()...); err != nil {
			return err
		}
	}
	_, err = tx.ExecContext(ctx, "DROP TABLE log")
	return err
}

// otherVersion returns the error of a file that this program cannot read.
func otherVersion(version int) error {
	if version < sqliteBefore {
		return fmt.Errorf("its format is version %d, which no release wrote, and this program reads versions %d and %d: use the program that wrote it", version, sqliteBefore, sqliteVersion)
	}
	return fmt.Errorf("its format is version %d, but this program knows version %d: use the program that wrote it, or a later one", version, sqliteVersion)
}

// readLog returns the states in the log of a file of the version before, the newest of each account.
func readLog(ctx context.Context, tx *sql.Tx) (rows, error) {
	records, err := tx.QueryContext(ctx, "SELECT id, entries FROM log ORDER BY id")
	if err != nil {
		return nil, err
	}
	defer records.Close()
	logged := make(rows)
	for records.Next() {
		var id int64
		var entries []byte
		if err := records.Scan(&id, &entries); err != nil {
			return nil, err
		}
		for in := (decoder{rest: entries}); len(in.rest) > 0; {
			r, err := parseRow(&in)
			if err != nil {
				return nil, fmt.Errorf("log record %d: %w", id, err)
			}
			logged[r.hash] = r
		}
	}
	return logged, records.Err()
}

// parseRow reads one state: the hash, the numbers as varints, and lists, each preceded by its length.
func parseRow(in *decoder) (*row, error) {
	r := new(row)
	copy(r.hash[:], in.bytes(uint64(len(r.hash))))
	for _, n := range r.numbers() {
		*n = in.varint()
	}
	debits, delivered, within := in.bytes(in.uvarint()), in.bytes(in.uvarint()), in.bytes(in.uvarint())
	return r, errors.Join(in.err(), r.parseLists(debits, delivered, within))
}
