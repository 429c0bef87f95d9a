package ops

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

const (
	logBurst = 10
	// samePrefix is how much of two messages must be equal for them to count as the same. Ours are constants; those of net/http name the
	// client further on.
	samePrefix = 20
)

// NewRateLimitedHandler returns a handler that passes the same message of level warn or above to next at most ten times at once and once a
// second after that, and then adds how many it held back. Otherwise a ledger that fails under load would fill the disk with
// complaints about itself. Messages below warn pass unchanged.
func NewRateLimitedHandler(next slog.Handler, now func() time.Time) slog.Handler {
	return &rateLimitedHandler{Handler: next, messages: &messageLimits{now: now, seen: make(map[string]*messageLimit)}}
}

type rateLimitedHandler struct {
	slog.Handler
	messages *messageLimits
}

// Handle implements slog.Handler.
func (h *rateLimitedHandler) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= slog.LevelWarn {
		held, ok := h.messages.allow(r.Message)
		if !ok {
			return nil
		}
		if held > 0 {
			r = r.Clone()
			r.AddAttrs(slog.Int("held_back", held))
		}
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h *rateLimitedHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &rateLimitedHandler{h.Handler.WithAttrs(attrs), h.messages}
}

// WithGroup implements slog.Handler.
func (h *rateLimitedHandler) WithGroup(name string) slog.Handler {
	return &rateLimitedHandler{h.Handler.WithGroup(name), h.messages}
}

// messageLimits are shared by all handlers that derive from one.
type messageLimits struct {
	now func() time.Time

	mu   sync.Mutex
	seen map[string]*messageLimit // by the beginning of the message
}

type messageLimit struct {
	limiter *rate.Limiter
	held    int // since the last one that passed
}

// allow reports whether a message passes, and how many like it were held back before it.
func (m *messageLimits) allow(message string) (held int, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := message[:min(len(message), samePrefix)]
	limit := m.seen[key]
	if limit == nil {
		limit = &messageLimit{limiter: rate.NewLimiter(1, logBurst)}
		m.seen[key] = limit
	}
	if !limit.limiter.AllowN(m.now(), 1) {
		limit.held++
		return 0, false
	}
	held, limit.held = limit.held, 0
	return held, true
}
