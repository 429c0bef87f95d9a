//go:build soak

package e2e

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.almanac.example/l402"
)

// floodRate is how many challenges a flood asks for in a second.
const floodRate = 2000

// TestSoakFlood floods the paywalls of two replicas with requests for challenges, 2,000 a second, while buyers search at
// one of them and newcomers from anywhere buy. Nearly all of these have an invoice within 5 seconds, buyers are refused
// nothing, the nodes make no more invoices than their bounds, and memory is bounded.
func TestSoakFlood(t *testing.T) {
	for _, tt := range []struct {
		name     string
		attacker func() string
	}{
		{"65,536 networks of one IPv6 block", func() string { return fmt.Sprintf("2001:db8:%x::1", rand.IntN(1<<16)) }},
		{"50,000 IPv4 blocks", func() string {
			block := rand.IntN(50_000)
			return fmt.Sprintf("%d.%d.%d.%d", 1+block>>8, block&255, rand.IntN(256), rand.IntN(256))
		}},
		{"3,000 IPv4 blocks", func() string {
			block := rand.IntN(3000)
			return fmt.Sprintf("%d.%d.%d.%d", 1+block>>8, block&255, rand.IntN(256), rand.IntN(256))
		}},
		{"60 IPv4 networks", func() string { return fmt.Sprintf("%d.1.1.%d", 1+rand.IntN(60), rand.IntN(256)) }},
		{"one IPv4 network", func() string { return fmt.Sprintf("198.51.100.%d", rand.IntN(256)) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			replicas := []*process{startServe(t, bulk...), startServe(t, bulk...)}
			total := func(name string) (sum float64) {
				for _, p := range replicas {
					sum += p.gauge(name)
				}
				return sum
			}
			c := newCrowd(t, replicas[0].base, 4)
			f := &challengeFlood{crowd: c, bases: []string{replicas[0].base, replicas[1].base}}
			before, began := total("almanac_invoices_total"), time.Now()
			c.during(1, func() { f.run(tt.attacker) })
			took := time.Since(began)
			made, memory := total("almanac_invoices_total")-before, total("process_resident_memory_bytes")/2e6
			f.tell(took, made)
			if f.served() < f.fresh*95/100 {
				t.Errorf("only %d of %d newcomers have an invoice", f.served(), f.fresh)
			}
			bound := 2 * l402.DefaultLimits().Rate
			if most := float64(bound) * (took.Seconds() + 1); made > most {
				t.Errorf("the nodes made %.0f invoices in %s, their bound is %.0f", made, took, most)
			}
			if memory > 200 {
				t.Errorf("a replica takes %.0f MB", memory)
			}
			r := c.reckon(soakCredits)
			faultFigures(t, c, r, fmt.Sprintf("%d of %d newcomers served, 95 %% within %s; %.0f invoices a second, bound %d; %.0f MB",
				f.served(), f.fresh, brief(quantile(f.waited, .95)), made/took.Seconds(), bound, memory))
			if r.unknown > 0 || r.refused > 0 || r.used != r.answered || r.answered == 0 {
				t.Errorf("buyers had %d answers for %d credits, %d refusals and %d broken requests", r.answered, r.used, r.refused, r.unknown)
			}
		})
	}
}

// A challengeFlood asks for challenges as attackers and as honest newcomers.
type challengeFlood struct {
	*crowd
	bases      []string
	asked, had atomic.Int64 // by attackers: requests, challenges

	fresh  int // newcomers
	mu     sync.Mutex
	waited []time.Duration // of those that have a challenge
}

func (f *challengeFlood) served() int { return len(f.waited) }

// run floods for soakTime, whether answers arrive or not, and lets five newcomers a second try to buy.
func (f *challengeFlood) run(attacker func() string) {
	ctx, cancel := context.WithTimeout(f.t.Context(), *soakTime)
	defer cancel()
	const workers = 64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			every(ctx, workers*time.Second/floodRate, func() {
				f.asked.Add(1)
				if f.hasChallenge(attacker()) {
					f.had.Add(1)
				}
			})
		})
	}
	every(ctx, 200*time.Millisecond, func() {
		f.fresh++
		wg.Go(f.newcomer)
	})
	wg.Wait()
}

// newcomer asks for a challenge from any address, as a patient client does: again after a second, for 5
// seconds.
func (f *challengeFlood) newcomer() {
	from := fmt.Sprintf("%d.%d.%d.%d", 1+rand.IntN(223), rand.IntN(256), rand.IntN(256), rand.IntN(256))
	for began := time.Now(); time.Since(began) < 5*time.Second; time.Sleep(time.Second) {
		if f.hasChallenge(from) {
			f.mu.Lock()
			f.waited = append(f.waited, time.Since(began))
			f.mu.Unlock()
			return
		}
	}
}

func (f *challengeFlood) hasChallenge(from string) bool {
	req, err := http.NewRequest(http.MethodGet, f.bases[rand.IntN(len(f.bases))]+"/v1/search?q=x", nil)
	if err != nil {
		return false
	}
	req.Header.Set("X-Forwarded-For", from)
	res, err := f.client.Do(req)
	if err != nil {
		return false
	}
	defer res.Body.Close()
	_, err = io.Copy(io.Discard, res.Body)
	return err == nil && res.StatusCode == http.StatusPaymentRequired
}

func (f *challengeFlood) tell(took time.Duration, made float64) {
	f.t.Logf("the flood asked %.0f times a second and has %d challenges; the node made %.0f invoices, %.0f a second",
		float64(f.asked.Load())/took.Seconds(), f.had.Load(), made, made/took.Seconds())
	f.t.Logf("%d of %d newcomers have an invoice, half of them within %s, all within %s", f.served(), f.fresh,
		quantile(f.waited, .5).Round(100*time.Microsecond), quantile(f.waited, 1).Round(100*time.Microsecond))
	f.t.Logf("%d paid searches, p50 %s, p99 %s", len(f.times), quantile(f.times, .5).Round(100*time.Microsecond), quantile(f.times, .99).Round(100*time.Microsecond))
}

// every calls f at intervals until ctx ends; calls that are late are made up for.
func every(ctx context.Context, interval time.Duration, f func()) {
	for next := time.Now(); ; next = next.Add(interval) {
		wait := time.NewTimer(time.Until(next))
		select {
		case <-ctx.Done():
			wait.Stop()
			return
		case <-wait.C:
			f()
		}
	}
}
