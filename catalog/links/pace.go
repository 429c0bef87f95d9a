package links

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// A pacer keeps requests to one host apart, whoever makes them: one at a time, with a pause between two, and with the
// longer pauses that the host asks for.
type pacer struct {
	cfg   Config
	hosts sync.Map // *hostPace by name
}

type hostPace struct {
	turn    sync.Mutex // locked while a request waits or is under way; guards the fields below
	gap     time.Duration
	next    time.Time // when the next request may start
	blocked time.Time // until when the host wants no request
}

func (p *pacer) host(name string) *hostPace {
	h, _ := p.hosts.LoadOrStore(name, &hostPace{gap: p.cfg.Pace})
	return h.(*hostPace)
}

// acquire returns when the next request to a host may start. release must be called when it is over.
func (p *pacer) acquire(ctx context.Context, name string) (release func(), err error) {
	h := p.host(name)
	h.turn.Lock()
	for err == nil {
		now := p.cfg.Now()
		if h.blocked.Sub(now) > p.cfg.MaxWait {
			err = fmt.Errorf("%s %w until %s", name, errLater, h.blocked.UTC().Format(time.RFC3339))
			break
		}
		pause := max(h.next.Sub(now), h.blocked.Sub(now))
		if pause <= 0 {
			h.next = now.Add(h.gap)
			return h.turn.Unlock, nil
		}
		err = sleep(ctx, pause)
	}
	h.turn.Unlock()
	return nil, err
}

// slowDown lengthens the pause between two requests to a host.
func (p *pacer) slowDown(name string, gap time.Duration) {
	h := p.host(name)
	h.turn.Lock()
	defer h.turn.Unlock()
	h.gap = max(h.gap, min(gap, p.cfg.MaxWait))
}

// obey blocks a host for as long as its answer asks for (RFC 9110, section 10.2.3). It is called in the turn of the
// request.
func (p *pacer) obey(name string, status int, h http.Header) {
	if status != http.StatusTooManyRequests && status != http.StatusServiceUnavailable {
		return
	}
	host := p.host(name)
	if until, ok := retryAfter(h.Get("Retry-After"), p.cfg.Now()); ok && until.After(host.blocked) {
		host.blocked = until
	}
}

func retryAfter(value string, now time.Time) (time.Time, bool) {
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return now.Add(time.Duration(seconds) * time.Second), true
	}
	at, err := http.ParseTime(value)
	return at, err == nil
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
