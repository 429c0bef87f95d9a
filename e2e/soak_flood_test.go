//go:build soak

package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"almanac/l402"
)

// floodRate is how many challenges a flood asks for in a second.
const floodRate = 2000

// TestSoakFlood floods the paywall with requests for challenges, 2,000 a second, while buyers search and honest
// networks buy. Nearly all of these have an invoice within 5 seconds, buyers are refused nothing, and the node makes no
// more invoices than its bound.
func TestSoakFlood(t *testing.T) {
	for _, tt := range []struct {
		name     string
		attacker func() string
	}{
		{"65,536 networks of one IPv6 block", func() string { return fmt.Sprintf("2001:db8:%x::1", rand.IntN(1<<16)) }},
		{"one IPv4 network", func() string { return fmt.Sprintf("198.51.100.%d", rand.IntN(256)) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := startServe(t, bulk...)
			c := newCrowd(t, p.base, 4)
			f := &challengeFlood{crowd: c}
			before, began := p.gauge("almanac_invoices_total"), time.Now()
			c.during(1, func() { f.run(tt.attacker) })
			took := time.Since(began)
			made := p.gauge("almanac_invoices_total") - before
			f.tell(took, made)
			if f.served() < f.fresh*95/100 {
				t.Errorf("only %d of %d honest networks have an invoice", f.served(), f.fresh)
			}
			if most := float64(l402.DefaultLimits().Rate) * (took.Seconds() + 1); made > most {
				t.Errorf("the node made %.0f invoices in %s, its bound is %.0f", made, took, most)
			}
			r := c.reckon(soakCredits)
			faultFigures(t, c, r, fmt.Sprintf("%d of %d new networks had an invoice, after %s at most; %.0f invoices a second, bound %d",
				f.served(), f.fresh, brief(quantile(f.waited, 1)), made/took.Seconds(), l402.DefaultLimits().Rate))
			if r.unknown > 0 || r.refused > 0 || r.used != r.answered || r.answered == 0 {
				t.Errorf("buyers had %d answers for %d credits, %d refusals and %d broken requests", r.answered, r.used, r.refused, r.unknown)
			}
		})
	}
}

// A challengeFlood asks for challenges as attackers and as honest newcomers.
type challengeFlood struct {
	*crowd
	asked, had atomic.Int64 // by attackers: requests, challenges

	fresh  int // honest networks
	mu     sync.Mutex
	waited []time.Duration // of those that have a challenge
}

func (f *challengeFlood) served() int { return len(f.waited) }

// run floods for soakTime, whether answers arrive or not, and lets five honest networks a second try to buy.
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

// newcomer asks for a challenge from a network of its own, as a patient client does: again after a second, for 5
// seconds.
func (f *challengeFlood) newcomer() {
	from := fmt.Sprintf("%d.%d.7.1", 20+rand.IntN(100), rand.IntN(256))
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
	status, _ := f.ask("/v1/search?q=x", "", from)
	return status == http.StatusPaymentRequired
}

func (f *challengeFlood) tell(took time.Duration, made float64) {
	f.t.Logf("the flood asked %.0f times a second and has %d challenges; the node made %.0f invoices, %.0f a second",
		float64(f.asked.Load())/took.Seconds(), f.had.Load(), made, made/took.Seconds())
	f.t.Logf("%d of %d honest networks have an invoice, half of them within %s, all within %s", f.served(), f.fresh,
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
