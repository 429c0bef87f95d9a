package mcpserver

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/tools"
)

// internalError is all that a caller is told of a fault of ours.
func internalError() error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error"}
}

// timedOut is an answer a model can act on.
func timedOut() *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{
		&mcp.TextContent{Text: "The call timed out. Narrow it, with a filter or a smaller limit, or try again later."},
	}}
}

// protect keeps the process up and the answers clean. A panic in a handler of the SDK, which runs
// in a goroutine of its own, would end the process; a handler may take longer than anyone waits;
// and an error may tell what callers should not see.
func (s *Server) protect(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		if method == "subscriptions/listen" {
			return s.guarded(ctx, next, method, r) // lasts as long as the client wants
		}
		ctx, cancel := context.WithTimeout(ctx, s.o.Deadline)
		defer cancel()
		if asked, ok := ctx.Value(requestKey{}).(*http.Request); ok {
			// The SDK cancels only the calls of the 2026 era when the client leaves.
			defer context.AfterFunc(asked.Context(), cancel)()
		}
		type outcome struct {
			result mcp.Result
			err    error
		}
		done := make(chan outcome, 1)
		go func() {
			result, err := s.guarded(ctx, next, method, r)
			done <- outcome{result, err}
		}()
		select {
		case o := <-done:
			if o.err != nil && errors.Is(o.err, context.DeadlineExceeded) && method == "tools/call" {
				return timedOut(), nil
			}
			return o.result, o.err
		case <-ctx.Done():
			s.o.Log.Warn("mcp call given up", "method", method, "err", ctx.Err())
			if method == "tools/call" && errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return timedOut(), nil
			}
			return nil, internalError()
		}
	}
}

// guarded runs a handler, turns a panic into an error, and hides what is not meant for callers.
func (s *Server) guarded(ctx context.Context, next mcp.MethodHandler, method string, r mcp.Request) (result mcp.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.o.Log.Error("mcp handler panicked", "method", method, "panic", p, "stack", string(debug.Stack()))
			result, err = nil, internalError()
		}
	}()
	if read, ok := r.(*mcp.ReadResourceRequest); ok {
		if _, ok := s.tools.Read(read.Params.URI); !ok && !isFixture(read.Params.URI) {
			return nil, s.tools.NotFound(read.Params.URI)
		}
	}
	result, err = next(ctx, method, r)
	var told *jsonrpc.Error
	if err != nil && !errors.As(err, &told) && !errors.Is(err, context.DeadlineExceeded) {
		s.o.Log.Error("mcp handler failed", "method", method, "err", err)
		err = internalError()
	}
	return result, err
}

// cacheable says how long lists and resources may be kept.
func cacheable(_ context.Context, _ mcp.Request, c *mcp.Cacheable) {
	if c.TTLMs == 0 {
		c.TTLMs = tools.CacheMillis
	}
	c.CacheScope = "public"
}

// requestKey and sourceKey carry the HTTP request and where it comes from to the handlers.
type (
	requestKey struct{}
	sourceKey  struct{}
)

// caller tells who calls: a credential comes with the request or in _meta, and, as an argument,
// with the call itself, which the tool sees to.
func caller(ctx context.Context, r mcp.Request) tools.Caller {
	from := tools.Caller{}
	from.Source, _ = ctx.Value(sourceKey{}).(netip.Addr)
	if call, ok := r.(*mcp.CallToolRequest); ok {
		from.Credential, _ = call.Params.Meta[tools.Prefix+"l402"].(string)
	}
	if extra := r.GetExtra(); extra != nil && from.Credential == "" {
		// Other schemes are for whoever stands before this server, such as a gateway.
		value := extra.Header.Get("Authorization")
		scheme, _, _ := strings.Cut(value, " ")
		if strings.EqualFold(scheme, "L402") || strings.EqualFold(scheme, "LSAT") {
			from.Credential = value
		}
	}
	return from
}
