package ops

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/status"

	"almanac/catalog"
	"almanac/peer"
	"almanac/problem"
)

// A Middleware stands before a handler: it limits, measures and logs each request.
type Middleware struct {
	Metrics *Metrics
	Limit   *Limit       // nil: no limit
	Access  *slog.Logger // nil: no access log
	Log     *slog.Logger // of handlers that panic
	// Proxies are the networks of our own proxies, whose X-Forwarded-For is believed.
	Proxies []netip.Prefix
	// Refuse answers a request that is over the limit.
	Refuse func(w http.ResponseWriter, r *http.Request, err error)
	Now    func() time.Time
}

// Handler gives next behind the door.
func (m Middleware) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := m.Now()
		surface := surfaceOf(r.URL.Path)
		rec := &recorder{ResponseWriter: w}
		m.Metrics.inFlight.Inc()
		defer func() {
			panicked := m.settle(rec, r, recover())
			m.Metrics.inFlight.Dec()
			m.done(r, rec, surface, m.Now().Sub(began))
			if panicked != nil {
				panic(panicked)
			}
		}()
		if m.Limit != nil && free(surface) {
			if wait := m.Limit.take(peer.FromRequest(r, m.Proxies)); wait > 0 {
				m.Metrics.limited.Inc()
				m.Refuse(rec, r, &problem.Problem{Code: problem.RateLimited, RetryAfter: wait})
				return
			}
		}
		next.ServeHTTP(rec, r)
	})
}

// settle answers for a handler that panicked. What it has begun to answer can only be broken off, which the server does
// when the panic that settle gives back reaches it.
func (m Middleware) settle(rec *recorder, r *http.Request, panicked any) any {
	if panicked == nil || panicked == http.ErrAbortHandler {
		return panicked
	}
	m.logPanic(r.Context(), panicked)
	if rec.status != 0 {
		return http.ErrAbortHandler
	}
	m.Refuse(rec, r, problem.New(problem.Internal))
	return nil
}

func (m Middleware) logPanic(ctx context.Context, panicked any) {
	m.Log.ErrorContext(ctx, "handler panicked", "panic", panicked, "stack", string(debug.Stack()))
}

// done counts a request that was answered, also one whose handler panicked.
func (m Middleware) done(r *http.Request, rec *recorder, surface string, took time.Duration) {
	code := rec.status
	if code == 0 {
		code = http.StatusOK
	}
	m.Metrics.requests.WithLabelValues(surface, methodLabel(r.Method), strconv.Itoa(code)).Inc()
	m.Metrics.latency.WithLabelValues(surface).Observe(took.Seconds())
	m.Metrics.bytes.WithLabelValues(surface).Add(float64(rec.bytes))
	if m.Access == nil {
		return
	}
	m.Access.LogAttrs(r.Context(), slog.LevelInfo, "request",
		slog.String("method", methodLabel(r.Method)), slog.String("path", clip(r.URL.Path)), slog.Int("status", code),
		slog.Int64("bytes", rec.bytes), slog.Duration("took", took.Round(time.Microsecond)),
		slog.String("proto", r.Proto), slog.String("from", peer.Network(peer.FromRequest(r, m.Proxies)).String()))
}

// UnaryInterceptor measures and logs calls over gRPC; the code is the status of the call.
func (m Middleware) UnaryInterceptor(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	began := m.Now()
	m.Metrics.inFlight.Inc()
	defer m.Metrics.inFlight.Dec()
	res, err := m.call(ctx, req, next)
	took, code := m.Now().Sub(began), status.Code(err)
	m.Metrics.requests.WithLabelValues("grpc", "POST", strconv.Itoa(int(code))).Inc()
	m.Metrics.latency.WithLabelValues("grpc").Observe(took.Seconds())
	if m.Access != nil {
		m.Access.LogAttrs(ctx, slog.LevelInfo, "call", slog.String("method", clip(info.FullMethod)),
			slog.Int("status", int(code)), slog.Duration("took", took.Round(time.Microsecond)))
	}
	return res, err
}

// call makes a panic an error: grpc, unlike net/http, would let it end the process.
func (m Middleware) call(ctx context.Context, req any, next grpc.UnaryHandler) (res any, err error) {
	defer func() {
		if p := recover(); p != nil {
			m.logPanic(ctx, p)
			res, err = nil, problem.GRPCStatus(problem.New(problem.Internal))
		}
	}()
	return next(ctx, req)
}

// surfaceOf gives the part of the service that a path belongs to.
func surfaceOf(path string) string {
	switch {
	case path == catalog.SearchPath:
		return "search"
	case path == catalog.CreditsPath:
		return "credits"
	case path == catalog.MCPPath || path == catalog.ServerCardPath:
		return "mcp"
	case strings.HasPrefix(path, "/demo/"):
		return "demo"
	}
	return "mirror"
}

// free tells the surfaces that the limit is for: who searches pays for it, and challenges have a limit of their own.
func free(surface string) bool { return surface != "search" }

// methodLabel keeps methods that clients make up from making new time series.
func methodLabel(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodOptions, http.MethodPut, http.MethodDelete, http.MethodPatch:
		return method
	}
	return "other"
}

const maxLogged = 200

// clip keeps a line of the log short whatever a client sends.
func clip(s string) string {
	if len(s) > maxLogged {
		return strings.ToValidUTF8(s[:maxLogged], "") + "…"
	}
	return s
}

// A recorder remembers what was answered.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int64
}

// WriteHeader implements http.ResponseWriter.
func (r *recorder) WriteHeader(status int) {
	if r.status == 0 && status >= 200 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (r *recorder) Write(p []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	n, err := r.ResponseWriter.Write(p)
	r.bytes += int64(n)
	return n, err
}

// Flush implements http.Flusher.
func (r *recorder) Flush() {
	if f, ok := r.ResponseWriter.(http.Flusher); ok {
		f.Flush()
	}
}

// Unwrap is for http.ResponseController.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
