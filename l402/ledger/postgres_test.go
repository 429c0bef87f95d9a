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
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"almanac/l402"

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
	clusterOnce.Do(func() { theCluster, clusterErr = startCluster() })
	if clusterErr != nil {
		if os.Getenv("ALMANAC_REAL") != "" {
			t.Fatal(clusterErr)
		}
		t.Skip(clusterErr)
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
	deadline := time.Now().Add(30 * time.Second)
	for {
		conn, err := pgx.Connect(context.Background(), c.url("postgres"))
		if err == nil {
			return c, conn.Close(context.Background())
		}
		if time.Now().After(deadline) {
			c.stop()
			return nil, fmt.Errorf("postgres does not start: %w: %s", err, log.String())
		}
		time.Sleep(50 * time.Millisecond)
	}
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
	for _, columns := range []string{"", ", recent bytea NOT NULL"} {
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
		wantSales(t, l, end, l402.DayOfSales{Accounts: 2, Credits: 200, Used: 18})
		wantUsed(t, open(t, url), 1, 8) // opening again changes nothing
	}
}
