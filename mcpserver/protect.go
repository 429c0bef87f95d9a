package mcpserver

import (
	"context"
	"errors"
	"runtime/debug"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/internal/rpc"
	"go.almanac.example/tools"
)

// internalError is all that a caller learns about a fault of this service.
func internalError() error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error"}
}

// protect keeps the process up and the answers clean. A panic in a handler of the SDK, which runs in a goroutine of its
// own, would end the process; a handler may take longer than anyone waits; and an error may reveal internals.
func (e *engine) protect(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		if !e.wait(ctx, method) {
			return nil, internalError()
		}
		if method == "subscriptions/listen" {
			return e.run(ctx, next, method, r) // lasts as long as the client wants
		}
		ctx, cancel := context.WithTimeout(ctx, e.deadline)
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
			result, err = e.run(ctx, next, method, r)
		}()
		select {
		case <-ended:
		case <-ctx.Done():
			e.log.Warn("mcp call abandoned", "method", method, "err", ctx.Err())
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
func (e *engine) run(ctx context.Context, next mcp.MethodHandler, method string, r mcp.Request) (result mcp.Result, err error) {
	defer func() {
		if v := recover(); v != nil {
			e.log.Error("mcp handler panicked", "method", method, "panic", v, "stack", string(debug.Stack()))
			result, err = nil, internalError()
		}
	}()
	asked := ""
	read, isRead := r.(*mcp.ReadResourceRequest)
	if isRead { // the SDK compares addresses letter by letter
		asked = read.Params.URI
		read.Params.URI = e.tools.Canonical(asked)
	}
	result, err = next(ctx, method, r)
	if isRead && err != nil {
		if _, ok := e.tools.Read(read.Params.URI); !ok {
			version, _ := r.GetParams().GetMeta()[mcp.MetaKeyProtocolVersion].(string)
			return nil, tools.NotFound(asked, rpc.NotFoundCode(version >= rpc.ModernVersion))
		}
	}
	switch list := result.(type) {
	case *mcp.ReadResourceResult:
		for i := 0; err == nil && i < len(list.Contents); i++ {
			list.Contents[i].URI = asked
		}
	case *mcp.ListResourcesResult:
		if err == nil {
			list.Resources = e.tools.ListResources()
		}
	case *mcp.ListToolsResult:
		if err == nil {
			list.Tools = e.tools.List() // the SDK sorts by name
		}
	}
	known, isKnown := errors.AsType[*jsonrpc.Error](err)
	if call, ok := r.(*mcp.CallToolRequest); ok && isKnown && strings.HasPrefix(known.Message, "unknown tool") { // as the SDK says
		return nil, e.tools.Unknown(call.Params.Name)
	}
	if err != nil && !isKnown && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
		e.log.Error("mcp handler failed", "method", method, "err", err)
		err = internalError()
	}
	return result, err
}
