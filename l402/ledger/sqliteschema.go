package ledger

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"
)

const sqliteSchema = `
CREATE TABLE accounts (
	hash       BLOB    PRIMARY KEY,        -- of the payment
	credits    INTEGER NOT NULL,           -- bought
	used       INTEGER NOT NULL,           -- the number of debits in live; for people who read the table
	expires_at INTEGER NOT NULL,           -- Unix seconds, as all times; 0: revoked before its first use
	serial     INTEGER NOT NULL,           -- of the last debit
	live       BLOB    NOT NULL,           -- debits not given back, as runs
	first_used INTEGER NOT NULL,
	last_used  INTEGER NOT NULL,
	revoked_at INTEGER NOT NULL,           -- 0: not revoked
	recent     BLOB    NOT NULL,           -- deliveries: the named requests of the last minute
	sale       INTEGER NOT NULL DEFAULT 0, -- 0: from before sales were recorded, 1: paid, 2: demo, 3: granted
	price      INTEGER NOT NULL DEFAULT 0, -- in satoshis
	sold_at    INTEGER NOT NULL DEFAULT 0,
	reimbursed_at INTEGER NOT NULL DEFAULT 0, -- 0: not paid back
	branches   BLOB    NOT NULL DEFAULT x''   -- branches in use, each with its credits
) STRICT, WITHOUT ROWID;
CREATE TABLE log (                         -- states newer than those in accounts, one record for each batch
	id      INTEGER PRIMARY KEY,
	entries BLOB NOT NULL
) STRICT;
INSERT INTO log VALUES (1, x'');
CREATE INDEX accounts_by_end ON accounts (expires_at) WHERE expires_at > 0;
CREATE TABLE master_keys (id BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE TABLE pruned (horizon INTEGER NOT NULL) STRICT; -- the latest end of a pruned account
INSERT INTO pruned VALUES (0);
` + sqliteProbe + sqlitePrunedSales

// sqliteProbe is the table that Ready writes to, as much as a batch takes.
const sqliteProbe = `
CREATE TABLE probe (written INTEGER NOT NULL, filler BLOB NOT NULL) STRICT;
INSERT INTO probe VALUES (0, zeroblob(8192));
`

// sqlitePrunedSales is the table of the totals of pruned accounts.
const sqlitePrunedSales = `
CREATE TABLE pruned_sales (
	day        INTEGER NOT NULL, -- since 1970-01-01, 0: not known
	sale       INTEGER NOT NULL, -- as in accounts
	accounts   INTEGER NOT NULL,
	sats       INTEGER NOT NULL,
	credits    INTEGER NOT NULL,
	used       INTEGER NOT NULL,
	reimbursed INTEGER NOT NULL,
	reimbursed_sats INTEGER NOT NULL,
	PRIMARY KEY (day, sale)
) STRICT, WITHOUT ROWID;
`

// sqliteUpgrades bring the schema from the version of their index to the next one; 0 is an empty file.
var sqliteUpgrades = [sqliteVersion]string{
	1: `ALTER TABLE accounts ADD COLUMN recent BLOB NOT NULL DEFAULT x'';`,
	2: sqliteProbe,
	3: `
ALTER TABLE accounts ADD COLUMN sale INTEGER NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN price INTEGER NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN sold_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN reimbursed_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN branches BLOB NOT NULL DEFAULT x'';
` + sqlitePrunedSales,
}

// migrateSQLite creates the tables in a new file, upgrades an older one, and refuses one from a later version of this program.
func migrateSQLite(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var version int
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

// upgradeSQLite brings the tables from an older version to this one. The states in the log, which a killed process leaves there, are
// moved to the table of accounts: their records have the form of that version.
func upgradeSQLite(ctx context.Context, tx *sql.Tx, version int) error {
	logged := make(rows)
	last, err := readLog(ctx, tx, version, func(r *row, _ int64) { logged[r.hash] = r })
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, strings.Join(sqliteUpgrades[version:], "\n")); err != nil {
		return err
	}
	if err := writeRows(ctx, tx, slices.Collect(maps.Values(logged))); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "DELETE FROM log WHERE id < ?1; UPDATE log SET entries = x'' WHERE id = ?1", last)
	return err
}

func laterVersion(version int) error {
	return fmt.Errorf("its format is version %d, but this program knows version %d: use the program that wrote it, or a later one", version, sqliteVersion)
}
