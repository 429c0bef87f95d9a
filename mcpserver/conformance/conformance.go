// Package conformance holds the tools, resources and prompts that the official conformance suite of
// MCP expects of the server under test, together with the sessions and streams that some of them
// need. A service has no use for them: only tests import this package.
package conformance

//lint:file-ignore SA1019 The suite still tests what the protocol has deprecated.

import (
	"context"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// modernVersion is the first protocol without sessions.
const modernVersion = "2026-07-28"

// Owns reports whether a resource belongs to the suite.
func Owns(uri string) bool { return strings.HasPrefix(uri, "test://") }

// Extend adds the capabilities that the suite needs: subscriptions, log messages, lists that
// change.
func Extend(o *mcp.ServerOptions) {
	o.Capabilities.Resources = &mcp.ResourceCapabilities{Subscribe: true, ListChanged: true}
	o.Capabilities.Tools, o.Capabilities.Prompts = &mcp.ToolCapabilities{ListChanged: true},
		&mcp.PromptCapabilities{ListChanged: true}
	o.Capabilities.Logging = &mcp.LoggingCapabilities{}
	o.SubscribeHandler = func(context.Context, *mcp.SubscribeRequest) error { return nil }
	o.UnsubscribeHandler = func(context.Context, *mcp.UnsubscribeRequest) error { return nil }
	o.Capabilities.Completions = &mcp.CompletionCapabilities{}
	o.CompletionHandler = func(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
		return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}, nil
	}
}

// Handler adds the fixtures to a server and serves it. Before 2026 a server that asks its client,
// for a sampling or an answer of the user, does so on a stream of a session; since then it needs
// neither.
func Handler(s *mcp.Server, o mcp.StreamableHTTPOptions) http.Handler {
	fixtures := server{s}
	fixtures.addTools()
	fixtures.addInputTools()
	fixtures.addResources()
	fixtures.addPrompts()
	get := func(*http.Request) *mcp.Server { return s }
	o.JSONResponse = false
	stateless := mcp.NewStreamableHTTPHandler(get, &o)
	sessions := o
	sessions.Stateless = false
	stateful := mcp.NewStreamableHTTPHandler(get, &sessions)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("MCP-Protocol-Version") >= modernVersion {
			stateless.ServeHTTP(w, r)
			return
		}
		stateful.ServeHTTP(w, r)
	})
}
