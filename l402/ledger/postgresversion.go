package ledger

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// postgresVersion is the version of the tables. Those of version 1 did not say theirs.
const postgresVersion = 2

// postgresVersionTable says which version the tables have, and from which version on a program can use them: an upgrade that only adds what has
// a default leaves the second as it is, so that replicas of the version before go on, and so that one can go back to it.
const postgresVersionTable = `
CREATE TABLE IF NOT EXISTS almanac_schema (version bigint NOT NULL, usable_from bigint NOT NULL);
INSERT INTO almanac_schema SELECT 2, 1 WHERE NOT EXISTS (SELECT FROM almanac_schema);
UPDATE almanac_schema SET version = 2 WHERE version < 2;
`

// checkPostgresVersion refuses tables that a later version of this program has changed so that this one cannot use them.
func checkPostgresVersion(ctx context.Context, db interface {
	QueryRow(context.Context, string, ...any) pgx.Row
}) error {
	var exists bool
	if err := db.QueryRow(ctx, "SELECT to_regclass('almanac_schema') IS NOT NULL").Scan(&exists); err != nil || !exists {
		return err
	}
	var version, usableFrom int
	err := db.QueryRow(ctx, "SELECT version, usable_from FROM almanac_schema").Scan(&version, &usableFrom)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil
	case err != nil:
		return err
	case usableFrom > postgresVersion:
		return fmt.Errorf("its tables have version %d, but this program knows version %d: use the program that changed them, or a later one", version, postgresVersion)
	}
	return nil
}
