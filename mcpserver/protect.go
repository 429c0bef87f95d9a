package mcpserver

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/internal/rpc"
	"go.almanac.example/tools"
)

// internalError is all that a caller learns about a fault of this service.
func internalError() error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error"}
}

// A protection keeps the process up and the answers clean. A panic in a handler of the SDK, which runs in a goroutine
// of its own, would end the process; a handler may take longer than anyone waits; and an error may reveal internals.
type protection struct {
	tools    *tools.Tools
	deadline time.Duration
	log      *slog.Logger
}

func (p *protection) middleware(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		if method == "subscriptions/listen" {
			return p.run(ctx, next, method, r) // lasts as long as the client wants
		}
		ctx, cancel := context.WithTimeout(ctx, p.deadline)
		defer cancel()
		t, overHTTP := ctx.Value(turnKey{}).(*turn)
		if overHTTP { // when the client leaves, the SDK cancels only calls since 2026-07-28
			defer context.AfterFunc(t.request, cancel)()
		}
		var result mcp.Result
		var err error
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			result, err = p.run(ctx, next, method, r)
		}()
		select {
		case <-ended:
		case <-ctx.Done():
			p.log.Warn("mcp call abandoned", "method", method, "err", ctx.Err())
			if overHTTP {
				t.endAfter(ended)
			}
			if method != "tools/call" || !errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return nil, internalError()
			}
			return tools.TimedOut(), nil
		}
		if method == "tools/call" && errors.Is(err, context.DeadlineExceeded) {
			return tools.TimedOut(), nil
		}
		return result, err
	}
}

// run calls a handler, turns a panic into an error, and hides errors that are not meant for
// callers.
func (p *protection) run(
	ctx context.Context, next mcp.MethodHandler, method string, r mcp.Request,
) (result mcp.Result, err error) {
	defer func() {
		if v := recover(); v != nil {
			p.log.Error("mcp handler panicked", "method", method, "panic", v, "stack", string(debug.Stack()))
			result, err = nil, internalError()
		}
	}()
	asked := ""
	read, isRead := r.(*mcp.ReadResourceRequest)
	if isRead { // the SDK compares addresses letter by letter
		asked = read.Params.URI
		read.Params.URI = p.tools.Canonical(asked)
	}
	result, err = next(ctx, method, r)
	if isRead && err != nil {
		if _, ok := p.tools.Read(read.Params.URI); !ok {
			return nil, tools.NotFound(asked, rpc.NotFoundCode(isModern(r)))
		}
	}
	switch list := result.(type) {
	case *mcp.ReadResourceResult:
		for i := 0; err == nil && i < len(list.Contents); i++ {
			list.Contents[i].URI = asked
		}
	case *mcp.ListResourcesResult:
		if err == nil {
			list.Resources = p.tools.ListResources()
		}
	case *mcp.ListToolsResult:
		if err == nil {
			list.Tools = p.tools.List() // the SDK sorts by name
		}
	}
	var known *jsonrpc.Error
	if call, ok := r.(*mcp.CallToolRequest); ok && errors.As(err, &known) && strings.HasPrefix(known.Message, "unknown tool") { // as the SDK says
		return nil, p.tools.Unknown(call.Params.Name)
	}
	if err != nil && !errors.As(err, &known) && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
		p.log.Error("mcp handler failed", "method", method, "err", err)
		err = internalError()
	}
	return result, err
}

// isModern reports whether a request is one of the version in which each is complete in itself.
func isModern(r mcp.Request) bool {
	p := r.GetParams()
	version, _ := p.GetMeta()[mcp.MetaKeyProtocolVersion].(string)
	return version >= rpc.ModernVersion
}
