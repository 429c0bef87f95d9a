//go:build soak

package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// startPostgres starts a server without passwords, at a socket.
func startPostgres(t *testing.T) *postgres {
	t.Helper()
	pg := newPostgres(t)
	pg.run("initdb", "-D", pg.data, "-U", "almanac", "--auth=trust", "--no-instructions", "-E", "UTF8", "--locale=C")
	pg.start()
	pg.run("createdb", "-h", pg.dir, "-U", "almanac", "almanac")
	return pg
}

func (pg *postgres) start() { pg.listen("") }

func (pg *postgres) url() string { return "postgres://almanac@/almanac?host=" + pg.dir }

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
