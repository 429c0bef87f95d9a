//go:build soak

package e2e

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"go.almanac.example/index/searchpb"
	"go.almanac.example/internal/problem"
	"go.almanac.example/server/servertest"
)

var (
	soakHold  = flag.Duration("soak.hold", 0, "how long 80 % of the maximum is held (0: twice -soak.time)")
	soakShare = flag.Float64("soak.share", .8, "share of the measured maximum that is held")
)

// A surface is one way to ask the service, with its weight in the load.
type surface struct {
	name   string
	weight int
	ask    func() (status int, err error)
	fine   func(status int) bool

	mu    sync.Mutex
	times []time.Duration
	seen  map[int]int
	lost  []error
}

func (s *surface) record(took time.Duration, status int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.lost = append(s.lost, err)
		return
	}
	s.seen[status]++
	s.times = append(s.times, took)
}

// busyStatus stands for every answer which says that the service has too much to do.
const busyStatus = -1

func (s *surface) reset() { s.times, s.seen, s.lost = nil, make(map[int]int), nil }

func only(want int) func(int) bool { return func(got int) bool { return got == want } }

// surfaces are all of them, as clients of many networks use them.
func surfaces(t *testing.T, p *process, c *crowd) []*surface {
	t.Helper()
	conn, err := grpc.NewClient(p.grpc, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	search := searchpb.NewSearchClient(conn)
	pages := []string{"/", "/library/", "/library/payments/", "/api/library/payments.json", "/api/protocol-facts.json", "/protocols/l402/",
		"/api/entries/aperture-l402-proxy.json", "/changes/feed.atom", "/llms.txt", "/support.json", "/datasets/library/card.json", "/dataset/library.csv"}
	words := []string{"macaroon", "x402", "bolt 12", "lightning invoice", "agent identity", "stablecoin", "lsat", "mcp tools"}
	calls := []string{
		`{"name":"get_entry","arguments":{"ids":["aperture-l402-proxy"]}}`, `{"name":"list_tags","arguments":{}}`,
		`{"name":"list_entries","arguments":{"category":"payments"}}`, `{"name":"get_protocol_facts","arguments":{"protocols":["l402"]}}`,
	}
	any := func() (*customer, string) { i := rand.IntN(len(c.buyers)); return c.buyers[i], netOf(i) }
	list := []*surface{
		{name: "mirror", weight: 60, fine: only(200), ask: func() (int, error) {
			_, from := any()
			return c.ask(pages[rand.IntN(len(pages))], "", from)
		}},
		{name: "mcp", weight: 15, fine: only(200), ask: func() (int, error) { return c.call(calls[rand.IntN(len(calls))]) }},
		{name: "search", weight: 15, fine: only(200), ask: func() (int, error) {
			b, from := any()
			status, body, err := c.askOnce("/v1/search?q="+strings.ReplaceAll(words[rand.IntN(len(words))], " ", "+"), b.credential, from, "")
			if servertest.TooBusy(status, body) {
				status = busyStatus
			}
			return status, err
		}},
		{name: "grpc", weight: 5, fine: only(int(codes.OK)), ask: func() (int, error) {
			b, _ := any()
			ctx, cancel := context.WithTimeout(metadata.AppendToOutgoingContext(context.Background(), "authorization", b.credential), time.Minute)
			defer cancel()
			_, err := search.Search(ctx, &searchpb.SearchRequest{Q: words[rand.IntN(len(words))]})
			said := status.Convert(err).Message()
			if strings.HasPrefix(said, string(problem.Overloaded)+": ") || strings.HasPrefix(said, string(problem.Timeout)+": ") {
				return busyStatus, nil
			}
			return int(status.Code(err)), nil
		}},
		{name: "credits", weight: 4, fine: only(200), ask: func() (int, error) {
			b, from := any()
			return c.ask("/v1/credits", b.credential, from)
		}},
		// Challenges are limited for everybody together, whatever the load: over the limit 429 is the right answer.
		{name: "challenge", weight: 1, fine: func(s int) bool { return s == 402 || s == 429 }, ask: func() (int, error) {
			return c.ask("/v1/search?q=x", "", netOf(rand.IntN(60000)))
		}},
	}
	for _, s := range list {
		s.reset()
	}
	return list
}

// call calls a tool.
func (c *crowd) call(params string) (int, error) {
	req, err := http.NewRequest(http.MethodPost, c.base+"/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+params+`}`))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("MCP-Protocol-Version", "2025-11-25")
	res, err := c.client.Do(req)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err == nil && strings.Contains(string(body), "The call timed out.") {
		return busyStatus, nil
	}
	if err == nil && strings.Contains(string(body), `"isError":true`) {
		return 0, fmt.Errorf("tool error: %s", body)
	}
	return res.StatusCode, err
}

// choose picks surfaces by their weights.
func choose(list []*surface) *surface {
	n := rand.IntN(100)
	for _, s := range list {
		if n -= s.weight; n < 0 {
			return s
		}
	}
	return list[0]
}

// flood asks as fast as answers come, and gives the number of answers on record.
func flood(ctx context.Context, list []*surface, workers int) float64 {
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for ctx.Err() == nil {
				s := choose(list)
				at := time.Now()
				code, err := s.ask()
				s.record(time.Since(at), code, err)
			}
		})
	}
	wg.Wait()
	n := 0
	for _, s := range list {
		n += len(s.times)
	}
	return float64(n)
}

// hold asks at a rate, whether answers come or not: the time of an answer counts from when it should have been asked for.
func hold(ctx context.Context, list []*surface, rate float64, workers int) {
	var wg sync.WaitGroup
	gap := time.Duration(float64(workers) / rate * float64(time.Second))
	for i := range workers {
		wg.Go(func() {
			next := time.Now().Add(gap * time.Duration(i) / time.Duration(workers))
			for ; ctx.Err() == nil; next = next.Add(gap) {
				if d := time.Until(next); d > 0 {
					time.Sleep(d)
				}
				s := choose(list)
				code, err := s.ask()
				s.record(time.Since(next), code, err)
			}
		})
	}
	wg.Wait()
}

// loadWorkers ask at once when the most is measured; four times as many hold the rate.
const loadWorkers = 48

// TestSoakLoad measures the most that all surfaces answer at once on this machine, the load's own work included, and
// then holds a share of it. Nothing may fail, and nothing may grow.
func TestSoakLoad(t *testing.T) {
	p := startServe(t, append(hurried, bulk...)...)
	c := newCrowd(t, p.base, 40)
	list := surfaces(t, p, c)
	// Other work may take the machine between the measure and the load, which is then too much for what is left, and is told so:
	// then both are made again. What fails otherwise fails at once.
	const tries = 3
	for try := 1; ; try++ {
		if loadAndHold(t, p, list) {
			return
		}
		if try == tries {
			t.Fatalf("%d times %.0f %% of what the machine had just answered was too much for it", tries, 100**soakShare)
		}
	}
}

// loadAndHold is one measure and one load. It tells whether nothing was refused for being too much.
func loadAndHold(t *testing.T, p *process, list []*surface) bool {
	const workers = loadWorkers
	within := func(d time.Duration, f func(ctx context.Context)) {
		ctx, cancel := context.WithTimeout(t.Context(), d)
		defer cancel()
		f(ctx)
	}
	within(2*time.Second, func(ctx context.Context) { flood(ctx, list, workers) }) // warm
	for _, s := range list {
		s.reset()
	}
	// The most is what every fifth of the time kept up: a machine has other things to do now and then.
	most, answers := math.Inf(1), 0.0
	for range 5 {
		within(*soakTime/5, func(ctx context.Context) {
			n := flood(ctx, list, workers)
			most, answers = min(most, n-answers), n
		})
	}
	most /= soakTime.Seconds() / 5
	t.Logf("most: %.0f requests a second on %d processors, which the load shares", most, runtime.NumCPU())
	_, enough := report(t, list)

	length := *soakHold
	if length == 0 {
		length = 2 * *soakTime
	}
	rate := *soakShare * most
	t.Logf("holding %.0f requests a second for %s", rate, length)
	cpu := p.gauge("process_cpu_seconds_total")
	began := time.Now()
	memory := watchMemory(t, p, length, func(ctx context.Context) { hold(ctx, list, rate, 4*workers) })
	for _, s := range list {
		figures(t, tableLoad, s.name, s.name, s.statuses(), brief(quantile(s.times, .5)), brief(quantile(s.times, .99)), brief(quantile(s.times, 1)))
	}
	total, held := report(t, list)
	length = time.Since(began)
	cpu = p.gauge("process_cpu_seconds_total") - cpu
	t.Logf("%d answers, %.0f a second; %.0f µs of processor time each", total, float64(total)/length.Seconds(), cpu/float64(total)*1e6)
	figures(t, tableHeld, "held", thousands(int64(most)), thousands(int64(rate)), length.Round(time.Second).String(), thousands(int64(total)),
		fmt.Sprintf("%.0f µs", cpu/float64(total)*1e6))
	memory.tell(t)
	return enough && held
}

// TestSoakCost measures what one request of each surface takes of the processor, here and in PostgreSQL. It is a measure that other work on the machine disturbs little.
func TestSoakCost(t *testing.T) {
	for _, kind := range []string{"sqlite", "postgres"} {
		t.Run(kind, func(t *testing.T) {
			args, database := append(hurried, bulk...), func() float64 { return 0 }
			if kind == "postgres" {
				pg := startPostgres(t)
				args, database = append([]string{"-ledger", pg.url()}, args...), pg.cpu
			}
			p := startServe(t, args...)
			c := newCrowd(t, p.base, 40)
			for _, s := range surfaces(t, p, c) {
				alone := []*surface{s}
				ctx, cancel := context.WithTimeout(t.Context(), *soakTime)
				cpu, pg, sent := p.gauge("process_cpu_seconds_total"), database(), p.sent()
				flood(ctx, alone, 16)
				cancel()
				cpu, pg, sent = p.gauge("process_cpu_seconds_total")-cpu, database()-pg, p.sent()-sent
				n := float64(len(s.times))
				inDatabase, bytes := "–", "–" // what is not used, and what is not counted
				if pg > 0 {
					inDatabase = fmt.Sprintf("%.0f", pg/n*1e6)
				}
				if sent > 0 {
					bytes = fmt.Sprintf("%.1f", sent/n/1e3)
				}
				if kind == "sqlite" || pg > 0 { // the others are as with SQLite
					figures(t, tableRequests, s.name+" "+kind, s.name, kind, fmt.Sprintf("%.0f", cpu/n*1e6), inDatabase, bytes,
						thousands(int64(n/soakTime.Seconds())), brief(quantile(s.times, .99)))
				}
				t.Logf("%-9s %7.0f a second, %6.1f µs of processor time, %6.1f in the database, %6.0f bytes, p50 %s, p99 %s", s.name, n/soakTime.Seconds(), cpu/n*1e6, pg/n*1e6, sent/n,
					quantile(s.times, .5).Round(10*time.Microsecond), quantile(s.times, .99).Round(10*time.Microsecond))
			}
		})
	}
}

// sent is how many bytes of answers were written over HTTP.
func (p *process) sent() (sum float64) {
	for line := range strings.Lines(p.metrics()) {
		var v float64
		if rest, ok := strings.CutPrefix(line, "almanac_response_bytes_total{"); ok {
			if _, value, _ := strings.Cut(rest, "} "); value != "" {
				fmt.Sscan(value, &v)
				sum += v
			}
		}
	}
	return sum
}

// report tells what each surface answered, resets it, and gives the number of answers, and whether none said that the service was
// too busy.
func report(t *testing.T, list []*surface) (total int, held bool) {
	t.Helper()
	held = true
	for _, s := range list {
		t.Logf("%-9s %8d answers %v, p50 %8s, p99 %8s, max %8s", s.name, len(s.times), s.seen,
			quantile(s.times, .5).Round(10*time.Microsecond), quantile(s.times, .99).Round(10*time.Microsecond), quantile(s.times, 1).Round(time.Millisecond))
		if len(s.lost) > 0 {
			t.Errorf("%s: %d requests had no answer; the first: %v", s.name, len(s.lost), s.lost[0])
		}
		for code, n := range s.seen {
			if code == busyStatus {
				held = false
			} else if !s.fine(code) {
				t.Errorf("%s: %d answers %d", s.name, n, code)
			}
		}
		total += len(s.times)
		s.reset()
	}
	return total, held
}

// A memoryWatch holds how much a process used over time.
type memoryWatch struct{ resident, heap, routines []float64 }

// watchMemory looks a hundred times while f runs. A machine that is too busy for that looks less often, but 25 times, for as long
// as it takes; f runs until then.
func watchMemory(t *testing.T, p *process, length time.Duration, f func(context.Context)) *memoryWatch {
	t.Helper()
	m := &memoryWatch{}
	ctx, done := context.WithCancel(t.Context())
	defer done()
	var wg sync.WaitGroup
	wg.Go(func() {
		defer done()
		tick := time.NewTicker(max(length/100, 50*time.Millisecond))
		defer tick.Stop()
		for end := time.Now().Add(length); len(m.heap) < 25 || time.Now().Before(end); <-tick.C {
			m.resident = append(m.resident, p.gauge("process_resident_memory_bytes"))
			m.heap = append(m.heap, p.gauge("go_memstats_heap_inuse_bytes"))
			m.routines = append(m.routines, p.gauge("go_goroutines"))
		}
	})
	f(ctx)
	wg.Wait()
	return m
}

// routineSlack is how many goroutines a process may have more at one time than at another: two for each connection of the load, of which
// more or fewer are open as the rate is kept with ease or not. One left behind by every hundredth request would be far above it.
const routineSlack = 2 * 4 * loadWorkers

// tell compares the second fifth with the last one: the first is for filling caches.
func (m *memoryWatch) tell(t *testing.T) {
	t.Helper()
	for _, x := range []struct {
		name        string
		values      []float64
		unit, slack float64
	}{{"resident MB", m.resident, 1e6, 30e6}, {"heap MB", m.heap, 1e6, 30e6}, {"goroutines", m.routines, 1, routineSlack}} {
		n := len(x.values) / 5
		if n == 0 {
			t.Fatal("too short to look at memory")
		}
		early, late := median(x.values[n:2*n]), median(x.values[4*n:])
		figures(t, tableMemory, x.name, x.name+" under load, early and late", fmt.Sprintf("%.0f, %.0f", early/x.unit, late/x.unit))
		t.Logf("%s: %.0f in the second fifth, %.0f in the last", x.name, early/x.unit, late/x.unit)
		if late > 1.2*early+x.slack {
			t.Errorf("%s grew from %.0f to %.0f", x.name, early/x.unit, late/x.unit)
		}
	}
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
