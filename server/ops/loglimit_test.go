package ops

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestRateLimitedHandler(t *testing.T) {
	c := newClock()
	var out bytes.Buffer
	log := slog.New(NewRateLimitedHandler(slog.NewTextHandler(&out, nil), c.now)).With("part", "ledger")
	count := func(text string) int { return strings.Count(out.String(), text) }
	for range 1000 {
		log.Error("the ledger fails")
		log.Info("request")
	}
	log.Error("another fault")
	if got := count(`msg="the ledger fails"`); got != logBurst {
		t.Errorf("%d complaints passed, want %d", got, logBurst)
	}
	if count("msg=request") != 1000 || count("another fault") != 1 {
		t.Error("other messages were held back")
	}
	c.t = c.t.Add(time.Second)
	log.Error("the ledger fails")
	if count(`msg="the ledger fails" part=ledger held_back=990`) != 1 {
		t.Errorf("nothing tells what was held back: %s", out.String()[out.Len()-200:])
	}
}

// TestRefusalsAreSampled: in a flood of refusals, the access log has some of each status and the number of the rest, and
// every request that was answered.
func TestRefusalsAreSampled(t *testing.T) {
	c := newClock()
	var out bytes.Buffer
	m := Middleware{Metrics: NewMetrics("test", c.now), Now: c.now, Access: slog.New(NewRefusalSampler(slog.NewTextHandler(&out, nil), c.now))}
	h := m.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if status, err := strconv.Atoi(r.URL.Path[1:]); err == nil {
			w.WriteHeader(status)
		}
	}))
	flood := func() {
		for range 1000 {
			for _, path := range []string{"/200", "/402", "/503"} {
				h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", path, nil))
			}
		}
	}
	flood()
	for status, want := range map[string]int{"200": 1000, "402": refusalBurst, "503": refusalBurst} {
		if got := strings.Count(out.String(), " status="+status+" "); got != want {
			t.Errorf("%d lines with status %s, want %d", got, status, want)
		}
	}
	out.Reset()
	c.t = c.t.Add(time.Second)
	flood()
	if got := strings.Count(out.String(), " status=402 "); got != refusalRate {
		t.Errorf("%d lines with status 402 in a second, want %d", got, refusalRate)
	}
	if got := strings.Count(out.String(), "held_back=900"); got != 2 {
		t.Errorf("%d lines tell the number of the rest, want one for each status", got)
	}
}
