package ledger

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
)

// postgresSchema creates the tables. The lock makes replicas that start at the same time take turns.
const postgresSchema = `
SELECT pg_advisory_xact_lock(7232610154209542);
CREATE TABLE IF NOT EXISTS almanac_accounts ` + accountColumns + `
	WITH (fillfactor = 70); -- leaves space on each page for updates of its rows
CREATE TABLE IF NOT EXISTS almanac_pruned_sales ` + salesColumns + `; -- the totals of pruned accounts
CREATE INDEX IF NOT EXISTS almanac_accounts_by_end ON almanac_accounts (expires_at) WHERE expires_at > 0;
CREATE TABLE IF NOT EXISTS almanac_writers (
	id       bytea  PRIMARY KEY, -- of a committer
	batch    bigint NOT NULL,    -- the last one it committed
	wrote_at bigint NOT NULL
) WITH (fillfactor = 50);        -- each batch updates the row of its writer
CREATE TABLE IF NOT EXISTS almanac_master_keys (id bytea PRIMARY KEY);
CREATE TABLE IF NOT EXISTS almanac_pruned (horizon bigint PRIMARY KEY); -- the latest end of a pruned account; without a key it could not be published
INSERT INTO almanac_pruned SELECT 0 WHERE NOT EXISTS (SELECT FROM almanac_pruned);
` + postgresVersionTable

// postgresVersion is the version of the tables. No release wrote an older one.
const postgresVersion = 2

// postgresVersionTable says which version the tables have, and from which version on a program can use them: an upgrade
// that only adds what has a default leaves the second as it is, so that replicas of the version before go on, and so
// that one can go back to it.
const postgresVersionTable = `
CREATE TABLE IF NOT EXISTS almanac_schema (version bigint NOT NULL, usable_from bigint NOT NULL);
INSERT INTO almanac_schema SELECT 2, 1 WHERE NOT EXISTS (SELECT FROM almanac_schema);
`

// postgresCommitters is how many committers work in parallel. An account belongs to one of them, so they do not wait
// for each other's rows.
const postgresCommitters = 4

// A postgresDatabase is a database that any number of replicas share.
type postgresDatabase struct {
	tables
	pool   *pgxpool.Pool
	pooler bool
}

// openPostgres connects to the database, and creates the tables if there are none.
func openPostgres(ctx context.Context, url string) (database, error) {
	p, err := connectPostgres(ctx, url)
	if err != nil {
		return nil, err
	}
	exists, err := checkTables(ctx, p.db)
	if err == nil && !exists {
		err = update(ctx, p.db.BeginTx, func(tx *sql.Tx) error { return createTables(ctx, tx) })
	}
	if err != nil {
		p.pool.Close()
		return nil, fmt.Errorf("ledger: check or create tables: %w", err)
	}
	return p, nil
}

// createTables creates the tables. Where there are some already, it would wait for maintenance such as VACUUM, and the debits of
// other replicas would wait for it.
func createTables(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, postgresSchema)
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == "42501" { // insufficient_privilege
		return fmt.Errorf("%w: let the database's owner run GRANT CREATE ON SCHEMA public TO the user of -ledger", err)
	}
	return err
}

// connectPostgres connects to the database. Behind a pooler such as PgBouncer, whose connections to the server change
// hands after each transaction, it uses neither named statements nor settings of the session.
func connectPostgres(ctx context.Context, url string) (*postgresDatabase, error) {
	cfg, err := parsePostgres(url)
	if err != nil {
		return nil, err
	}
	cfg.ConnConfig.ValidateConnect = takesWrites
	first, err := pgx.ConnectConfig(ctx, cfg.ConnConfig)
	if err != nil {
		return nil, fmt.Errorf("ledger: %w", err)
	}
	defer first.Close(ctx)
	var backend uint32
	if err := first.QueryRow(ctx, "SELECT pg_backend_pid()", pgx.QueryExecModeSimpleProtocol).Scan(&backend); err != nil {
		return nil, fmt.Errorf("ledger: %w", err)
	}
	pooler := backend != first.PgConn().PID() // a pooler gives its clients other numbers, so that they can cancel
	if pooler && cfg.ConnConfig.DefaultQueryExecMode == pgx.QueryExecModeCacheStatement {
		cfg.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	}
	cfg.MaxConns = max(cfg.MaxConns, postgresCommitters+2)
	// Firewalls forget an idle connection after some minutes; then another is tried.
	cfg.PingTimeout, cfg.MaxConnIdleTime = cmp.Or(cfg.PingTimeout, time.Second), min(cfg.MaxConnIdleTime, time.Minute)
	cfg.BeforeConnect = func(_ context.Context, c *pgx.ConnConfig) error { // the password file may have changed
		if now, err := pgx.ParseConfig(url); err == nil {
			c.Password = now.Password
		}
		return nil
	}
	if !pooler {
		cfg.AfterConnect = func(ctx context.Context, c *pgx.Conn) error {
			_, err := c.Exec(ctx, postgresSettings("false"))
			return err
		}
	}
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("ledger: %w", err)
	}
	return &postgresDatabase{
		tables{stdlib.OpenDBFromPool(pool), postgresDialect, "LOCK TABLE almanac_master_keys IN EXCLUSIVE MODE"}, pool, pooler,
	}, nil
}

// takesWrites returns an error for a standby: of several hosts, the ledger is at the primary.
func takesWrites(ctx context.Context, c *pgconn.PgConn) error {
	if err := pgconn.ValidateConnectTargetSessionAttrsReadWrite(ctx, c); err != nil {
		return fmt.Errorf("%w: connect to the primary server", err)
	}
	return nil
}

// postgresSettings returns the query that sets up a session or, if local is true, a transaction: a commit must be on
// disk, neither a statement nor a transaction whose client was cut off may block a committer for much longer than a
// batch may take, and bytes must come as they can be read.
func postgresSettings(local string) string {
	return "SELECT set_config('synchronous_commit', 'on', " + local + "), set_config('statement_timeout', '5s', " + local +
		"), set_config('idle_in_transaction_session_timeout', '5s', " + local + "), set_config('bytea_output', 'hex', " + local + ")"
}

// Unverified returns the hosts of a ledger whose certificates are not verified, so that others could read its password
// and change credits on the way. A socket is no host.
func Unverified(url string) (hosts []string) {
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		return nil // sqlite:, or CheckURL says what is wrong
	}
	check := func(host string, t *tls.Config) {
		if (t == nil || t.InsecureSkipVerify) && !strings.HasPrefix(host, "/") && !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	check(cfg.Host, cfg.TLSConfig)
	for _, f := range cfg.Fallbacks {
		check(f.Host, f.TLSConfig)
	}
	return hosts
}

// checkTables reports whether there are tables. It refuses those that the user may not write, and those that a later version of
// this program has changed so that this one cannot use them.
func checkTables(ctx context.Context, db *sql.DB) (exist bool, err error) {
	err = db.QueryRowContext(ctx, "SELECT to_regclass('almanac_schema') IS NOT NULL").Scan(&exist)
	if err != nil || !exist {
		return false, err
	}
	var version, usableFrom int
	var granted bool
	err = db.QueryRowContext(ctx, `SELECT version, usable_from, (SELECT bool_and(has_table_privilege('almanac_' || name, privilege))
		FROM unnest('{accounts,pruned_sales,writers,master_keys,pruned}'::text[]) name, unnest('{SELECT,INSERT,UPDATE,DELETE}'::text[]) privilege)
		FROM almanac_schema`).Scan(&version, &usableFrom, &granted)
	switch {
	case err != nil:
		return false, err
	case usableFrom > postgresVersion:
		return false, fmt.Errorf("its tables have version %d, but this program knows version %d: use the program that changed them, or a later one", version, postgresVersion)
	case !granted:
		return false, errors.New("the user of -ledger may not write the tables: let their owner run GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO the user")
	}
	return true, nil
}

func parsePostgres(url string) (*pgxpool.Config, error) {
	cfg, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, errors.New("ledger: the postgres:// address is not valid") // the cause may quote the password
	}
	return cfg, nil
}

func (p *postgresDatabase) stores() []store {
	all := make([]store, postgresCommitters)
	for i := range all {
		s := &postgresStore{pool: p.pool, pooler: p.pooler, id: make([]byte, 16)}
		rand.Read(s.id) // never fails since Go 1.24
		all[i] = s
	}
	return all
}

// check implements database.
func (p *postgresDatabase) check(context.Context) error { return nil }

func (p *postgresDatabase) close() error {
	defer p.pool.Close()
	return p.tables.close()
}

// prune deletes accounts and raises the horizon in one statement. Writers that have written nothing since before belong
// to processes that have ended.
func (p *postgresDatabase) prune(ctx context.Context, before int64) (n int64, err error) {
	if _, err := p.pool.Exec(ctx, "DELETE FROM almanac_writers WHERE wrote_at < $1", before); err != nil {
		return 0, err
	}
	err = p.pool.QueryRow(ctx, `
		WITH gone AS (
			DELETE FROM almanac_accounts WHERE hash IN (
				SELECT hash FROM almanac_accounts WHERE expires_at > 0 AND expires_at <= $1
				ORDER BY hash LIMIT $2 FOR UPDATE)
			RETURNING *
		), sold AS (
			INSERT INTO almanac_pruned_sales (`+totalColumns+`) `+totals("gone", "true")+`
			ON CONFLICT (day, sale) DO UPDATE SET `+addTotals("almanac_pruned_sales")+`
		), horizon AS (
			UPDATE almanac_pruned SET horizon = greatest(horizon, (SELECT max(expires_at) FROM gone))
			WHERE EXISTS (SELECT FROM gone)
		)
		SELECT count(*) FROM gone`, before, pruneStep).Scan(&n)
	return n, err
}

// ready debits an account that nobody has, with the statements of a Spend and as durably, and takes that back in the
// same transaction. The row of a writer is all that it leaves.
func (p *postgresDatabase) ready(ctx context.Context) error {
	s := &postgresStore{pool: p.pool, pooler: p.pooler, id: []byte("ready"), probe: true}
	return s.try(ctx, []*op{probeOp()})
}
