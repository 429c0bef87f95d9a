package links

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// errLater is met by a request to a host that asked to be left alone for longer than we wait.
var errLater = errors.New("the host asked to be left alone")

// A pacer keeps one request at a time to one host, whoever makes them, the pause between two, and the longer pauses
// that a host asks for.
type pacer struct {
	gap     time.Duration
	longest time.Duration
	now     func() time.Time

	mu    sync.Mutex
	hosts map[string]*hostPace
}

type hostPace struct {
	turn    chan struct{} // full while a request is under way
	gap     time.Duration
	next    time.Time // when the next request may start
	blocked time.Time // until when the host wants none
}

func newPacer(cfg Config) *pacer {
	return &pacer{gap: cfg.Pace, longest: cfg.LongestNap, now: cfg.Now, hosts: make(map[string]*hostPace)}
}

func (p *pacer) host(name string) *hostPace {
	h := p.hosts[name]
	if h == nil {
		h = &hostPace{turn: make(chan struct{}, 1), gap: p.gap}
		p.hosts[name] = h
	}
	return h
}

// enter returns when the next request to the host may start; leave tells that it is over.
func (p *pacer) enter(ctx context.Context, name string) (leave func(), err error) {
	p.mu.Lock()
	turn := p.host(name).turn
	p.mu.Unlock()
	select {
	case turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err := p.wait(ctx, name); err != nil {
		<-turn
		return nil, err
	}
	return func() { <-turn }, nil
}

// wait returns when the pause after the last request to the host is over.
func (p *pacer) wait(ctx context.Context, name string) error {
	for {
		nap, err := p.reserve(name)
		if err != nil || nap <= 0 {
			return err
		}
		if err := sleep(ctx, nap); err != nil {
			return err
		}
	}
}

// reserve takes the next turn of the host when it has come, and else says how long that takes.
func (p *pacer) reserve(name string) (time.Duration, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	h, now := p.host(name), p.now()
	if h.blocked.Sub(now) > p.longest {
		return 0, errLater
	}
	at := h.next
	if h.blocked.After(at) {
		at = h.blocked
	}
	if nap := at.Sub(now); nap > 0 {
		return nap, nil
	}
	h.next = now.Add(h.gap)
	return 0, nil
}

// slow lengthens the pause between two requests to a host.
func (p *pacer) slow(name string, gap time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.host(name)
	h.gap = max(h.gap, min(gap, p.longest))
}

// heed leaves a host alone for as long as an answer of it asks (RFC 9110, 10.2.3).
func (p *pacer) heed(name string, status int, h http.Header) {
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

// blockedUntil tells until when a host wants no request; the zero time when it said nothing.
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
