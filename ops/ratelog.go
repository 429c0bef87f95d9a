package ops

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// NewRateLimitedHandler gives a handler that lets a message of level warn or above through at most ten times at once and once a second after that,
// and then says how many it held back. A ledger that fails under load would else fill the disk with its own complaint. Other messages
// pass as they are.
func NewRateLimitedHandler(next slog.Handler, now func() time.Time) slog.Handler {
	return &calm{Handler: next, state: &calmState{now: now, seen: make(map[string]*complaint)}}
}

type calm struct {
	slog.Handler
	state *calmState
}

type calmState struct {
	now func() time.Time

	mu   sync.Mutex
	seen map[string]*complaint // by the beginning of the message
}

type complaint struct {
	limit *rate.Limiter
	held  int
}

const (
	calmBurst = 10
	// sameStart is how much of two messages must be equal for them to be one complaint. Ours are constants; those of net/http
	// name the client further on.
	sameStart = 20
)

// Handle implements slog.Handler.
func (c *calm) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= slog.LevelWarn {
		held, ok := c.state.let(r.Message)
		if !ok {
			return nil
		}
		if held > 0 {
			r = r.Clone()
			r.AddAttrs(slog.Int("held_back", held))
		}
	}
	return c.Handler.Handle(ctx, r)
}

// let tells whether a message passes, and how many of its kind did not since the last one that did.
func (s *calmState) let(message string) (held int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	start := message[:min(len(message), sameStart)]
	x := s.seen[start]
	if x == nil {
		x = &complaint{limit: rate.NewLimiter(1, calmBurst)}
		s.seen[start] = x
	}
	if !x.limit.AllowN(now, 1) {
		x.held++
		return 0, false
	}
	held, x.held = x.held, 0
	return held, true
}

// WithAttrs implements slog.Handler.
func (c *calm) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &calm{c.Handler.WithAttrs(attrs), c.state}
}

// WithGroup implements slog.Handler.
func (c *calm) WithGroup(name string) slog.Handler {
	return &calm{c.Handler.WithGroup(name), c.state}
}
