package ledger_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
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
	"go.almanac.example/l402"
	"go.almanac.example/l402/ledger"

	"github.com/google/go-cmp/cmp"
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

// TestPostgresUpgrade opens a database as each older version left it, while a replica of that version goes on writing.
func TestPostgresUpgrade(t *testing.T) {
	for _, columns := range []string{"", ", recent bytea NOT NULL", ", recent bytea NOT NULL, marks bytea NOT NULL"} {
		url := database(t)
		conn, err := pgx.Connect(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(context.Background())
		exec := func(query string) {
			t.Helper()
			if _, err := conn.Exec(t.Context(), query); err != nil {
				t.Fatal(err)
			}
		}
		account := func(n, used int) {
			t.Helper()
			names, values := "hash, credits, expires_at, serial, live, first_used, last_used, revoked_at, used", ""
			if columns != "" {
				names, values = names+", recent", ", ''"
			}
			if strings.Contains(columns, "marks") {
				names, values = names+", marks", values+", ''"
			}
			h := hash(n)
			exec(fmt.Sprintf(`INSERT INTO almanac_accounts (%s) VALUES ('\x%x', 100, %d, %d, '\x01%02x', %d, %d, 0, %d%s)`,
				names, h[:], end.Unix(), used, used-1, noon.Unix(), noon.Unix(), used, values))
		}
		exec(`CREATE TABLE almanac_accounts (hash bytea PRIMARY KEY, credits bigint NOT NULL, used bigint NOT NULL, expires_at bigint NOT NULL, serial bigint NOT NULL,
			live bytea NOT NULL, first_used bigint NOT NULL, last_used bigint NOT NULL, revoked_at bigint NOT NULL` + columns + `) WITH (fillfactor = 70)`)
		account(1, 7)
		l := open(t, url)
		account(2, 9) // by a replica that has not been replaced yet
		for n, used := range map[int]int{1: 7, 2: 9} {
			a, err := l.Account(t.Context(), hash(n))
			want := l402.Account{Hash: hash(n), Credits: 100, Used: used, ExpiresAt: end, FirstUsed: noon, LastUsed: noon}
			if diff := cmp.Diff(want, a); err != nil || diff != "" {
				t.Errorf("%v %s", err, diff)
			}
			for range 2 {
				if r := spend(t, l, debit(n, named(1), within(1, 1), sold(100, 0))); r.Used != used+1 {
					t.Errorf("%+v; want %d used", r, used+1)
				}
			}
		}
		wantSales(t, l, end, l402.DayOfSales{SalesTotals: l402.SalesTotals{Accounts: 2, Credits: 200, Used: 18}})
		wantUsed(t, open(t, url), 1, 8) // opening again changes nothing
		spend(t, l, debit(3))           // an account that is new
		wantUsed(t, l, 3, 1)
	}
}

// writesOfVersion1 is how the version before this one writes a debit to an account that it has read, and an account
// that is new.
const writesOfVersion1 = `
UPDATE almanac_accounts a SET credits = n.credits, expires_at = n.expires_at, serial = n.serial, live = n.live,
	first_used = n.first_used, last_used = n.last_used, revoked_at = n.revoked_at, used = n.used, recent = n.recent
	FROM (SELECT hash, credits, expires_at, serial + 1 AS serial, '\x0109'::bytea AS live, first_used, last_used, revoked_at, 10 AS used, ''::bytea AS recent FROM almanac_accounts) AS n
	WHERE a.hash = n.hash;
INSERT INTO almanac_accounts (hash, credits, expires_at, serial, live, first_used, last_used, revoked_at, recent, used)
	SELECT $1, 100, $2, 3, '\x0102', $3, $3, 0, '', 3;`

// TestPostgresRollback: the version before this one goes on with the tables as this one leaves them, and nobody loses a
// credit by that, nor by coming back.
func TestPostgresRollback(t *testing.T) {
	url := database(t)
	l := open(t, url)
	for range 9 {
		spend(t, l, debit(1, within(1, 100), sold(100, 0)))
	}
	wantUsed(t, l, 1, 9)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	update, insert, _ := strings.Cut(writesOfVersion1, ";\n")
	if _, err := conn.Exec(t.Context(), update); err != nil {
		t.Fatal(err)
	}
	added := hash(2)
	if _, err := conn.Exec(t.Context(), insert, added[:], end.Unix(), noon.Unix()); err != nil {
		t.Fatal(err)
	}
	back := open(t, url)
	wantUsed(t, back, 1, 10)
	wantUsed(t, back, 2, 3)
	for n, used := range map[int]int{1: 11, 2: 4} {
		if r := spend(t, back, debit(n)); r.Used != used {
			t.Errorf("account %d: %d used, want %d", n, r.Used, used)
		}
	}
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
