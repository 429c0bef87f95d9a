package ledger

import (
	"context"
	"database/sql"
	"fmt"
)

// sqliteVersion is the version of the schema, which the file has in PRAGMA user_version. No release wrote an older one.
const sqliteVersion = 5

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

// migrateSQLite creates the tables in a new file, and refuses one of another version of this program.
func migrateSQLite(ctx context.Context, tx *sql.Tx) error {
	var version int
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	switch version {
	case sqliteVersion:
		return nil
	case 0:
		_, err := tx.ExecContext(ctx, sqliteSchema+fmt.Sprintf("PRAGMA user_version = %d", sqliteVersion))
		return err
	}
	return otherVersion(version)
}

// otherVersion returns the error of a file that this program cannot read.
func otherVersion(version int) error {
	if version < sqliteVersion {
		return fmt.Errorf("its format is version %d, which no release wrote, and this program reads version %d: use the program that wrote it", version, sqliteVersion)
	}
	return fmt.Errorf("its format is version %d, but this program knows version %d: use the program that wrote it, or a later one", version, sqliteVersion)
}
