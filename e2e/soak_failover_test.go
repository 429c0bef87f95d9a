//go:build soak

package e2e

import (
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"go.almanac.example/server/servertest"
)

// standby makes a server that follows pg and that every commit of pg waits for.
func (pg *postgres) standby() *postgres {
	pg.t.Helper()
	dir := filepath.Join(pg.dir, "standby")
	follower := &postgres{t: pg.t, bin: pg.bin, dir: dir, data: filepath.Join(dir, "data")}
	if out, err := pg.tryShell("mkdir -m 700 " + dir); err != nil {
		pg.t.Fatalf("%v: %s", err, out)
	}
	pg.run("pg_basebackup", "-h", pg.dir, "-U", "almanac", "-D", follower.data, "-R", "-X", "stream", "-c", "fast")
	follower.start()
	pg.t.Cleanup(func() { follower.try("pg_ctl", "-D", follower.data, "-m", "immediate", "-w", "stop") })
	pg.run("psql", "-h", pg.dir, "-U", "almanac", "-d", "almanac", "-c", "ALTER SYSTEM SET synchronous_standby_names = '*'", "-c", "SELECT pg_reload_conf()")
	return follower
}

// tryShell runs a line as the user of the database.
func (pg *postgres) tryShell(line string) ([]byte, error) {
	return (&postgres{bin: "/bin", t: pg.t}).try("sh", "-c", line)
}

// TestSoakPostgresFailover crashes the database under load for good, and promotes its standby.
func TestSoakPostgresFailover(t *testing.T) {
	pg := startPostgres(t)
	next := pg.standby()
	url := "postgres://almanac@/almanac?host=" + pg.dir + "," + next.dir
	p := startServe(t, append([]string{"-ledger", url}, bulk...)...)
	c := newCrowd(t, p.base, 6)
	c.during(3, func() {
		time.Sleep(*soakTime / 2)
		pg.run("pg_ctl", "-D", pg.data, "-m", "immediate", "-w", "stop")
		time.Sleep(time.Second)
		if status, _ := p.get("/support.json"); status != http.StatusOK {
			t.Errorf("what is free answers %d without a ledger", status)
		}
		next.run("pg_ctl", "-D", next.data, "-w", "promote")
		before := c.seen("200")
		servertest.WaitUntil(t, "searches are sold after the standby was promoted", func() bool { return c.seen("200") >= before+100 })
		time.Sleep(*soakTime / 2)
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
