package ops

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
	"google.golang.org/grpc/codes"
)

// A LineWriter queues the lines of a log, in their order, for a goroutine that writes them. Nobody waits for the log's
// reader: lines that find the queue full are dropped and counted. Between two writes it waits a little for further
// lines, because writing one for each request costs more than answering some requests.
type LineWriter struct {
	to      io.Writer
	wake    chan struct{} // receives when lines are queued; holds one
	dropped atomic.Int64

	mu      sync.Mutex
	log     *slog.Logger // told of dropped lines; nil: nobody is
	queue   []byte
	writing bool
}

const (
	writePause   = 10 * time.Millisecond // between two writes
	queueBytes   = 1 << 20               // that may be queued; lines of requests may take half of it
	flushTimeout = time.Second
)

// NewLineWriter returns a writer of lines to w.
func NewLineWriter(w io.Writer) *LineWriter {
	l := &LineWriter{to: w, wake: make(chan struct{}, 1)}
	go l.run()
	return l
}

// Report sets the log that is told of dropped lines, once lines can be written again.
func (l *LineWriter) Report(log *slog.Logger) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.log = log
}

// Dropped returns the number of lines that were dropped.
func (l *LineWriter) Dropped() int64 { return l.dropped.Load() }

// Write queues a line.
func (l *LineWriter) Write(line []byte) (int, error) { return l.enqueue(line, queueBytes) }

// Requests returns a writer for the lines of requests, which leave room in the queue for others.
func (l *LineWriter) Requests() io.Writer { return requestWriter{l} }

type requestWriter struct{ *LineWriter }

// Write implements io.Writer.
func (l requestWriter) Write(line []byte) (int, error) { return l.enqueue(line, queueBytes/2) }

// enqueue appends a line to the queue, unless that would then be longer than limit, and wakes the writer.
func (l *LineWriter) enqueue(line []byte, limit int) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue)+len(line) > limit {
		l.dropped.Add(1)
		return len(line), nil
	}
	l.queue = append(l.queue, line...)
	select {
	case l.wake <- struct{}{}:
	default:
	}
	return len(line), nil
}

// Flush waits until the queue is written, but no longer than a second.
func (l *LineWriter) Flush() {
	for waited := time.Duration(0); waited < flushTimeout; waited += writePause {
		l.mu.Lock()
		done := len(l.queue) == 0 && !l.writing
		l.mu.Unlock()
		if done {
			return
		}
		time.Sleep(writePause)
	}
}

// run writes the queue whenever it is woken, for as long as the process lives.
func (l *LineWriter) run() {
	var lines []byte
	var told int64
	for range l.wake {
		l.mu.Lock()
		lines, l.queue = l.queue, lines[:0]
		l.writing = true
		l.mu.Unlock()
		_, err := l.to.Write(lines)
		if err != nil {
			l.dropped.Add(int64(bytes.Count(lines, []byte("\n"))))
		}
		l.mu.Lock()
		log := l.log
		l.writing = false
		l.mu.Unlock()
		if dropped := l.Dropped(); err == nil && dropped > told && log != nil {
			log.Warn("lines of the log were dropped, because nothing read it", "lines", dropped-told)
			told = dropped
		}
		time.Sleep(writePause)
	}
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
