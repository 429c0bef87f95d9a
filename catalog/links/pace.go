package links

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// A pacer keeps requests to one host apart, whoever makes them: one at a time, with a pause between two, and with the
// longer pauses that the host asks for.
type pacer struct {
	gap     time.Duration
	maxWait time.Duration
	now     func() time.Time

	mu    sync.Mutex
	hosts map[string]*hostPace
}

type hostPace struct {
	busy    chan struct{} // full while a request is under way
	gap     time.Duration
	next    time.Time // when the next request may start
	blocked time.Time // until when the host wants no request
}

func newPacer(cfg Config) *pacer {
	return &pacer{gap: cfg.Pace, maxWait: cfg.MaxWait, now: cfg.Now, hosts: make(map[string]*hostPace)}
}

func (p *pacer) host(name string) *hostPace {
	h := p.hosts[name]
	if h == nil {
		h = &hostPace{busy: make(chan struct{}, 1), gap: p.gap}
		p.hosts[name] = h
	}
	return h
}

// acquire returns when the next request to a host may start. release must be called when it is over.
func (p *pacer) acquire(ctx context.Context, name string) (release func(), err error) {
	p.mu.Lock()
	busy := p.host(name).busy
	p.mu.Unlock()
	select {
	case busy <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err := p.wait(ctx, name); err != nil {
		<-busy
		return nil, err
	}
	return func() { <-busy }, nil
}

// wait returns when the pause after the last request to a host is over.
func (p *pacer) wait(ctx context.Context, name string) error {
	for {
		pause, err := p.reserve(name)
		if err != nil || pause <= 0 {
			return err
		}
		if err := sleep(ctx, pause); err != nil {
			return err
		}
	}
}

// reserve reserves the next request to a host, or returns how long to wait before asking again.
func (p *pacer) reserve(name string) (time.Duration, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	h, now := p.host(name), p.now()
	if h.blocked.Sub(now) > p.maxWait {
		return 0, errLater
	}
	at := h.next
	if h.blocked.After(at) {
		at = h.blocked
	}
	if pause := at.Sub(now); pause > 0 {
		return pause, nil
	}
	h.next = now.Add(h.gap)
	return 0, nil
}

// slowDown lengthens the pause between two requests to a host.
func (p *pacer) slowDown(name string, gap time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.host(name)
	h.gap = max(h.gap, min(gap, p.maxWait))
}

// obey blocks a host for as long as its answer asks for (RFC 9110, section 10.2.3).
func (p *pacer) obey(name string, status int, h http.Header) {
	if status != http.StatusTooManyRequests && status != http.StatusServiceUnavailable {
		return
	}
	until, ok := retryAfter(h.Get("Retry-After"), p.now())
	if !ok {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if host := p.host(name); until.After(host.blocked) {
		host.blocked = until
	}
}

// blockedUntil returns until when a host wants no request, or the zero time when it did not say.
func (p *pacer) blockedUntil(name string) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.host(name).blocked
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
