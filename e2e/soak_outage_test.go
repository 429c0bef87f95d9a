//go:build soak

package e2e

import (
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.almanac.example/internal/parttest"
	"go.almanac.example/internal/problem"
	"go.almanac.example/l402/node/lnd/simnet"
	"go.almanac.example/server/servertest"
)

// An outage takes away something that selling needs: when the service starts, under load, and for good.
type outage struct {
	name       string
	args       []string // of the service
	state      string
	down, mend func()
	// because is what is wrong while it is away, and whether those who have paid are served all the same.
	because    problem.Code
	servesPaid bool
}

// TestSoakPostgresAway, TestSoakNodeAway and TestSoakFullDisk hold that an outage takes nothing that is free away:
// every request and every probe of the manifest and of the image succeeds throughout. Selling stops with the first
// probe of the service that begins after the outage, begins again without a restart, and no credit is lost.
func TestSoakPostgresAway(t *testing.T) {
	pg := startPostgres(t)
	outage{
		name: "PostgreSQL", state: t.TempDir(), args: []string{"-ledger", pg.url()}, because: problem.LedgerUnavailable,
		down: func() { pg.run("pg_ctl", "-D", pg.data, "-m", "immediate", "-w", "stop") }, mend: pg.start,
	}.run(t)
}

func TestSoakNodeAway(t *testing.T) {
	net := simnet.Start(t)
	outage{
		name: "the Lightning node", state: t.TempDir(), because: problem.NodeUnavailable, servesPaid: true,
		args: []string{"-payments", "lnd", "-lnd-url", net.Merchant.URL, "-lnd-cert", net.Merchant.CertFile,
			"-lnd-macaroon", net.Merchant.MacaroonFile, "-lnd-network", net.Merchant.Network},
		down: net.StopMerchant, mend: net.StartMerchant,
	}.run(t)
}

func TestSoakFullDisk(t *testing.T) {
	state := t.TempDir()
	if err := syscall.Mount("almanac", state, "tmpfs", 0, "size=16m,mode=0700"); err != nil {
		parttest.Missing(t, "a file system of 16 MB cannot be mounted here; root can: %v", err)
	}
	t.Cleanup(func() { syscall.Unmount(state, syscall.MNT_DETACH) })
	filler := filepath.Join(state, "filler")
	var reader func() error
	outage{
		name: "the disk", state: state, because: problem.LedgerUnavailable,
		down: func() {
			reader = readLedger(t, filepath.Join(state, "ledger.db"))
			f, err := os.Create(filler)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			io.Copy(f, zeros{}) // until there is no more room
		},
		mend: func() {
			if err := errors.Join(os.Remove(filler), reader()); err != nil {
				t.Fatal(err)
			}
		},
	}.run(t)
}

// readLedger begins to read a SQLite ledger, as a backup does, and does not end before the function that it returns. Until then, a debit
// needs new space: SQLite appends it to the write-ahead log. Without a reader the log is used again from its beginning,
// so debits of accounts that exist are written durably to a disk however full.
func readLedger(t *testing.T, file string) func() error {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	tx, err := db.Begin()
	if err == nil {
		err = tx.QueryRow("SELECT count(*) FROM accounts").Scan(new(int))
	}
	if err != nil {
		t.Fatalf("read the ledger: %v", err)
	}
	return func() error { return errors.Join(tx.Rollback(), db.Close()) } // Close alone leaves the transaction open
}

// selling returns what the service reports about itself.
func (p *process) selling() bool {
	p.t.Helper()
	_, body := servertest.Ask(p.t, http.MethodGet, "http://"+p.admin+"/readyz", "")
	return servertest.Decode[struct{ Selling bool }](p.t, body).Selling
}

func (o outage) run(t *testing.T) {
	t.Parallel() // it waits for probes most of the time
	probes := deployedProbes(t)
	args := append([]string{"-state", o.state, "-http", lasting(t)}, bulk...)
	if !o.servesPaid {
		args = append(args, o.args...)
	}
	p := startServe(t, args...)
	c := newCrowd(t, p.base, 6) // credits from before
	p.signal(syscall.SIGTERM)
	p.wait()

	o.down()
	p = startServe(t, append(args, o.args...)...)
	stop := watchFree(t, p, probes)
	o.soldByNextProbe(t, p, false)
	if status, body := p.get("/v1/search?q=macaroon"); status != http.StatusServiceUnavailable || !strings.Contains(body, string(o.because)) {
		t.Errorf("who wants to buy while %s is away gets %d: %s", o.name, status, body)
	}
	o.mend()
	on := []time.Duration{o.sold(t, p, true)}
	var off time.Duration
	c.during(3, func() {
		time.Sleep(*soakTime / 3)
		off = o.fails(t, p, c)
		if _, body := p.get("/support.json"); strings.Contains(body, "paid_api") {
			t.Error("the support document offers what is not sold")
		}
		o.mend()
		on = append(on, o.sold(t, p, true))
		before := c.seen("200")
		servertest.WaitUntil(t, "searches are answered again", func() bool { return c.seen("200") > before+10 })
		time.Sleep(*soakTime / 3)
		o.fails(t, p, c) // for good
	})
	free := stop()
	o.mend() // only to count
	o.sold(t, p, true)
	c.settle(soakCredits)
	r := c.reckon(soakCredits)
	c.tell(r)
	if r.used != r.answered {
		t.Errorf("%d credits for %d answers", r.used, r.answered)
	}
	if n := c.seen("402"); n > 0 {
		t.Errorf("%d buyers were asked to pay again", n)
	}
	if o.servesPaid && r.refused > 0 {
		t.Errorf("%d requests of those who had paid were refused, though the ledger was there", r.refused)
	}
	t.Logf("%s away: all of %d free requests were answered with 200, and all of %d probes passed", o.name, free.asked.Load(), free.probed.Load())
	faultFigures(t, c, r, fmt.Sprintf("not selling after %.1f s, selling again after %s", off.Seconds(), secondsOf(on)))
}

// fails takes away what the outage does, under load, and returns how long it took until nothing was sold. A disk is not
// full for a ledger until it needs more of it.
func (o outage) fails(t *testing.T, p *process, c *crowd) time.Duration {
	t.Helper()
	refused := c.seen("503")
	o.down()
	if !o.servesPaid {
		servertest.WaitUntil(t, "a buyer is refused", func() bool { return c.seen("503") > refused })
	}
	return o.soldByNextProbe(t, p, false)
}

// sold waits until the service says that it sells, or that it does not.
func (o outage) sold(t *testing.T, p *process, want bool) time.Duration {
	t.Helper()
	began := time.Now()
	servertest.WaitUntil(t, fmt.Sprintf("selling is %t", want), func() bool { return p.selling() == want })
	return time.Since(began)
}

// soldByNextProbe holds that the first probe that the service begins from now on decides what it sells. One that is
// under way may end before it.
func (o outage) soldByNextProbe(t *testing.T, p *process, want bool) (took time.Duration) {
	t.Helper()
	began, ended := time.Now(), p.gauge("almanac_probes_total")
	servertest.WaitUntil(t, "the service probes", func() bool {
		if took == 0 && p.selling() == want {
			took = time.Since(began)
		}
		return p.gauge("almanac_probes_total") >= ended+2
	})
	if p.selling() != want {
		t.Errorf("selling is %t after a whole probe", !want)
	}
	return took
}
