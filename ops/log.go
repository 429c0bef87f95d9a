package ops

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// A LineWriter writes the lines of a log in their order, and lets some of them wait for others: to write one line for
// each request costs more than to answer some requests.
type LineWriter struct {
	to io.Writer

	mu      sync.Mutex
	waiting []byte
	timer   *time.Timer // flushes the waiting lines; nil: none wait
}

const (
	lineDelay    = 100 * time.Millisecond // that a line waits at most
	waitingBytes = 32 << 10               // after which lines do not wait
)

// NewLineWriter returns a writer of lines to w.
func NewLineWriter(w io.Writer) *LineWriter { return &LineWriter{to: w} }

// Write writes a line at once, after those that wait.
func (l *LineWriter) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = append(l.waiting, line...)
	return len(line), l.flush()
}

// Flush writes the lines that wait.
func (l *LineWriter) Flush() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.flush()
}

func (l *LineWriter) flush() error {
	if l.timer != nil {
		l.timer.Stop()
		l.timer = nil
	}
	if len(l.waiting) == 0 {
		return nil
	}
	_, err := l.to.Write(l.waiting)
	l.waiting = l.waiting[:0]
	return err
}

// Delayed returns a writer whose lines wait for others, a tenth of a second at the most.
func (l *LineWriter) Delayed() io.Writer { return delayedWriter{l} }

type delayedWriter struct{ *LineWriter }

// Write implements io.Writer.
func (l delayedWriter) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = append(l.waiting, line...)
	if len(l.waiting) >= waitingBytes {
		return len(line), l.flush()
	}
	if l.timer == nil {
		l.timer = time.AfterFunc(lineDelay, func() { l.Flush() })
	}
	return len(line), nil
}

const (
	logBurst = 10
	// samePrefix is how much of two messages must be equal for them to count as the same. Ours are constants; those of
	// net/http name the client further on.
	samePrefix = 20
)

// NewRateLimitedHandler returns a handler that passes the same message of level warn or above to next at most ten times
// at once and once a second after that, with the number of suppressed messages. Otherwise a ledger that fails under
// load would fill the disk with its errors. Messages below warn pass unchanged.
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

// allow reports whether a message passes, and how many like it were suppressed before it.
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
