//go:build soak

package e2e

import (
	"context"
	"crypto/rand"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.almanac.example/server/servertest"
)

// The tests with the tag soak break the service on purpose, or load it for long. Each says what was lost and what
// clients saw; docs/figures.md has the table.
var soakTime = flag.Duration("soak.time", 5*time.Second, "how long each load lasts")

// netOf gives the i-th network of a test, as X-Forwarded-For tells it: challenges are limited for each network.
func netOf(i int) string { return fmt.Sprintf("203.%d.%d.1", i/250, i%250) }

// A customer has a credential and keeps account of what it did with it.
type customer struct {
	credential string
	answered   atomic.Int64 // 200s
	refused    atomic.Int64 // answers that must not cost a credit
	unknown    atomic.Int64 // requests without a whole answer
}

// A crowd is buyers that search at one address at once.
type crowd struct {
	t      *testing.T
	client *http.Client
	base   string
	buyers []*customer
	// careful buyers name each request (Idempotency-Key), and repeat one that had no answer.
	careful  bool
	repeated atomic.Int64

	mu       sync.Mutex
	statuses map[string]int
	times    []time.Duration // of the 200s
	longest  time.Duration   // between two 200s of the whole crowd
	last     time.Time
}

// newCrowd buys n credentials at base.
func newCrowd(t *testing.T, base string, n int) *crowd {
	t.Helper()
	c := &crowd{t: t, base: base, statuses: make(map[string]int), client: &http.Client{
		Timeout:   time.Minute,
		Transport: &http.Transport{MaxIdleConnsPerHost: 256, DialContext: (&net.Dialer{Timeout: 30 * time.Second}).DialContext},
	}}
	t.Cleanup(c.client.CloseIdleConnections)
	for i := range n {
		credential, err := buyAt(c.client, base, netOf(i))
		if err != nil {
			t.Fatal(err)
		}
		c.buyers = append(c.buyers, &customer{credential: credential})
	}
	return c
}

// run lets every buyer search, several at once, until ctx ends. A search that has begun is waited for.
func (c *crowd) run(ctx context.Context, each int) {
	var wg sync.WaitGroup
	for i, b := range c.buyers {
		for range each {
			wg.Go(func() {
				for ctx.Err() == nil {
					c.search(b, netOf(i))
				}
			})
		}
	}
	wg.Wait()
}

// during runs the crowd while f breaks something, and a little longer.
func (c *crowd) during(each int, f func()) {
	ctx, cancel := context.WithCancel(c.t.Context())
	done := make(chan struct{})
	go func() { c.run(ctx, each); close(done) }()
	f()
	cancel()
	<-done
}

// named is how long a name holds, as the README promises: a request that is repeated later may cost another credit.
const named = time.Minute

// search asks once, but for what the service was too busy for, and careful buyers.
func (c *crowd) search(b *customer, from string) (status int) {
	began := time.Now()
	key := ""
	if c.careful {
		key = rand.Text()
	}
	status, body, err := c.askOnce("/v1/search?q=macaroon", b.credential, from, key)
	again := func() bool {
		return err == nil && servertest.TooBusy(status, body) || c.careful && (err != nil || status == http.StatusBadGateway)
	}
	limit := servertest.Patience
	if c.careful {
		limit = named / 2
	}
	for again() && time.Since(began) < limit { // a service that ended takes a while to be back
		time.Sleep(50 * time.Millisecond)
		c.repeated.Add(1)
		status, body, err = c.askOnce("/v1/search?q=macaroon", b.credential, from, key)
	}
	took := time.Since(began)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err != nil:
		b.unknown.Add(1)
		c.statuses["no answer"]++
	case status == http.StatusOK:
		b.answered.Add(1)
		c.statuses["200"]++
		if c.careful && took > named {
			b.unknown.Add(1) // an earlier try may have been paid for, too
		}
		c.times = append(c.times, took)
		if now := time.Now(); !c.last.IsZero() {
			c.longest = max(c.longest, now.Sub(c.last))
		}
		c.last = time.Now()
	case status == http.StatusBadGateway || status == http.StatusGatewayTimeout:
		b.unknown.Add(1) // a balancer says so, and cannot know what became of the request
		c.statuses[fmt.Sprint(status)]++
	default:
		b.refused.Add(1)
		c.statuses[fmt.Sprint(status)]++
	}
	if err != nil || status >= 500 {
		c.mu.Unlock()
		time.Sleep(20 * time.Millisecond) // as a patient client would
		c.mu.Lock()
	}
	return status
}

// ask gives the status of an answer that came whole.
func (c *crowd) ask(path, credential, from string) (int, error) {
	status, _, err := c.askOnce(path, credential, from, "")
	return status, err
}

// askOnce is ask for a request with a name, and gives the body as well.
func (c *crowd) askOnce(path, credential, from, key string) (status int, body []byte, err error) {
	req, err := http.NewRequest(http.MethodGet, c.base+path, nil)
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Authorization", credential)
	req.Header.Set("X-Forwarded-For", from)
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	res, err := c.client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	if body, err = io.ReadAll(res.Body); err != nil {
		return 0, nil, err
	}
	return res.StatusCode, body, nil
}

// settle waits until the ledger has given back what was in doubt, or servertest.Patience ends, and a second longer, in
// which nothing more may change. A reckoning tells which it was.
func (c *crowd) settle(credits int64) {
	c.t.Helper()
	settled := func() bool {
		for i, b := range c.buyers {
			if credits-c.remaining(b, netOf(i)) != b.answered.Load() {
				return false
			}
		}
		return true
	}
	for deadline := time.Now().Add(servertest.Patience); !settled() && time.Now().Before(deadline); {
		time.Sleep(100 * time.Millisecond)
	}
	time.Sleep(time.Second)
}

// A balance is what the ledger says of all buyers together, beside what they saw.
type reckoning struct{ answered, refused, unknown, used int64 }

// reckon asks for every balance and holds the law of credits: every 200 was paid for, and nothing else but, at most,
// requests whose answer never arrived.
func (c *crowd) reckon(credits int64) reckoning {
	c.t.Helper()
	var sum reckoning
	for i, b := range c.buyers {
		used := credits - c.remaining(b, netOf(i))
		if answered, unknown := b.answered.Load(), b.unknown.Load(); used < answered || used > answered+unknown {
			c.t.Errorf("buyer %d: %d credits used for %d answers, with %d requests that had no answer", i, used, answered, unknown)
		}
		sum.answered += b.answered.Load()
		sum.refused += b.refused.Load()
		sum.unknown += b.unknown.Load()
		sum.used += used
	}
	return sum
}

func (c *crowd) remaining(b *customer, from string) int64 {
	c.t.Helper()
	return remainingAt(c.t, c.base, b.credential, from)
}

// remainingAt returns what a credential has left, as the service at base states it.
func remainingAt(t *testing.T, base, credential, from string) int64 {
	t.Helper()
	res, body := servertest.Ask(t, http.MethodGet, base+"/v1/credits", "", "Authorization", credential, "X-Forwarded-For", from)
	if res.StatusCode != http.StatusOK {
		t.Fatalf("balance: status %d: %s", res.StatusCode, body)
	}
	return servertest.Decode[struct{ Remaining int64 }](t, body).Remaining
}

// tell logs what the clients saw and what it cost.
func (c *crowd) tell(r reckoning) {
	c.t.Helper()
	var seen []string
	for s, n := range c.statuses {
		seen = append(seen, fmt.Sprintf("%s ×%d", s, n))
	}
	slices.Sort(seen)
	c.t.Logf("clients saw %s; p99 of the 200s %s; longest time without a 200 %s", strings.Join(seen, ", "),
		quantile(c.times, .99).Round(100*time.Microsecond), c.longest.Round(time.Millisecond))
	if n := c.repeated.Load(); n > 0 {
		c.t.Logf("%d requests were repeated under the same name", n)
	}
	c.t.Logf("%d answers, %d credits used: %d spent without an answer, of %d requests that had none; %d refusals, free",
		r.answered, r.used, r.used-r.answered, r.unknown, r.refused)
}

func quantile(times []time.Duration, q float64) time.Duration {
	if len(times) == 0 {
		return 0
	}
	sorted := slices.Clone(times)
	slices.Sort(sorted)
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

// lasting gives an address for a service that will be away for a while, which nobody gets meanwhile.
func lasting(t *testing.T) string { return fmt.Sprintf("localhost:%d", freePort(t)) }

// restart starts the service again where p was, on the same address and with the same state.
func restart(t *testing.T, p *process, state string, args ...string) *process {
	t.Helper()
	t.Helper()
	return startServe(t, append([]string{"-state", state, "-http", strings.TrimPrefix(p.base, "http://")}, args...)...)
}
