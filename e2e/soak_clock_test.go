//go:build soak

package e2e

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"go.almanac.example/internal/problem"
	"go.almanac.example/l402"
	"go.almanac.example/l402/ledger"
	"go.almanac.example/l402/node/demo"
)

// TestSoakClock steps the clock both ways under paid load. The paywall and its ledger are the real ones; only their
// clock is ours, since a process cannot set the machine's.
func TestSoakClock(t *testing.T) {
	var offset atomic.Int64
	now := func() time.Time { return time.Now().Add(time.Duration(offset.Load())) }
	state := t.TempDir()
	keys, err := l402.OpenKeys(filepath.Join(state, "keys"))
	if err != nil {
		t.Fatal(err)
	}
	credits, err := ledger.Open(t.Context(), "sqlite:"+filepath.Join(state, "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer credits.Close()
	node := demo.New(keys.Derive("demo node"), now)
	wall, err := l402.New(t.Context(), l402.Config{
		Terms: l402.Terms{PriceSats: 100, Credits: soakCredits, Validity: 30 * 24 * time.Hour}, Memo: "clock",
		Invoicer: node, Ledger: credits, Keys: keys, Limits: l402.DefaultLimits(),
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Now: now, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/v1/search", wall.Protect(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "{}") }), nil))
	mux.Handle("/v1/credits", wall.CreditsHandler())
	mux.Handle("/demo/pay", node.PayHandler(problem.Writer{Log: slog.New(slog.DiscardHandler)}.Write))
	srv := httptest.NewServer(mux)
	defer srv.Close()

	c := newCrowd(t, srv.URL, 4)
	c.during(2, func() {
		step := func(by time.Duration, valid bool) {
			offset.Store(int64(by))
			for i, b := range c.buyers { // beside the crowd's requests, some of which began before
				status := c.search(b, netOf(i))
				if served := status == http.StatusOK; served != valid {
					t.Errorf("with the clock %s off, buyer %d gets %d", by, i, status)
				}
				if asked := status == http.StatusPaymentRequired || status == http.StatusTooManyRequests; asked == valid {
					t.Errorf("with the clock %s off, buyer %d gets %d", by, i, status)
				}
			}
			time.Sleep(*soakTime / 8)
		}
		step(0, true)
		step(time.Hour, true)
		step(-2*time.Hour, true)
		step(20*24*time.Hour, true)
		step(-20*24*time.Hour, true)
		step(40*24*time.Hour, false) // the days are over
		step(0, true)                // and are not, when the clock is right again
	})
	r := c.reckon(soakCredits)
	c.tell(r)
	faultFigures(t, c, r)
	if r.unknown > 0 || r.used != r.answered {
		t.Errorf("%d credits for %d answers", r.used, r.answered)
	}
}
