//go:build soak

package e2e

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"almanac/parttest"
)

// postgres is a server of a test's own, run as a user that may.
type postgres struct {
	t    *testing.T
	bin  string
	data string
	dir  string
}

func startPostgres(t *testing.T) *postgres {
	t.Helper()
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	if len(found) == 0 {
		parttest.Missing(t, "no PostgreSQL server under /usr/lib/postgresql")
	}
	dir, err := os.MkdirTemp("/tmp", "almanac-pg")
	if err != nil {
		t.Fatal(err)
	}
	pg := &postgres{t: t, bin: found[len(found)-1], dir: dir, data: filepath.Join(dir, "data")}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	pg.run("initdb", "-D", pg.data, "-U", "almanac", "--auth=trust", "--no-instructions", "-E", "UTF8", "--locale=C")
	pg.start()
	t.Cleanup(func() { pg.try("pg_ctl", "-D", pg.data, "-m", "immediate", "-w", "stop") })
	pg.run("createdb", "-h", dir, "-U", "almanac", "almanac")
	return pg
}

func (pg *postgres) start() {
	pg.t.Helper()
	pg.run("pg_ctl", "-D", pg.data, "-w", "-l", filepath.Join(pg.dir, "log"), "-o", "-c listen_addresses= -k "+pg.dir, "start")
}

// cpu is how many seconds of processor time the server's processes have used, but for those that ended.
func (pg *postgres) cpu() (seconds float64) {
	pg.t.Helper()
	pid, err := os.ReadFile(filepath.Join(pg.data, "postmaster.pid"))
	if err != nil {
		pg.t.Fatal(err)
	}
	main, _, _ := strings.Cut(string(pid), "\n")
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range stats {
		stat, err := os.ReadFile(name)
		if err != nil {
			continue // it ended meanwhile
		}
		// proc(5): after the name in parentheses come the state, the parent, and further on user and system time in
		// hundredths.
		_, rest, _ := strings.Cut(string(stat), ") ")
		fields := strings.Fields(rest)
		if len(fields) > 12 && fields[1] == main {
			var user, system float64
			fmt.Sscan(fields[11], &user)
			fmt.Sscan(fields[12], &system)
			seconds += (user + system) / 100
		}
	}
	return seconds
}

func (pg *postgres) url() string { return "postgres://almanac@/almanac?host=" + pg.dir }

func (pg *postgres) run(name string, args ...string) {
	pg.t.Helper()
	if out, err := pg.try(name, args...); err != nil {
		pg.t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// try runs a program of PostgreSQL, as its own user where we are root, which it refuses to run as.
func (pg *postgres) try(name string, args ...string) ([]byte, error) {
	cmd := exec.Command(filepath.Join(pg.bin, name), args...)
	if os.Getuid() == 0 {
		cmd = exec.Command("setpriv", append([]string{"--reuid=postgres", "--regid=postgres", "--clear-groups", cmd.Path}, args...)...)
	}
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), "PGCTLTIMEOUT=300") // seconds that pg_ctl waits
	// A server that stays behind must not hold a pipe open, so the output goes through a file.
	var out bytes.Buffer
	f, err := os.CreateTemp("", "almanac-pg-out")
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	cmd.Stdout, cmd.Stderr = f, f
	err = cmd.Run()
	f.Seek(0, io.SeekStart)
	io.Copy(&out, f)
	return out.Bytes(), err
}

// TestSoakPostgresRestart crashes the database under load and starts it again.
func TestSoakPostgresRestart(t *testing.T) {
	pg := startPostgres(t)
	p := startServe(t, append([]string{"-ledger", pg.url()}, bulk...)...)
	c := newCrowd(t, p.base, 6)
	c.during(3, func() {
		for _, how := range []string{"immediate", "fast"} {
			time.Sleep(*soakTime / 3)
			pg.run("pg_ctl", "-D", pg.data, "-m", how, "-w", "stop")
			time.Sleep(time.Second)
			if status, _ := p.get("/support.json"); status != http.StatusOK {
				t.Errorf("what is free answers %d without a ledger", status)
			}
			pg.start()
		}
		time.Sleep(*soakTime / 3)
	})
	c.settle(soakCredits)
	r := c.reckon(soakCredits)
	c.tell(r)
	faultFigures(t, c, r)
	if r.used != r.answered {
		t.Errorf("%d credits for %d answers", r.used, r.answered)
	}
	if n := c.seen("402"); n > 0 {
		t.Errorf("%d buyers were asked to pay again", n)
	}
}
