package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// sqliteVersion is the version of the schema, which the file has in PRAGMA user_version.
const sqliteVersion = 5

var sqliteSchema = sqliteDialect.Replace(`
CREATE TABLE accounts `+accountColumns+`STRICT, WITHOUT ROWID;
CREATE INDEX accounts_by_end ON accounts (expires_at) WHERE expires_at > 0;
CREATE TABLE master_keys (id BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE TABLE pruned (horizon INTEGER NOT NULL) STRICT; -- the latest end of a pruned account
INSERT INTO pruned VALUES (0);
`) + sqliteProbe + sqlitePrunedSales

// sqliteProbe is the table that Ready writes to, as much as a batch takes.
const sqliteProbe = `
CREATE TABLE probe (written INTEGER NOT NULL, filler BLOB NOT NULL) STRICT;
INSERT INTO probe VALUES (0, zeroblob(8192));
`

// sqlitePrunedSales is the table of the totals of pruned accounts.
var sqlitePrunedSales = sqliteDialect.Replace("CREATE TABLE pruned_sales " + salesColumns + " STRICT, WITHOUT ROWID;\n")

// sqliteUpgrades bring the schema from the version of their index to the next one; 0 is an empty file.
var sqliteUpgrades = [...]string{
	1: `ALTER TABLE accounts ADD COLUMN recent BLOB NOT NULL DEFAULT x'';`,
	2: sqliteProbe,
	3: `
ALTER TABLE accounts ADD COLUMN sale INTEGER NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN price INTEGER NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN sold_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN reimbursed_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN branches BLOB NOT NULL DEFAULT x'';
` + sqlitePrunedSales,
	4: "",
}

// migrateSQLite creates the tables in a new file, upgrades an older one, and refuses one from a later version of this
// program. Before an upgrade it copies the file, so that the older program can go back to that.
func migrateSQLite(ctx context.Context, db *sql.DB, file string) error {
	var version int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	if 0 < version && version < sqliteVersion {
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
	case 0 < version && version < sqliteVersion:
		err = upgradeSQLite(ctx, tx, version)
	default:
		err = laterVersion(version)
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

// upgradeSQLite brings the tables from an older version to this one. Until version 4 the newest states of accounts were
// in a log, whose records have the form of their version: they move to the table.
func upgradeSQLite(ctx context.Context, tx *sql.Tx, version int) error {
	logged, err := readLog(ctx, tx, version)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, strings.Join(sqliteUpgrades[version:], "\n")); err != nil {
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

func laterVersion(version int) error {
	return fmt.Errorf("its format is version %d, but this program knows version %d: use the program that wrote it, or a later one", version, sqliteVersion)
}

// readLog returns the states in the log of a file of an older version, the newest of each account.
func readLog(ctx context.Context, tx *sql.Tx, version int) (rows, error) {
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
			r, err := parseRow(version, &in)
			if err != nil {
				return nil, fmt.Errorf("log record %d: %w", id, err)
			}
			logged[r.hash] = r
		}
	}
	return logged, records.Err()
}

// parseRow reads one state: the hash, the numbers as varints, and lists, each preceded by its length.
func parseRow(version int, in *decoder) (*row, error) {
	r := new(row)
	copy(r.hash[:], in.bytes(uint64(len(r.hash))))
	numbers := r.numbers()
	known := numbers[:]
	if version < 4 {
		known = numbers[:6] // before sales
	}
	for _, n := range known {
		*n = in.varint()
	}
	var fields [3][]byte // debits; from version 2 on deliveries, from version 4 on branches
	for i := range fields[:1+min(version-1, 1)+version/4] {
		fields[i] = in.bytes(in.uvarint())
	}
	return r, errors.Join(in.err(), r.parseLists(fields[0], fields[1], fields[2]))
}
