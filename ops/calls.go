package ops

import (
	"context"
	"log/slog"
	"runtime/debug"
	"strconv"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/status"

	"almanac/problem"
)

// UnaryInterceptor measures and logs calls over gRPC; the code in the metrics is the status of the call.
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

// call turns a panic into an error: package grpc, unlike net/http, would let it end the process.
func (m Middleware) call(ctx context.Context, req any, next grpc.UnaryHandler) (res any, err error) {
	defer func() {
		if p := recover(); p != nil {
			m.Log.ErrorContext(ctx, "handler panicked", "panic", p, "stack", string(debug.Stack()))
			res, err = nil, problem.GRPCStatus(problem.New(problem.Internal))
		}
	}()
	return next(ctx, req)
}
