//go:build soak

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestSoakFlood floods the paywall with 2,000 requests for challenges a second from the 65,536 networks of one IPv6 /32, while buyers
// search and honest networks buy. Nearly all of these have an invoice within 5 seconds.
func TestSoakFlood(t *testing.T) {
	const rate, attackers = 2000, 8
	p := startServe(t, bulk...)
	c := newCrowd(t, p.base, 4)
	var flooded, attackerHas, fresh, served atomic.Int64
	c.during(1, func() {
		ctx, cancel := context.WithTimeout(t.Context(), *soakTime)
		defer cancel()
		var wg sync.WaitGroup
		for range attackers {
			wg.Go(func() {
				every(ctx, attackers*time.Second/rate, func() {
					flooded.Add(1)
					if status, _ := c.ask("/v1/search?q=x", "", fmt.Sprintf("2001:db8:%x::1", rand.IntN(1<<16))); status == http.StatusPaymentRequired {
						attackerHas.Add(1)
					}
				})
			})
		}
		every(ctx, 200*time.Millisecond, func() {
			wg.Go(func() {
				from := fmt.Sprintf("%d.%d.7.1", 20+rand.IntN(100), rand.IntN(256))
				fresh.Add(1)
				for began := time.Now(); time.Since(began) < 5*time.Second; time.Sleep(time.Second) {
					if status, _ := c.ask("/v1/search?q=x", "", from); status == http.StatusPaymentRequired {
						served.Add(1)
						return
					}
				}
			})
		})
		wg.Wait()
	})
	r := c.reckon(soakCredits)
	c.tell(r)
	t.Logf("%d requests of the flood, which has %d invoices; %d of %d honest networks have one; p99 of paid searches %s",
		flooded.Load(), attackerHas.Load(), served.Load(), fresh.Load(), quantile(c.times, .99))
	if served.Load() < fresh.Load()*95/100 {
		t.Errorf("only %d of %d honest networks have an invoice", served.Load(), fresh.Load())
	}
	if most := int64(100*soakTime.Seconds()) + 100; attackerHas.Load()+served.Load() > most {
		t.Errorf("the node was asked for %d invoices, its bound is %d", attackerHas.Load()+served.Load(), most)
	}
}

// every calls f at intervals until ctx ends.
func every(ctx context.Context, interval time.Duration, f func()) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			f()
		}
	}
}
