//go:build soak

package main

import (
	"context"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"almanac/server/servertest"
)

// readinessPath returns the address that the Kubernetes manifest probes.
func readinessPath(t *testing.T) string {
	t.Helper()
	manifest, err := os.ReadFile("../../deploy/kubernetes/almanac.yaml")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`readinessProbe:.*\s+httpGet: \{ path: (\S+), port: admin \}`).FindSubmatch(manifest)
	if m == nil {
		t.Fatal("the manifest has no readinessProbe of the operator's listener")
	}
	return string(m[1])
}

// watchFree asks for what is free, and for readiness as the manifest does, until the function it returns is called. Nothing but 200 is
// right.
func watchFree(t *testing.T, p *process) (stop func() (asked int)) {
	ready := "http://" + p.admin + readinessPath(t)
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	asked := 0
	wg.Go(func() {
		for ctx.Err() == nil {
			for _, url := range []string{ready, p.base + "/support.json", p.base + "/library/", p.base + "/api/protocol-facts.json"} {
				res, body := servertest.Ask(t, http.MethodGet, url, "")
				if asked++; res.StatusCode != http.StatusOK {
					t.Errorf("%s: status %d: %s", url, res.StatusCode, body)
				}
			}
			(&servertest.Client{T: t, URL: p.base}).Call("list_categories", map[string]any{})
			asked++
		}
	})
	return func() int { cancel(); wg.Wait(); return asked }
}

// selling returns what the service reports about itself.
func (p *process) selling() bool {
	p.t.Helper()
	_, body := servertest.Ask(p.t, http.MethodGet, "http://"+p.admin+"/readyz", "")
	return servertest.Decode[struct{ Selling bool }](p.t, body).Selling
}

// TestSoakPostgresAway: PostgreSQL is stopped when the service starts, comes, goes under load, comes back, and goes for good. What is
// free is served throughout and the service is ready; searches are sold while the database is there; no credit is lost.
func TestSoakPostgresAway(t *testing.T) {
	pg := startPostgres(t)
	stop := func() { pg.run("pg_ctl", "-D", pg.data, "-m", "immediate", "-w", "stop") }
	stop()
	p := startServe(t, append([]string{"-ledger", pg.url()}, bulk...)...)
	free := watchFree(t, p)
	if p.selling() {
		t.Error("searches are sold without a database")
	}
	if status, body := p.get("/v1/search?q=macaroon"); status != http.StatusServiceUnavailable || strings.Contains(body, "lnbcrt") {
		t.Errorf("a search without a database: status %d: %s", status, body)
	}
	probed := func(what string, selling bool) {
		t.Helper()
		began := time.Now()
		servertest.WaitUntil(t, what, func() bool { return p.selling() == selling })
		t.Logf("%s after %s", what, time.Since(began).Round(time.Millisecond))
	}
	pg.start()
	probed("searches are sold", true)
	c := newCrowd(t, p.base, 6)
	c.during(3, func() {
		time.Sleep(*soakTime / 3)
		stop()
		probed("selling is off", false)
		pg.start()
		probed("searches are sold again", true)
		time.Sleep(*soakTime / 3)
	})
	c.settle(soakCredits)
	r := c.reckon(soakCredits)
	c.tell(r)
	if r.used != r.answered {
		t.Errorf("%d credits for %d answers", r.used, r.answered)
	}
	stop()
	probed("selling is off for good", false)
	if !strings.Contains(p.metrics(), "almanac_ledger_up 0\n") {
		t.Error("the metrics do not say that the ledger is away")
	}
	t.Logf("%d requests for what is free, all answered", free())
}
