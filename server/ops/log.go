package ops

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"
	"google.golang.org/grpc/codes"
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
	_, err := l.Write(nil)
	return err
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
	logBurst     = 10
	refusalRate  = 10 // a second
	refusalBurst = 100
	// samePrefix is how much of two messages must be equal for them to count as the same. Ours are constants; those of
	// net/http name the client further on.
	samePrefix = 20
)

// NewRateLimitedHandler returns a handler that passes the same message of level warn or above to next at most ten times
// at once and once a second after that, with the number of suppressed messages. Otherwise a ledger that fails under
// load would fill the disk with its errors. Messages below warn pass unchanged.
func NewRateLimitedHandler(next slog.Handler, now func() time.Time) slog.Handler {
	return &rateLimitedHandler{next, warningKey, newMessageLimits(1, logBurst, now)}
}

// NewRefusalSampler returns a handler for an access log. Of the requests and calls that are refused with one status it
// passes a hundred at once and ten a second after that to next, with the number of suppressed lines, so that a flood
// does not fill the disk. Answered requests pass unchanged.
func NewRefusalSampler(next slog.Handler, now func() time.Time) slog.Handler {
	return &rateLimitedHandler{next, refusalKey, newMessageLimits(refusalRate, refusalBurst, now)}
}

type rateLimitedHandler struct {
	slog.Handler
	key      func(slog.Record) string // of the records that are limited together; "": passes
	messages *messageLimits
}

// warningKey returns the beginning of a message of level warn or above.
func warningKey(r slog.Record) string {
	if r.Level < slog.LevelWarn {
		return ""
	}
	return r.Message[:min(len(r.Message), samePrefix)]
}

// refusalKey returns the status of a refused request or call, as Middleware logs them.
func refusalKey(r slog.Record) (key string) {
	r.Attrs(func(a slog.Attr) bool {
		if a.Key != "status" {
			return true
		}
		if status := a.Value.Int64(); status >= http.StatusBadRequest || r.Message == callMessage &&
			status != int64(codes.OK) {
			key = a.Value.String()
		}
		return false
	})
	return key
}

// Handle implements slog.Handler.
func (h *rateLimitedHandler) Handle(ctx context.Context, r slog.Record) error {
	if key := h.key(r); key != "" {
		suppressed, ok := h.messages.allow(key)
		if !ok {
			return nil
		}
		if suppressed > 0 {
			r = r.Clone()
			r.AddAttrs(slog.Int("held_back", suppressed))
		}
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h *rateLimitedHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &rateLimitedHandler{h.Handler.WithAttrs(attrs), h.key, h.messages}
}

// WithGroup implements slog.Handler.
func (h *rateLimitedHandler) WithGroup(name string) slog.Handler {
	return &rateLimitedHandler{h.Handler.WithGroup(name), h.key, h.messages}
}

// messageLimits are shared by all handlers that derive from one.
type messageLimits struct {
	rate  rate.Limit
	burst int
	now   func() time.Time

	mu   sync.Mutex
	seen map[string]*messageLimit // by key
}

func newMessageLimits(r rate.Limit, burst int, now func() time.Time) *messageLimits {
	return &messageLimits{rate: r, burst: burst, now: now, seen: make(map[string]*messageLimit)}
}

type messageLimit struct {
	limiter    *rate.Limiter
	suppressed int // since the last one that passed
}

// allow reports whether a message passes, and how many with its key were suppressed before it.
func (m *messageLimits) allow(key string) (suppressed int, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	limit := m.seen[key]
	if limit == nil {
		limit = &messageLimit{limiter: rate.NewLimiter(m.rate, m.burst)}
		m.seen[key] = limit
	}
	if !limit.limiter.AllowN(m.now(), 1) {
		limit.suppressed++
		return 0, false
	}
	suppressed, limit.suppressed = limit.suppressed, 0
	return suppressed, true
}
