package ledger

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// A postgresStore settles batches on rows that it locks, in two round trips: lock and read; write and commit. It numbers
// its batches and writes the number with each, so that it can find out later whether a batch was committed.
type postgresStore struct {
	pool  *pgxpool.Pool
	id    []byte // of this writer, unique
	batch int64  // number of the current batch
	rows  rows   // of the current batch
}

func newPostgresStore(pool *pgxpool.Pool) *postgresStore {
	s := &postgresStore{pool: pool, id: make([]byte, 16), rows: make(rows)}
	rand.Read(s.id) // never fails since Go 1.24
	return s
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
	transaction, horizon, err := s.read(ctx, conn.Conn(), ops)
	if err != nil {
		return err
	}
	s.rows.settle(ops, horizon)
	s.batch++
	wrote, err := s.write(ctx, conn.Conn())
	var refused *pgconn.PgError
	if err != nil && wrote && (!errors.As(err, &refused) || refused.SeverityUnlocalized != "ERROR") {
		return &inDoubtError{transaction, s.batch, err} // the connection ended, perhaps after the commit
	}
	return err
}

// read begins the transaction and locks the accounts of the batch, in the order of their hashes, as everywhere, so that no
// two transactions wait for each other. The horizon is read last, so that it covers a pruning that deleted an account before it
// could be locked.
func (s *postgresStore) read(ctx context.Context, conn *pgx.Conn, ops []*op) (transaction string, horizon int64, err error) {
	clear(s.rows)
	hashes := make([][]byte, 0, len(ops))
	for _, o := range ops {
		if _, known := s.rows[o.hash]; !known {
			s.rows[o.hash] = nil
			hashes = append(hashes, o.hash[:])
		}
	}
	clear(s.rows)
	b := new(pgx.Batch)
	b.Queue("BEGIN")
	b.Queue("SELECT "+rowColumns+" FROM almanac_accounts WHERE hash = ANY($1) ORDER BY hash FOR UPDATE", hashes).Query(func(found pgx.Rows) error {
		for found.Next() {
			r, err := scanRow(found)
			if err != nil {
				return err
			}
			s.rows[r.hash] = r
		}
		return found.Err()
	})
	b.Queue("SELECT horizon, pg_current_xact_id()::text FROM almanac_pruned").QueryRow(func(found pgx.Row) error {
		return found.Scan(&horizon, &transaction)
	})
	return transaction, horizon, conn.SendBatch(ctx, b).Close()
}

// write writes what has changed, with the number of the batch, and commits. It reports whether there was anything to write.
func (s *postgresStore) write(ctx context.Context, conn *pgx.Conn) (wrote bool, err error) {
	var changed, born columns
	for _, r := range s.inOrder() {
		switch {
		case !r.dirty:
		case r.stored:
			changed.add(r)
		default:
			born.add(r)
		}
	}
	b := new(pgx.Batch)
	if len(changed.hash) > 0 {
		b.Queue(`UPDATE almanac_accounts a SET credits = n.credits, expires_at = n.expires_at, serial = n.serial, live = n.live,
			first_used = n.first_used, last_used = n.last_used, revoked_at = n.revoked_at, used = n.used, recent = n.recent,
			sale = n.sale, price = n.price, sold_at = n.sold_at, reimbursed_at = n.reimbursed_at, branches = n.branches
			FROM `+postgresArrays+` AS n(`+rowColumns+`, used)
			WHERE a.hash = n.hash`, changed.arguments()...)
	}
	if len(born.hash) > 0 {
		b.Queue(`INSERT INTO almanac_accounts (`+rowColumns+`, used) SELECT * FROM `+postgresArrays, born.arguments()...)
	}
	if wrote = b.Len() > 0; wrote {
		b.Queue(`INSERT INTO almanac_writers AS w VALUES ($1, $2, extract(epoch FROM now()))
			ON CONFLICT (id) DO UPDATE SET batch = greatest(w.batch, excluded.batch), wrote_at = excluded.wrote_at`, s.id, s.batch)
	}
	b.Queue("COMMIT")
	return wrote, conn.SendBatch(ctx, b).Close()
}

// postgresArrays are the parameters of columns.arguments as a table.
const postgresArrays = `unnest($1::bytea[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bytea[], $6::bigint[], $7::bigint[], $8::bigint[],
	$9::bytea[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bytea[], $15::bigint[])`

// inOrder returns the rows of the batch in the order of their hashes.
func (s *postgresStore) inOrder() []*row {
	sorted := make([]*row, 0, len(s.rows))
	for _, r := range s.rows {
		sorted = append(sorted, r)
	}
	slices.SortFunc(sorted, func(a, b *row) int { return bytes.Compare(a.hash[:], b.hash[:]) })
	return sorted
}

// columns are rows as arrays, which are the parameters of one statement.
type columns struct {
	hash, live, deliveries, branches [][]byte
	numbers                          [11][]int64 // those of row.numbers, and used
}

func (c *columns) add(r *row) {
	c.hash = append(c.hash, r.hash[:])
	c.live = append(c.live, r.live.appendBinary([]byte{}))
	c.deliveries = append(c.deliveries, appendDeliveries([]byte{}, r.deliveries))
	c.branches = append(c.branches, r.branches.appendBinary([]byte{}))
	for i, n := range r.numbers() {
		c.numbers[i] = append(c.numbers[i], *n)
	}
	c.numbers[10] = append(c.numbers[10], int64(r.live.count()))
}

// arguments returns the arrays in the order of rowColumns, followed by used.
func (c *columns) arguments() []any {
	n := c.numbers
	return []any{c.hash, n[0], n[1], n[2], c.live, n[3], n[4], n[5], c.deliveries, n[6], n[7], n[8], n[9], c.branches, n[10]}
}

// resolve implements store. It looks for the number of the batch, which is the last one, because no batch follows one that is in
// doubt. The number of the transaction is no proof, because after a crash or a failover the database may assign it again; it only
// shows whether the transaction may still be running.
func (s *postgresStore) resolve(ctx context.Context, d *inDoubtError) (committed bool, err error) {
	if _, err := strconv.ParseUint(d.transaction, 10, 64); err != nil {
		return false, err
	}
	var status *string
	err = s.pool.QueryRow(ctx, "SELECT pg_xact_status($1::text::xid8)", d.transaction).Scan(&status)
	var refused *pgconn.PgError
	switch {
	case errors.As(err, &refused) && refused.Code == "22023": // invalid_parameter_value: a number not assigned yet, so the transaction was lost
	case err != nil:
		return false, err
	case status != nil && *status == "in progress":
		return false, errors.New("the transaction is still running")
	}
	err = s.pool.QueryRow(ctx, "SELECT EXISTS (SELECT FROM almanac_writers WHERE id = $1 AND batch = $2)", s.id, d.batch).Scan(&committed)
	return committed, err
}

// tidy implements store. PostgreSQL needs no help.
func (s *postgresStore) tidy(context.Context) bool { return false }
