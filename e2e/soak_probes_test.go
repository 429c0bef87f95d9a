//go:build soak

package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.almanac.example/server/servertest"
)

// A deployedProbe is a check of the deployed service: a request of a supervisor, or the image's HEALTHCHECK.
type deployedProbe struct {
	name            string
	path            string   // of a request to the admin listener
	command         []string // or what runs
	period, timeout time.Duration
	failures        int // in a row, after which it is acted on
}

// deployedProbes returns the requests by which a supervisor sees that the service lives and is ready, and the HEALTHCHECK of the Dockerfile.
func deployedProbes(t *testing.T) []deployedProbe {
	t.Helper()
	list := []deployedProbe{
		{name: "liveness", path: "/healthz", period: 10 * time.Second, timeout: 5 * time.Second, failures: 3},
		{name: "readiness", path: "/readyz", period: 5 * time.Second, timeout: 5 * time.Second, failures: 3},
	}
	dockerfile, err := os.ReadFile("../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^HEALTHCHECK --interval=(\S+) --timeout=(\S+) --start-period=\S+ CMD \["/almanac", (".*")\]$`).FindStringSubmatch(string(dockerfile))
	if m == nil {
		t.Fatal("the Dockerfile has no HEALTHCHECK")
	}
	check := deployedProbe{name: "HEALTHCHECK", failures: 3} // Docker's default
	for i, d := range []*time.Duration{&check.period, &check.timeout} {
		if *d, err = time.ParseDuration(m[1+i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := json.Unmarshal([]byte("["+m[3]+"]"), &check.command); err != nil {
		t.Fatal(err)
	}
	return append(list, check)
}

// once runs the probe as it is deployed, and returns what failed.
func (d deployedProbe) once(t *testing.T, p *process) error {
	ctx, cancel := context.WithTimeout(context.Background(), d.timeout)
	defer cancel()
	if d.command != nil {
		cmd := command(t, d.command...)
		cmd.Env = append(cmd.Env, "ALMANAC_ADMIN="+p.admin)
		var out strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			return err
		}
		stop := context.AfterFunc(ctx, func() { cmd.Process.Kill() })
		defer stop()
		if err := cmd.Wait(); err != nil {
			return fmt.Errorf("%w: %s", errors.Join(err, ctx.Err()), out.String())
		}
		return nil
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.admin+d.path, nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode < 200 || res.StatusCode >= 400 {
		return fmt.Errorf("status %d", res.StatusCode)
	}
	return nil
}

// hurry is how many times as often as deployed the probes are run, since an outage of a test lasts seconds.
const hurry = 5

// replay runs the probe until ctx ends. An answer that says no is a fault at once; one that is late, on a machine that has much to do, when it is late as often as it is allowed to fail.
func (d deployedProbe) replay(ctx context.Context, t *testing.T, p *process, probed *atomic.Int64) {
	late := 0
	every(ctx, d.period/hurry, func() {
		err := d.once(t, p)
		switch probed.Add(1); {
		case err == nil:
			late = 0
		case errors.Is(err, context.DeadlineExceeded) && late+1 < d.failures:
			late++
		default:
			t.Errorf("the deployed probe %s: %v", d.name, err)
		}
	})
}

// A freeWatch asks for what is free and runs the deployed probes until it is stopped.
type freeWatch struct{ asked, probed atomic.Int64 }

// watchFree asks until the function it returns is called. Nothing but 200 is right, and no probe may fail.
func watchFree(t *testing.T, p *process, probes []deployedProbe) (stop func() *freeWatch) {
	t.Helper()
	var w freeWatch
	var wg sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	wg.Go(func() {
		for ctx.Err() == nil {
			for _, url := range []string{p.base + "/", p.base + "/support.json", p.base + "/library/", p.base + "/api/protocol-facts.json"} {
				res, body := servertest.Ask(t, http.MethodGet, url, "")
				if w.asked.Add(1); res.StatusCode != http.StatusOK {
					t.Errorf("%s: status %d: %s", url, res.StatusCode, body)
				}
			}
			(&servertest.Client{T: t, URL: p.base}).Call("list_categories", map[string]any{})
			w.asked.Add(1)
		}
	})
	for _, probe := range probes {
		wg.Go(func() { probe.replay(ctx, t, p, &w.probed) })
	}
	return func() *freeWatch { cancel(); wg.Wait(); return &w }
}
