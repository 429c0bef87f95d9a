package mcpserver

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/catalog"
	"go.almanac.example/internal/rpc"
	"go.almanac.example/tools"
)

// An engine is the SDK's server over the tools. It begins sessions before the tools are loaded; all else waits for
// them.
type engine struct {
	server   *mcp.Server
	handler  http.Handler  // over HTTP
	loaded   chan struct{} // closed when the tools are loaded, or cannot be
	tools    *tools.Tools  // nil before
	deadline time.Duration
	log      *slog.Logger
}

// newEngine returns an engine without tools. note is added to its instructions.
func newEngine(id catalog.Identity, site catalog.Site, o Options, note string) *engine {
	quiet := slog.New(slog.DiscardHandler) // the SDK logs each request of a stateless server as a session
	options := &mcp.ServerOptions{
		Instructions: o.Paid.Instructions(id) + note,
		Logger:       quiet,
		Capabilities: o.Paid.Capabilities(),
		SetCacheable: setCacheable,
	}
	if o.extend != nil {
		o.extend(options)
	}
	e := &engine{server: mcp.NewServer(implementation(id, site, o.Version), options), loaded: make(chan struct{}),
		deadline: o.Deadline, log: o.Log}
	e.server.AddReceivingMiddleware(e.protect)
	serverOf := func(*http.Request) *mcp.Server { return e.server }
	e.handler = mcp.NewStreamableHTTPHandler(serverOf, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, PropagateRequestCancellation: true, Logger: quiet,
		DisableLocalhostProtection: true, // admit has its own list of hosts, which knows proxies
		MaxRequestBodyBytes:        maxBody,
	})
	return e
}

// load adds the tools. It must be called once.
func (e *engine) load(t *tools.Tools) {
	e.tools = t
	t.Register(e.server, callerOf)
	close(e.loaded)
}

// wait waits until the tools are loaded, unless the answer to a method does not depend on them. It reports whether the
// method can be answered: not when its caller has left, or the data cannot be read.
func (e *engine) wait(ctx context.Context, method string) bool {
	if method == "initialize" || method == "server/discover" || method == "ping" || strings.HasPrefix(method, "notifications/") {
		return true
	}
	select {
	case <-e.loaded:
		return e.tools != nil
	case <-ctx.Done():
		return false
	}
}

// setCacheable sets how long lists and resources may be kept.
func setCacheable(_ context.Context, _ mcp.Request, c *mcp.Cacheable) {
	c.TTLMs = cmp.Or(c.TTLMs, tools.CacheMillis)
	c.CacheScope = "public"
}

// serve passes a request to the SDK in the form that the SDK expects.
func (e *engine) serve(res *response, r *http.Request, t *turn, m rpc.Message) {
	out := r.WithContext(context.WithValue(r.Context(), turnKey{}, t))
	out.Header = r.Header.Clone()
	out.Header.Set("Accept", "application/json, text/event-stream") // the SDK requires both, and answers JSON
	out.Header.Set("Content-Type", "application/json")
	out.Header.Del("Last-Event-ID") // there is nothing to resume
	if name, ok := decodedName(out.Header.Get(nameHeader)); ok {
		out.Header.Set(nameHeader, name) // the SDK compares it undecoded
	}
	out.Body = io.NopCloser(bytes.NewReader(m.Text))
	out.ContentLength = int64(len(m.Text))
	e.handler.ServeHTTP(res, out)
	// The SDK's refusals in plain text name Go types and addresses.
	if res.status >= http.StatusBadRequest && strings.HasPrefix(res.Header().Get("Content-Type"), "text/plain") {
		f := rpc.InvalidRequest("the request does not follow the protocol")
		if f.Status = res.status; f.Status >= http.StatusInternalServerError {
			f = internalRefusal()
		}
		res.status = 0
		res.body.Reset()
		writeRefusal(res, f, m.ID)
	}
}

// decodedName reads the form =?base64?…?= of a header, in which a client sends names that a header
// cannot hold.
func decodedName(value string) (string, bool) {
	inner, ok := strings.CutPrefix(value, "=?base64?")
	if !ok || !strings.HasSuffix(inner, "?=") {
		return "", false
	}
	name, err := base64.StdEncoding.DecodeString(strings.TrimSuffix(inner, "?="))
	return string(name), err == nil && utf8.Valid(name)
}
