package ops

import (
	"cmp"
	"context"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	grpcpeer "google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"

	"go.almanac.example/catalog"
	"go.almanac.example/http402/netaddr"
	"go.almanac.example/internal/peer"
	"go.almanac.example/internal/problem"
)

// Middleware limits, measures and logs each request, and answers for handlers that panic.
type Middleware struct {
	Metrics *Metrics
	Limit   *peer.Limiter // of NewLimit; nil: no limit
	Unread  *peer.Queue   // of NewUnread; nil: no limit
	Access  *slog.Logger  // nil: no access log
	Log     *slog.Logger  // of handlers that panic
	// Proxies are the networks of our own proxies, whose X-Forwarded-For is believed.
	Proxies []netip.Prefix
	// RequestHeader is the header, or the metadata, in which those proxies name each request; "": none. The name becomes
	// the request's id. A request that a proxy brings to another replica, because the first one died, costs one credit.
	RequestHeader string
	// Refuse answers a request that no handler answers.
	Refuse func(w http.ResponseWriter, r *http.Request, err error)
	Now    func() time.Time
	Site   catalog.Site // whose paths tell the surfaces apart

	proxyWarned sync.Once
}

// Handler returns next behind the middleware.
func (m *Middleware) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := m.Now()
		surface := surfaceOf(m.Site, r.URL.Path)
		ctx, name := m.identify(r.Context(), r.RemoteAddr, r.Header.Values)
		rec := &recorder{ResponseWriter: w, id: problem.Shorten(name, maxLogged), source: peer.FromContext(ctx)}
		if r.ProtoMajor == 2 {
			rec.unread = m.Unread
		}
		m.Metrics.inFlight.Inc()
		defer func() {
			panicked := m.recovered(rec, r, recover())
			rec.place.Leave()
			m.Metrics.inFlight.Dec()
			m.record(r, rec, surface, began, m.Now())
			if panicked != nil {
				panic(panicked)
			}
		}()
		// This machine itself is not limited: a request from here is the operator's, or comes through a proxy that the
		// operator has not named, and then all clients would share one allowance.
		if m.Limit != nil && !rec.source.IsLoopback() && (surface != searches || acceptsPages(r)) {
			if wait := m.Limit.Take(rec.source, began); wait > 0 {
				m.Metrics.limited.Inc()
				m.Refuse(rec, r, &problem.Problem{Code: problem.RateLimited, RetryAfter: wait})
				return
			}
		}
		next.ServeHTTP(rec, r.WithContext(ctx))
		if rec.place != nil {
			http.NewResponseController(rec).Flush() // returns when the client has read, or is gone
		}
	})
}

// recovered answers for a handler that panicked. An answer that has begun can only be broken off, so recovered returns
// the value with which to panic, on which net/http does that.
func (m *Middleware) recovered(rec *recorder, r *http.Request, panicked any) any {
	if panicked == nil || panicked == http.ErrAbortHandler {
		return panicked
	}
	m.Log.ErrorContext(r.Context(), "handler panicked", "panic", panicked, "stack", string(debug.Stack()), "request_id", rec.RequestID())
	if rec.status != 0 {
		return http.ErrAbortHandler
	}
	m.Refuse(rec, r, problem.New(problem.Internal))
	return nil
}

// record measures and logs a request that has been answered, or whose handler panicked.
func (m *Middleware) record(r *http.Request, rec *recorder, s surface, began, ended time.Time) {
	took := ended.Sub(began)
	status := cmp.Or(rec.status, http.StatusOK) // as net/http answers for a handler that writes nothing
	m.Metrics.count(string(s), methodLabel(r.Method), status, rec.bytes, took)
	if m.Access == nil {
		return
	}
	// without the place in the program, which is always this one
	line := slog.NewRecord(ended, slog.LevelInfo, "request", 0)
	line.AddAttrs(
		slog.String("method", methodLabel(r.Method)), slog.String("path", problem.Shorten(r.URL.Path, maxLogged)),
		slog.Int("status", status),
		slog.Int64("bytes", rec.bytes), slog.Duration("took", took.Round(time.Microsecond)),
		slog.String("proto", r.Proto), slog.String("from", peer.Network(rec.source).String()),
		slog.String("request_id", rec.RequestID()),
	)
	line.AddAttrs(rec.attrs...)
	m.Access.Handler().Handle(r.Context(), line)
}

// identify returns the context of a request that came over a connection from remote: with the address of its client, and
// with the name that one of our own proxies gave it, if any. It logs once that there is a proxy on this machine or its
// network which is not trusted, so that its clients count as one.
func (m *Middleware) identify(ctx context.Context, remote string, header func(name string) []string) (_ context.Context, name string) {
	forwarded := header("X-Forwarded-For")
	addr := peer.Addr(remote, forwarded, m.Proxies)
	ctx = peer.NewContext(ctx, addr)
	switch {
	case m.RequestHeader != "" && peer.IsProxy(remote, m.Proxies):
		if name = cmp.Or(header(m.RequestHeader)...); name != "" {
			ctx = peer.WithName(ctx, name)
		}
	case len(forwarded) > 0 && !netaddr.IsPublic(addr) && !peer.IsProxy(remote, m.Proxies):
		m.proxyWarned.Do(func() {
			m.Log.Warn("REQUESTS COME THROUGH A PROXY THAT IS NOT TRUSTED: all of its clients share the limits of one network; add it to -trusted-proxy",
				"proxy", peer.Network(addr).String())
		})
	}
	return ctx, name
}

// A surface is a part of the service, as the metrics name it.
type surface string

// searches are not limited by Limit: they are paid for, and challenges have a limit of their own. A browser is, because it
// gets a page of the free search where the paid one refuses.
const searches surface = "search"

// acceptsPages reports whether a request may get a page. It says so of more requests than the negotiation of pages,
// which prefers other forms for some.
func acceptsPages(r *http.Request) bool {
	return strings.Contains(strings.ToLower(strings.Join(r.Header["Accept"], ",")), "text/html")
}

func surfaceOf(site catalog.Site, path string) surface {
	if sold, ok := strings.CutPrefix(path, catalog.Root(site.API)); ok {
		switch {
		case sold == catalog.SearchPath:
			return searches
		case sold == catalog.CreditsPath:
			return "credits"
		case strings.HasPrefix(sold, "/demo/"):
			return "demo"
		}
	}
	switch tool, _ := strings.CutPrefix(path, catalog.Root(site.MCP)); tool {
	case catalog.MCPPath, catalog.MCPPath + "/", catalog.ServerCardPath:
		return "mcp"
	}
	return "mirror"
}

// methodLabel keeps methods that clients make up from creating new time series.
func methodLabel(method string) string {
	if slices.Contains([]string{"GET", "HEAD", "POST", "OPTIONS", "PUT", "DELETE", "PATCH"}, method) {
		return method
	}
	return "other"
}

const maxLogged = 200 // bytes of a client's text in a log line

// callMessage is the message of a call over gRPC in the access log.
const callMessage = "call"

// UnaryInterceptor measures and logs calls over gRPC; the code in the metrics is the status of the call.
func (m *Middleware) UnaryInterceptor(
	ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler,
) (any, error) {
	began := m.Now()
	m.Metrics.inFlight.Inc()
	defer m.Metrics.inFlight.Dec()
	if p, ok := grpcpeer.FromContext(ctx); ok {
		in := ctx
		ctx, _ = m.identify(in, p.Addr.String(), func(name string) []string { return metadata.ValueFromIncomingContext(in, name) })
	}
	res, err := m.call(ctx, req, next)
	took, code := m.Now().Sub(began), status.Code(err)
	m.Metrics.requests.WithLabelValues("grpc", "POST", strconv.Itoa(int(code))).Inc()
	m.Metrics.latency.WithLabelValues("grpc").Observe(took.Seconds())
	if m.Access != nil {
		m.Access.LogAttrs(ctx, slog.LevelInfo, callMessage, slog.String("method", problem.Shorten(info.FullMethod, maxLogged)),
			slog.Int("status", int(code)), slog.Duration("took", took.Round(time.Microsecond)))
	}
	return res, err
}

// call turns a panic into an error: package grpc, unlike net/http, would let it end the process.
func (m *Middleware) call(ctx context.Context, req any, next grpc.UnaryHandler) (res any, err error) {
	defer func() {
		if p := recover(); p != nil {
			m.Log.ErrorContext(ctx, "handler panicked", "panic", p, "stack", string(debug.Stack()))
			res, err = nil, problem.GRPCStatus(problem.New(problem.Internal))
		}
	}()
	return next(ctx, req)
}

const (
	limitedNetworks = 16 << 10
	burstSeconds    = 10 // a burst is the requests of this time
)

// NewLimit returns a limit of perSecond requests a second for each network, and ten seconds' worth of them at once. It
// keeps one client from taking the free surfaces away from the others, and is far above the needs of a reader.
func NewLimit(perSecond float64) *peer.Limiter {
	return peer.NewLimiter(perSecond, max(1, int(perSecond*burstSeconds)), limitedNetworks)
}

const maxUnread = 4096

// NewUnread returns a limit of the answers over HTTP/2 that wait for their clients: one connection may have hundreds, of some
// 16 KB each. Beyond it the oldest of the network that has most is broken off.
func NewUnread() *peer.Queue {
	return peer.NewQueue(peer.QueueLimits{Total: maxUnread, PerNetwork: maxUnread / 8})
}

// Annotate adds attributes to the access log's line about the request that w answers. Without an access log, or when w
// did not come from Middleware, it does nothing.
func Annotate(w http.ResponseWriter, attrs ...slog.Attr) {
	if rec, ok := problem.Unwrapped[*recorder](w); ok {
		rec.attrs = append(rec.attrs, attrs...)
	}
}

// A recorder remembers the status and the size of an answer.
type recorder struct {
	http.ResponseWriter
	status int // 0: not begun
	bytes  int64
	attrs  []slog.Attr // for the access log
	id     string      // of the request; "" until somebody asks
	source netip.Addr  // of the request
	unread *peer.Queue // nil: the connection has one answer at a time
	place  *peer.Place // in it
}

// begin notes that an answer begins.
func (rec *recorder) begin(status int) {
	if rec.status != 0 || status < 200 { // a 1xx is not the answer yet
		return
	}
	rec.status = status
	if rec.unread != nil {
		rec.place = rec.unread.EnterEvictable(peer.Network(rec.source), func() {
			http.NewResponseController(rec.ResponseWriter).SetWriteDeadline(time.Unix(1, 0)) // which has passed
		})
	}
}

// RequestID returns the id of the request: it is in the access log and in problems, so that one can be found by the
// other.
func (rec *recorder) RequestID() string {
	if rec.id == "" {
		rec.id = strconv.FormatUint(rand.Uint64(), 36)
	}
	return rec.id
}

// WriteHeader implements http.ResponseWriter.
func (rec *recorder) WriteHeader(status int) {
	rec.begin(status)
	rec.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (rec *recorder) Write(p []byte) (int, error) {
	rec.begin(http.StatusOK)
	n, err := rec.ResponseWriter.Write(p)
	rec.bytes += int64(n)
	return n, err
}

// Unwrap is for http.ResponseController.
func (rec *recorder) Unwrap() http.ResponseWriter { return rec.ResponseWriter }
