package ledger_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"go.almanac.example/internal/parttest"
	"go.almanac.example/l402"
	"go.almanac.example/l402/ledger"
)

// TestPostgresReady: Ready fails whenever a Spend would, for each table that a Spend writes and for a database that
// takes no writes, and leaves no account behind.
func TestPostgresReady(t *testing.T) {
	url := database(t)
	l, err := ledger.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	change := func(statements string) { // and every connection notices
		t.Helper()
		if _, err := conn.Exec(t.Context(), statements+"; SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()"); err != nil {
			t.Fatal(err)
		}
	}
	for _, broken := range []struct{ by, mend string }{
		{"ALTER TABLE almanac_accounts RENAME TO gone", "ALTER TABLE gone RENAME TO almanac_accounts"},
		{"ALTER TABLE almanac_writers RENAME TO gone", "ALTER TABLE gone RENAME TO almanac_writers"},
		{"ALTER ROLE almanac SET default_transaction_read_only = on", "SET default_transaction_read_only = off; ALTER ROLE almanac RESET default_transaction_read_only"},
	} {
		if err := l.Ready(t.Context()); err != nil {
			t.Fatalf("before %s: %v", broken.by, err)
		}
		change(broken.by)
		for range 20 { // the connections that were cut off are noticed one by one
			if err := l.Ready(t.Context()); !errors.Is(err, l402.ErrLedgerUnavailable) {
				t.Fatalf("after %s: %v, want ErrLedgerUnavailable", broken.by, err)
			}
		}
		change(broken.mend)
		for range 20 {
			if err = l.Ready(t.Context()); err == nil {
				break
			}
		}
		if err != nil {
			t.Fatalf("after %s: %v", broken.mend, err)
		}
	}
	if accounts, err := l.Accounts(t.Context()); err != nil || len(accounts) > 0 {
		t.Errorf("Ready left %v behind (%v)", accounts, err)
	}
}

// behindPooler starts a PgBouncer that hands its connections on after each transaction, and returns the address of a
// database behind it.
func behindPooler(t *testing.T, url string) string {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		parttest.Missing(t, "no PgBouncer: %v", err)
	}
	dir, err := os.MkdirTemp("/tmp", "almanac-pgb-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	who, err := unprivileged(dir)
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "pgbouncer.ini")
	text := "[databases]\n* = host=" + theCluster.dir + " user=almanac\n[pgbouncer]\nlisten_addr =\nunix_socket_dir = " + dir +
		"\nlisten_port = 6432\nauth_type = any\npool_mode = transaction\ndefault_pool_size = 3\n"
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-q", config)
	cmd.SysProcAttr, cmd.Dir = who, dir
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	pooled := strings.Replace(url, "host="+theCluster.dir, "port=6432&host="+dir, 1)
	waitFor(t, func() error {
		conn, err := pgx.Connect(t.Context(), pooled)
		if err == nil {
			conn.Close(t.Context())
		}
		return err
	})
	return pooled
}

// waitFor waits until do succeeds.
func waitFor(t *testing.T, do func() error) {
	t.Helper()
	var err error
	if !parttest.Within(parttest.Patience, func() bool { err = do(); return err == nil }) {
		t.Fatal(err)
	}
}

// TestConnections: in each way of sending statements, directly and behind a pooler, a ledger that is ready serves and is
// pruned, and each debit waits for the disk although the database's default is not to. All tables are published, as for an
// upgrade by logical replication, and the defaults of isolation and of bytes are unusual.
func TestConnections(t *testing.T) {
	for _, pooler := range []bool{false, true} {
		for _, mode := range []string{"", "&default_query_exec_mode=exec", "&default_query_exec_mode=simple_protocol", "&default_query_exec_mode=cache_describe"} {
			t.Run(fmt.Sprintf("pooler=%t%s", pooler, mode), func(t *testing.T) {
				direct := database(t)
				l := open(t, direct)
				conn, err := pgx.Connect(t.Context(), direct)
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close(t.Context())
				if _, err := conn.Exec(t.Context(), `DO $$ BEGIN EXECUTE 'ALTER DATABASE ' || current_database() || ' SET synchronous_commit = off';
						IF NOT `+strconv.FormatBool(pooler)+` THEN EXECUTE 'ALTER DATABASE ' || current_database() || ' SET bytea_output = escape'; END IF;
						EXECUTE 'ALTER DATABASE ' || current_database() || ' SET default_transaction_isolation = serializable'; END $$;
					CREATE PUBLICATION everything FOR ALL TABLES;
					CREATE TABLE waits (value text);
					CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO waits VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$;
					CREATE TRIGGER wait AFTER INSERT OR UPDATE ON almanac_accounts FOR EACH ROW EXECUTE FUNCTION wait()`); err != nil {
					t.Fatal(err)
				}
				l.Close()
				url := direct + mode
				if pooler {
					url = behindPooler(t, direct) + mode
				}
				l = open(t, url)
				if err := l.Adopt(t.Context(), []l402.KeyID{{1}}); err != nil {
					t.Fatal(err)
				}
				for n := range 20 {
					if err := l.Ready(t.Context()); err != nil {
						t.Fatal(err)
					}
					spend(t, l, debit(n%5))
				}
				if err := l.Refund(t.Context(), spend(t, l, debit(1))); err != nil {
					t.Fatal(err)
				}
				if a, err := l.Account(t.Context(), hash(1)); err != nil || a.Used != 4 {
					t.Errorf("%d used, want 4 (%v)", a.Used, err)
				}
				if sales, err := l.Sales(t.Context(), noon); err != nil || len(sales) != 1 || sales[0].Used != 20 {
					t.Errorf("sales: %+v, %v", sales, err)
				}
				if n, err := l.Prune(t.Context(), noon.AddDate(10, 0, 0)); err != nil || n != 5 {
					t.Errorf("%d accounts pruned, want 5 (%v)", n, err)
				}
				if s, err := ledger.Inspect(t.Context(), url); err != nil || !s.Fits([]l402.KeyID{{1}}) || s.Fits(nil) {
					t.Errorf("Inspect: %+v, %v", s, err)
				}
				var waits string
				if err := conn.QueryRow(t.Context(), "SELECT string_agg(DISTINCT value, ' ') FROM waits").Scan(&waits); err != nil || waits != "on" {
					t.Errorf("synchronous_commit was %s in debits (%v)", waits, err)
				}
			})
		}
	}
}

// TestPasswordRotation: a ledger whose password changes is used on as soon as its file has the new one.
func TestPasswordRotation(t *testing.T) {
	url := database(t)
	admin, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(t.Context())
	file := filepath.Join(t.TempDir(), "passwords")
	rotate := func(statement, password string) {
		t.Helper()
		if _, err := admin.Exec(t.Context(), statement+" ROLE "+passwordUser+" LOGIN SUPERUSER PASSWORD '"+password+"'"); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("*:*:*:*:"+password+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	rotate("CREATE", "first")
	l := open(t, strings.Replace(url, "almanac@", passwordUser+"@", 1)+"&passfile="+file)
	spend(t, l, debit(1))
	rotate("ALTER", "second")
	if _, err := admin.Exec(t.Context(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1", passwordUser); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() error { return l.Ready(t.Context()) })
	if r := spend(t, l, debit(1)); r.Used != 2 {
		t.Errorf("%d used, want 2", r.Used)
	}
}

// TestUnverified: the hosts of an address are named unless their certificates are verified.
func TestUnverified(t *testing.T) {
	for url, want := range map[string][]string{
		"sqlite:ledger.db": nil, "postgres:///almanac?host=/var/run/postgresql": nil,
		"postgres://db.example/almanac":                           {"db.example"},
		"postgres://db.example/almanac?sslmode=require":           {"db.example"},
		"postgres://db.example/almanac?sslmode=verify-full":       nil,
		"postgres://db.example,b.example/almanac?sslmode=disable": {"db.example", "b.example"},
	} {
		if diff := cmp.Diff(want, ledger.Unverified(url)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", url, diff)
		}
	}
}

// TestCheckURL: an address that nothing can be opened at is refused before anything is opened, without quoting it.
func TestCheckURL(t *testing.T) {
	for url, valid := range map[string]bool{
		"sqlite:/nowhere/ledger.db": true, "postgres://nobody@localhost:1/none": true, "postgresql:///almanac": true,
		"": false, "sqlite:": false, "mysql://secret@localhost/": false, "postgres://secret@localhost:port/": false, "/var/secret.db": false,
	} {
		err := ledger.CheckURL(url)
		if (err == nil) != valid {
			t.Errorf("%q: %v", url, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: the error quotes the address: %v", url, err)
		}
	}
}
