package ledger_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.almanac.example/internal/parttest"
	"go.almanac.example/l402/ledger"

	"github.com/jackc/pgx/v5"
)

// A cluster is a PostgreSQL server of our own, on a socket in a folder of its own.
type cluster struct {
	dir string
	cmd *exec.Cmd
	in  io.Closer // its end stops the server, also when this process dies
	n   atomic.Int64
}

var (
	clusterOnce sync.Once
	theCluster  *cluster
	clusterErr  error
)

func TestMain(m *testing.M) {
	if url := os.Getenv(childLedger); url != "" {
		runChild(url)
	}
	code := m.Run()
	if theCluster != nil {
		theCluster.stop()
	}
	os.Exit(code)
}

// database makes an empty database in the cluster, which it starts at the first call.
func database(t testing.TB) (url string) {
	t.Helper()
	parttest.Want(t)
	clusterOnce.Do(func() { theCluster, clusterErr = startCluster() })
	if clusterErr != nil {
		parttest.Missing(t, "%v", clusterErr)
	}
	name := fmt.Sprintf("db%d", theCluster.n.Add(1))
	conn, err := pgx.Connect(t.Context(), theCluster.url("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	return theCluster.url(name)
}

// passwordUser is a user who needs a password, which tests give.
const passwordUser = "keeper"

func (c *cluster) url(database string) string {
	return fmt.Sprintf("postgres://almanac@/%s?host=%s", database, c.dir)
}

// serverBin is the folder of the newest PostgreSQL server installed the way Debian does.
func serverBin() (string, error) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	if len(found) == 0 {
		return "", fmt.Errorf("no PostgreSQL server under /usr/lib/postgresql: .ci/setup-l402.sh installs one")
	}
	version := func(path string) int {
		n, _ := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path))))
		return n
	}
	newest := slices.MaxFunc(found, func(a, b string) int { return version(a) - version(b) })
	return filepath.Dir(newest), nil
}

func startCluster() (*cluster, error) {
	bin, err := serverBin()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("/tmp", "almanac-pg-") // short: the path of a socket is limited to 107 bytes
	if err != nil {
		return nil, err
	}
	c := &cluster{dir: dir}
	who, err := unprivileged(dir)
	if err != nil {
		return nil, err
	}
	data := filepath.Join(dir, "data")
	initdb := exec.Command(filepath.Join(bin, "initdb"), "-D", data, "-U", "almanac", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync")
	initdb.SysProcAttr, initdb.Dir = who, dir
	if out, err := initdb.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w: %s", err, out)
	}
	hba := filepath.Join(data, "pg_hba.conf")
	trust, err := os.ReadFile(hba)
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(hba, append([]byte("local all "+passwordUser+" scram-sha-256\n"), trust...), 0o600); err != nil {
		return nil, err
	}
	var log bytes.Buffer
	c.cmd = exec.Command("/bin/sh", "-c", `"$0" -D "$1" -k "$2" -c listen_addresses= -c max_connections=200 & pid=$!; cat >/dev/null; kill -INT $pid; wait $pid`,
		filepath.Join(bin, "postgres"), data, dir)
	c.cmd.SysProcAttr, c.cmd.Dir = who, dir
	c.cmd.Stdout, c.cmd.Stderr = &log, &log
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	if !parttest.Within(parttest.Patience, func() bool {
		var conn *pgx.Conn
		if conn, err = pgx.Connect(context.Background(), c.url("postgres")); err == nil {
			err = conn.Close(context.Background())
		}
		return err == nil
	}) {
		c.stop()
		return nil, fmt.Errorf("postgres does not start: %w: %s", err, log.String())
	}
	return c, nil
}

func (c *cluster) stop() {
	c.in.Close()
	c.cmd.Wait()
	os.RemoveAll(c.dir)
}

// unprivileged gives dir to a user that the server runs for: it refuses to run for root.
func unprivileged(dir string) (*syscall.SysProcAttr, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return nil, err
	}
	uid, _ := strconv.Atoi(u.Uid)
	gid, _ := strconv.Atoi(u.Gid)
	if err := os.Chown(dir, uid, gid); err != nil {
		return nil, err
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
}

// cutConnections ends the connections of a database every few milliseconds until stop, with pauses in which even a slow
// machine gets something done.
func cutConnections(t *testing.T, url string, stop <-chan struct{}) {
	conn, err := pgx.Connect(context.Background(), url)
	if err != nil {
		t.Error(err)
		return
	}
	defer conn.Close(context.Background())
	for i := 1; ; i++ {
		pause := 7 * time.Millisecond
		if i%30 == 0 {
			pause = 300 * time.Millisecond
		}
		select {
		case <-stop:
			return
		case <-time.After(pause):
			_, err := conn.Exec(context.Background(),
				"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
			if err != nil {
				t.Error(err)
				return
			}
		}
	}
}

// TestForgottenConnections: credits are taken although a firewall on the way to the database has forgotten its idle
// connections, and answers nothing to what comes over them.
func TestForgottenConnections(t *testing.T) {
	target := database(t)
	at, err := pgx.ParseConfig(target)
	if err != nil {
		t.Fatal(err)
	}
	relay, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer relay.Close()
	var accepted, forgotten atomic.Int64
	go func() {
		for {
			near, err := relay.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { near.Close() })
			n := accepted.Add(1)
			far, err := net.Dial("unix", fmt.Sprintf("%s/.s.PGSQL.%d", at.Host, at.Port))
			if err != nil {
				t.Error(err)
				return
			}
			pass := func(to, from net.Conn) {
				buf := make([]byte, 1<<16)
				for {
					k, err := from.Read(buf)
					if err != nil {
						to.Close()
						return
					}
					if forgotten.Load() < n {
						to.Write(buf[:k])
					}
				}
			}
			go pass(far, near)
			go pass(near, far)
		}
	}()
	l := open(t, "postgres://almanac@"+relay.Addr().String()+"/"+at.Database+"?sslmode=disable")
	spend(t, l, debit(1))
	forgotten.Store(accepted.Load())
	<-time.After(1100 * time.Millisecond) // the pool believes in a connection that was used within a second
	spend(t, l, debit(1))
}

// TestPrivileges: a user who may not create or write the tables is told before a start, with what to do, and one who may write
// those of another can sell. An inspection leaves nothing.
func TestPrivileges(t *testing.T) {
	url := database(t)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if status, err := ledger.Inspect(t.Context(), url); err != nil || status.Exists {
		t.Errorf("an empty database: %+v (%v)", status, err)
	}
	if status, err := ledger.Inspect(t.Context(), url); err != nil || status.Exists {
		t.Errorf("inspected again: %+v (%v)", status, err)
	}
	if _, err := conn.Exec(t.Context(), "DROP ROLE IF EXISTS poor; CREATE ROLE poor LOGIN; REVOKE CREATE ON SCHEMA public FROM PUBLIC"); err != nil {
		t.Fatal(err)
	}
	poor := strings.Replace(url, "almanac@", "poor@", 1)
	for _, tables := range []bool{false, true} {
		missing := "GRANT CREATE ON SCHEMA public"
		if tables {
			missing = "GRANT SELECT, INSERT, UPDATE, DELETE"
			open(t, url)
			if _, err := conn.Exec(t.Context(), "GRANT CREATE ON SCHEMA public TO poor; GRANT SELECT ON ALL TABLES IN SCHEMA public TO poor"); err != nil {
				t.Fatal(err)
			}
		}
		_, opened := ledger.Open(t.Context(), poor)
		_, inspected := ledger.Inspect(t.Context(), poor)
		for what, err := range map[string]error{"open": opened, "inspect": inspected} {
			if err == nil || !strings.Contains(err.Error(), missing) {
				t.Errorf("tables: %t, %s: %v", tables, what, err)
			}
		}
	}
	if _, err := conn.Exec(t.Context(), "REVOKE CREATE ON SCHEMA public FROM poor; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO poor"); err != nil {
		t.Fatal(err)
	}
	if _, err := ledger.Inspect(t.Context(), poor); err != nil {
		t.Error(err)
	}
	l := open(t, poor)
	if err := l.Adopt(t.Context(), nil); err != nil {
		t.Error(err)
	}
	spend(t, l, debit(1))
}

// TestStartWaitsForNobody: a replica that starts, and an inspection, do not wait for the maintenance of a table, while the debits of
// other replicas would wait for them.
func TestStartWaitsForNobody(t *testing.T) {
	url := database(t)
	l := open(t, url)
	spend(t, l, debit(1))
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(t.Context(), "BEGIN; LOCK TABLE almanac_accounts IN SHARE UPDATE EXCLUSIVE MODE"); err != nil { // as VACUUM does
		t.Fatal(err)
	}
	open(t, url)
	if _, err := ledger.Inspect(t.Context(), url); err != nil {
		t.Error(err)
	}
	spend(t, l, debit(1))
}

// TestPostgresRefusesLaterTables: tables that a later version changed so that this one cannot use them are refused with
// what to do; those that it can use are used, and stay what they are.
func TestPostgresRefusesLaterTables(t *testing.T) {
	url := database(t)
	spend(t, open(t, url), debit(1))
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	set := func(version, usableFrom int) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), "UPDATE almanac_schema SET version = $1, usable_from = $2", version, usableFrom); err != nil {
			t.Fatal(err)
		}
	}
	set(9, 2)
	wantUsed(t, open(t, url), 1, 1)
	var version int
	if err := conn.QueryRow(t.Context(), "SELECT version FROM almanac_schema").Scan(&version); err != nil || version != 9 {
		t.Errorf("the tables of version 9 have version %d now (%v)", version, err)
	}
	set(9, 9)
	_, err = ledger.Open(t.Context(), url)
	_, inspected := ledger.Inspect(t.Context(), url)
	for what, err := range map[string]error{"open": err, "inspect": inspected} {
		if err == nil || !strings.Contains(err.Error(), "version 9") || !strings.Contains(err.Error(), "use the program that changed them, or a later one") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestPrimaryElsewhere: of two hosts, the ledger is at the one that takes writes, and moves with the primary although the
// connections to the first are still open.
func TestPrimaryElsewhere(t *testing.T) {
	url := database(t)
	other, err := startCluster()
	if err != nil {
		t.Fatal(err)
	}
	defer other.stop()
	name, _, _ := strings.Cut(strings.TrimPrefix(url, "postgres://almanac@/"), "?")
	run := func(url string, statements ...string) {
		t.Helper()
		conn, err := pgx.Connect(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(t.Context())
		for _, s := range statements {
			if _, err := conn.Exec(t.Context(), s); err != nil {
				t.Fatal(err)
			}
		}
	}
	run(other.url("postgres"), "CREATE DATABASE "+name)
	first, second := open(t, url), open(t, other.url(name))
	run(url, "ALTER DATABASE "+name+" SET default_transaction_read_only = on")
	l := open(t, url+","+other.dir)
	spend(t, l, debit(1))
	wantUsed(t, second, 1, 1)
	run(url, "SET default_transaction_read_only = off", "ALTER DATABASE "+name+" RESET default_transaction_read_only")
	run(other.url("postgres"), "ALTER SYSTEM SET default_transaction_read_only = on", "SELECT pg_reload_conf()")
	waitFor(t, func() error { // the order to read the settings again is not waited for
		conn, err := pgx.Connect(t.Context(), other.url("postgres"))
		if err != nil {
			return err
		}
		defer conn.Close(t.Context())
		var readOnly bool
		if err = conn.QueryRow(t.Context(), "SELECT current_setting('default_transaction_read_only')::bool").Scan(&readOnly); err == nil && !readOnly {
			err = errors.New("the other database still writes")
		}
		return err
	})
	waitFor(t, func() error { _, err := l.Spend(t.Context(), debit(2)); return err })
	wantUsed(t, first, 2, 1)
}
