package client_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.almanac.example/http402/bolt11"
	"go.almanac.example/http402/client"
	"go.almanac.example/http402/client/clienttest"
	"go.almanac.example/http402/journal"
)

// A cachedPair is a paying transport with a credential at hand, and a plain one. The round trip itself is left out: the seller's answer is there at once,
// with a balance that falls.
type cachedPair struct {
	url        string
	credential string
	plain      http.RoundTripper
	paying     http.RoundTripper
}

func newCachedPair(tb testing.TB) *cachedPair {
	tb.Helper()
	node := clienttest.NewNode()
	srv := httptest.NewServer(&clienttest.Seller{T: tb, Payee: node, Price: 1, Credits: 1 << 40, Counts: true})
	tb.Cleanup(srv.Close)
	j, err := journal.Open(tb.Context(), filepath.Join(tb.TempDir(), "journal.db"))
	if err != nil {
		tb.Fatal(err)
	}
	c, err := client.New(client.Config{Wallet: node, Journal: j, Budget: usual, Networks: []string{bolt11.Regtest}})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { c.Close() })
	resp, err := (&http.Client{Transport: &client.Transport{Client: c}}).Get(srv.URL + "/a") // buys
	if err != nil {
		tb.Fatal(err)
	}
	resp.Body.Close()
	var left atomic.Int64
	left.Store(1 << 40)
	answer := roundTripper(func(r *http.Request) (*http.Response, error) {
		n := strconv.FormatInt(left.Add(-1), 10)
		h := http.Header{"X-Credit-Balance": {n}, "Ratelimit": {`"credits";r=` + n + `;t=3600`}, "Ratelimit-Policy": {`"credits";q=100;w=3600`}}
		return &http.Response{StatusCode: 200, Header: h, Body: http.NoBody, Request: r}, nil
	})
	return &cachedPair{srv.URL + "/a", c.Find(tb.Context(), srv.URL, "/a").Value(), answer, &client.Transport{Client: c, Base: answer}}
}

// requests sends some requests.
func (p *cachedPair) requests(tb testing.TB, byHand bool, more func() bool) {
	transport := p.paying
	if byHand {
		transport = p.plain
	}
	hc := &http.Client{Transport: transport}
	for more() {
		req, err := http.NewRequest("GET", p.url, nil)
		if err != nil {
			tb.Fatal(err)
		}
		if byHand {
			req.Header.Set("Authorization", p.credential)
		}
		resp, err := hc.Do(req)
		if err != nil || resp.StatusCode != 200 {
			tb.Fatal(resp, err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
}

func BenchmarkCached(b *testing.B) {
	p := newCachedPair(b)
	for name, byHand := range map[string]bool{"plain": true, "paying": false} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			p.requests(b, byHand, b.Loop)
		})
	}
}

// TestOverhead: a request with a credential at hand costs at most 10 microseconds more than one where it was put there by hand.
func TestOverhead(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector makes everything slow")
	}
	p := newCachedPair(t)
	least := func(byHand bool) time.Duration {
		d := time.Hour
		for range 3 {
			const n = 20_000
			begin, i := cpu(t), 0
			p.requests(t, byHand, func() bool { i++; return i <= n })
			d = min(d, (cpu(t)-begin)/n)
		}
		return d
	}
	plain, paying := least(true), least(false)
	t.Logf("plain %s, paying %s", plain, paying)
	if paying-plain > 10*time.Microsecond {
		t.Errorf("a cached credential costs %s, want at most 10µs", paying-plain)
	}
}

// cpu returns the processor time that this process has used.
func cpu(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
