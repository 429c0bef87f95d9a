package ledger

import (
	"context"
	"errors"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// A postgresStore settles batches on rows that it locks, in two round trips: lock and read; write and commit. It
// numbers its batches and writes the number with each, so that it can find out later whether a batch was committed.
type postgresStore struct {
	pool   *pgxpool.Pool
	pooler bool   // the pool leads to one, so that each transaction needs the settings
	probe  bool   // delete the accounts that were written
	id     []byte // of this writer, unique
	batch  int64  // number of the current batch
}

// apply implements store. Another replica may interfere, above all by adding the same new account at the same time; the
// database then refuses this transaction, and the next try finds the account.
func (s *postgresStore) apply(ctx context.Context, ops []*op) error {
	for {
		err := s.try(ctx, ops)
		var refused *pgconn.PgError
		if !errors.As(err, &refused) || ctx.Err() != nil {
			return err
		}
		switch refused.Code {
		case "23505", "40001", "40P01": // unique_violation, serialization_failure, deadlock_detected
		default:
			return err
		}
	}
}

func (s *postgresStore) try(ctx context.Context, ops []*op) error {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release() // closes a connection whose transaction is still open
	touched, transaction, horizon, err := s.read(ctx, conn.Conn(), hashesOf(ops))
	if err != nil {
		return err
	}
	changed := touched.settle(ops, horizon)
	s.batch++
	err = s.write(ctx, conn.Conn(), changed)
	var refused *pgconn.PgError
	if err != nil && len(changed) > 0 && (!errors.As(err, &refused) || refused.SeverityUnlocalized != "ERROR") {
		return &inDoubtError{transaction: transaction, batch: s.batch, cause: err} // the connection ended, perhaps after the commit
	}
	return err
}

// read begins the transaction and locks the accounts of the batch, in the order of their hashes, as everywhere,
// so that no two transactions wait for each other. The horizon is read last, so that it covers a pruning that deleted
// an account before it could be locked.
func (s *postgresStore) read(ctx context.Context, conn *pgx.Conn, hashes [][]byte) (
	locked rows, transaction string, horizon int64, err error,
) {
	locked = make(rows, len(hashes))
	b := new(pgx.Batch)
	b.Queue("BEGIN ISOLATION LEVEL READ COMMITTED")
	if s.pooler {
		b.Queue(postgresSettings("true"))
	}
	b.Queue("SELECT "+rowColumns+" FROM almanac_accounts WHERE hash = ANY($1::bytea[]) ORDER BY hash FOR UPDATE",
		hashes).Query(func(found pgx.Rows) error {
		for found.Next() {
			r, err := scanRow(found)
			if err != nil {
				return err
			}
			locked[r.hash] = r
		}
		return found.Err()
	})
	b.Queue("SELECT horizon, pg_current_xact_id()::text FROM almanac_pruned").QueryRow(func(found pgx.Row) error {
		return found.Scan(&horizon, &transaction)
	})
	return locked, transaction, horizon, conn.SendBatch(ctx, b).Close()
}

// write writes the rows that changed, with the number of the batch, and commits.
func (s *postgresStore) write(ctx context.Context, conn *pgx.Conn, rs []*row) error {
	var changed, born columns
	for _, r := range rs {
		if !r.stored {
			born.add(r)
		}
		if r.stored || s.probe {
			changed.add(r)
		}
	}
	b := new(pgx.Batch)
	if born[0] != nil {
		b.Queue(`INSERT INTO almanac_accounts (`+rowColumns+`, used) SELECT * FROM `+postgresArrays, born[:]...)
	}
	if changed[0] != nil {
		b.Queue(`UPDATE almanac_accounts a SET `+assignments("n")+`
			FROM `+postgresArrays+` AS n(`+rowColumns+`, used)
			WHERE a.hash = n.hash`, changed[:]...)
	}
	if s.probe {
		b.Queue("DELETE FROM almanac_accounts WHERE hash = ANY($1::bytea[])", changed[0])
	}
	if len(rs) > 0 {
		b.Queue(`INSERT INTO almanac_writers AS w VALUES ($1, $2, extract(epoch FROM now()))
			ON CONFLICT (id) DO UPDATE SET batch = greatest(w.batch, excluded.batch), wrote_at = excluded.wrote_at`,
			s.id, s.batch)
	}
	b.Queue("COMMIT")
	return conn.SendBatch(ctx, b).Close()
}

// postgresArrays are the parameters of columns.arguments as a table.
const postgresArrays = `unnest($1::bytea[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bytea[], $6::bigint[], $7::bigint[], $8::bigint[],
	$9::bytea[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bytea[], $15::bigint[])`

// columns are rows as arrays of bytes and of integers, in the order of row.values. They are the parameters of one
// statement, also where the database is not asked for the types that it expects.
type columns [15]any

func (c *columns) add(r *row) {
	for i, v := range r.values() {
		switch v := v.(type) {
		case []byte:
			list, _ := c[i].([][]byte)
			c[i] = append(list, v)
		case int64:
			list, _ := c[i].([]int64)
			c[i] = append(list, v)
		}
	}
}

// resolve implements store. It looks for the number of the batch, which is the last one, because no batch follows one
// that is in doubt. The number of the transaction is no proof, because after a crash or a failover the database may
// assign it again; it only shows whether the transaction may still be running. A standby, to which a pooler may lead, may not
// have the commit yet.
func (s *postgresStore) resolve(ctx context.Context, d *inDoubtError) (committed bool, err error) {
	if _, err := strconv.ParseUint(d.transaction, 10, 64); err != nil {
		return false, err
	}
	var status *string
	err = s.pool.QueryRow(ctx, "SELECT CASE WHEN pg_is_in_recovery() THEN 'in progress' ELSE pg_xact_status($1::text::xid8) END",
		d.transaction).Scan(&status)
	var refused *pgconn.PgError
	switch {
	// invalid_parameter_value: a number not assigned yet, so the transaction was lost
	case errors.As(err, &refused) && refused.Code == "22023":
	case err != nil:
		return false, err
	case status != nil && *status == "in progress":
		return false, errors.New("the transaction is still running")
	}
	err = s.pool.QueryRow(ctx, "SELECT EXISTS (SELECT FROM almanac_writers WHERE id = $1 AND batch = $2)",
		s.id, d.batch).Scan(&committed)
	return committed, err
}
