package l402_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/load"
	"go.almanac.example/index"
	"go.almanac.example/internal/problem"
	"go.almanac.example/l402"
	"go.almanac.example/l402/ledger"
)

// BenchmarkVerify is what a credential costs before the ledger is asked: the first time, and when its macaroon is
// remembered.
func BenchmarkVerify(b *testing.B) {
	s := openShop(b, func(c *l402.Config) { c.Log = discard() })
	t := s.buy()
	narrowed := t.narrowed("almanac_credits=9", "almanac_valid_until=1796000000")
	for _, bc := range []struct {
		name, header string
		first, ok    bool
	}{
		{"first time", t.header(), true, true},
		{"remembered", t.header(), false, true},
		{"narrowed twice, first time", narrowed.header(), true, true},
		{"narrowed twice, remembered", narrowed.header(), false, true},
		{"wrong preimage", bearer(std(t.raw), t.hash.String()), true, false},
	} {
		b.Run(bc.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if bc.first {
					s.paywall.Forget()
				}
				if err := s.paywall.Admit(bc.header); (err == nil) != bc.ok {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkChallenge is what an unpaid request costs with the demo node, which signs its invoice.
func BenchmarkChallenge(b *testing.B) {
	s := openShop(b, func(c *l402.Config) { c.Log = discard() })
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := s.paywall.Challenge(context.Background(), addr("192.0.2.1"), nil); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "challenges/s")
}

// connections is how many clients ask at once.
const connections = 64

// BenchmarkPaid compares answers that are paid for, each with a durable debit in SQLite, with the same answers given
// away, in turns over the same connections: the real search, for questions whose answers it keeps ready and for new
// ones, and goods that cost next to nothing, which show the whole price of the paywall. The clients share the process
// and its processors: what they take is the same for both, and brings the ratios nearer to 1. Where the disk syncs
// slowly, it decides the rate of the paid.
func BenchmarkPaid(b *testing.B) {
	plain := []byte(strings.Repeat(`{"id":"x402-spec","title":"x402"}`, 60)) // 2 kB
	nothing := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Write(plain)
	})
	for _, goods := range []struct {
		name     string
		handler  func(b *testing.B) http.Handler
		question func(i int) string
	}{
		{"new searches", func(b *testing.B) http.Handler { return search(b, -1) }, someQuestion},
		{"repeated searches", func(b *testing.B) http.Handler { return search(b, 1000) }, func(i int) string { return someQuestion(i % 16) }},
		{"nothing", func(*testing.B) http.Handler { return nothing }, someQuestion},
	} {
		for name, tokens := range map[string]int{"one hot credential": 1, "1000 credentials": 1000} {
			b.Run(goods.name+"/"+name, func(b *testing.B) { benchmarkPaid(b, goods.handler(b), goods.question, tokens) })
		}
	}
}

// search is the handler of GET /v1/search over the published data, which keeps so many answers.
func search(b *testing.B, answers int) http.Handler {
	site := catalog.Site{Base: "http://localhost:8402", API: "http://localhost:8402", MCP: "http://localhost:8402"}
	c, err := load.Load(os.DirFS("../fixtures"), catalog.Options{Site: site})
	if err != nil {
		b.Fatal(err)
	}
	x, err := index.Reload(nil, c, index.Options{Timeout: time.Minute})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { x.Close() })
	return &index.Handler{Index: x,
		Credits: func(ctx context.Context) (*index.Credits, bool) {
			balance, ok := l402.BalanceFrom(ctx)
			if !ok {
				return nil, false
			}
			return &index.Credits{Remaining: balance.Remaining, ValidUntil: balance.ValidUntil.Format(time.RFC3339)}, true
		},
		Fail: problem.Writer{Log: discard()}.Write,
	}
}

// someQuestion is the i-th of some thousand questions.
func someQuestion(i int) string {
	words := []string{"agent", "payment", "lightning", "invoice", "wallet", "token", "header", "robot", "security", "identity", "macaroon", "protocol"}
	n := len(words)
	return words[i%n] + "+" + words[i/n%n] + "+" + words[i/n/n%n]
}

func benchmarkPaid(b *testing.B, goods http.Handler, question func(int) string, tokens int) {
	l, err := ledger.Open(b.Context(), "sqlite:"+filepath.Join(b.TempDir(), "ledger.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	s := openShopOn(b, l, func(c *l402.Config) {
		c.Log, c.Terms.Credits = discard(), 1<<30
	})
	mux := http.NewServeMux()
	mux.Handle("/paid", s.paywall.Protect(goods, nil))
	mux.Handle("/free", goods)
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	srv := &http.Server{Handler: mux}
	go srv.Serve(lis)
	defer srv.Close()

	credentials := make([]string, tokens)
	for i := range credentials {
		c, err := s.paywall.Challenge(b.Context(), addr("192.0.2.1"), nil)
		if err != nil {
			b.Fatal(err)
		}
		p, err := s.node.Pay(c.Invoice)
		if err != nil {
			b.Fatal(err)
		}
		credentials[i] = "Authorization: " + bearer(c.Macaroon, p.String())
	}
	clients := make([]*rawClient, connections)
	for i := range clients {
		if clients[i], err = dialRaw(lis.Addr().String()); err != nil {
			b.Fatal(err)
		}
		defer clients[i].Close()
	}
	asked := 0
	run := func(path string, header []string, n int) (wall, cpu time.Duration) {
		var next atomic.Int64
		var wg sync.WaitGroup
		start, cpuStart := time.Now(), cpuTime()
		for _, c := range clients {
			wg.Go(func() {
				for i := int(next.Add(1)); i <= n; i = int(next.Add(1)) {
					if status := c.get(path, question(asked+i), header[i%len(header)]); status != 200 {
						b.Errorf("status %d", status)
						return
					}
				}
			})
		}
		wg.Wait()
		return time.Since(start), cpuTime() - cpuStart
	}
	free := []string{"X-Same-Length: " + strings.Repeat("x", len(credentials[0]))}
	run("/paid", credentials, 1000) // warm up
	run("/free", free, 1000)
	b.ResetTimer()
	var paid, unpaid, paidCPU, unpaidCPU time.Duration
	const turns = 8 // so that a change of the machine's mood meets both
	n := b.N/turns + 1
	for range turns {
		wall, cpu := run("/free", free, n)
		unpaid, unpaidCPU = unpaid+wall, unpaidCPU+cpu
		wall, cpu = run("/paid", credentials, n)
		paid, paidCPU = paid+wall, paidCPU+cpu
		asked += n
	}
	b.StopTimer()
	count := float64(n * turns)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(count/paid.Seconds(), "paid/s")
	b.ReportMetric(count/unpaid.Seconds(), "unpaid/s")
	b.ReportMetric(unpaid.Seconds()/paid.Seconds(), "paid/unpaid")
	b.ReportMetric(float64((paidCPU-unpaidCPU).Nanoseconds())/count, "extra-cpu-ns/op")
	b.ReportMetric(unpaidCPU.Seconds()/paidCPU.Seconds(), "unpaid-cpu/paid-cpu") // what the ratio is when the processor is the limit
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestMemoryOfRefusals refuses a million requests from a hundred thousand networks, and finds the memory as it was.
func TestMemoryOfRefusals(t *testing.T) {
	n := 1_000_000
	if testing.Short() || raceDetector {
		n = 50_000
	}
	s := openShop(t, func(c *l402.Config) {
		c.Log = discard()
		c.Limits = l402.ChallengeLimits{Rate: 1000, Outstanding: 30, Proven: 20}
	})
	handler := s.paywall.Protect(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("served") }), nil)
	refuse := func(from, to int) {
		for i := from; i < to; i++ {
			r, _ := http.NewRequest("GET", "/v1/search?q=a", nil)
			r.RemoteAddr = fmt.Sprintf("%d.%d.%d.1:1", 11+i%7, i/256%256, i%256)
			if i%2 == 1 {
				r.Header.Set("Authorization", "L402 AgEHYWxtYW5hYw==:00000000000000000000000000000000000000000000000000000000000000ff")
			}
			handler.ServeHTTP(discardResponse{}, r)
		}
	}
	refuse(0, n/2) // caches are full then
	before := heap()
	refuse(n/2, n)
	after := heap()
	t.Logf("heap after %d refusals %d kB, after %d %d kB; %d invoices", n/2, before>>10, n, after>>10, s.node.calls.Load())
	if after > before+before/10+(256<<10) {
		t.Errorf("heap grew from %d to %d bytes", before, after)
	}
	if calls := s.node.calls.Load(); calls > 30 {
		t.Errorf("%d invoices", calls)
	}
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

type discardResponse struct{}

func (discardResponse) Header() http.Header         { return http.Header{} }
func (discardResponse) Write(b []byte) (int, error) { return len(b), nil }
func (discardResponse) WriteHeader(int)             {}
