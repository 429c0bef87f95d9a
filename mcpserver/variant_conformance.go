//go:build conformance

//lint:file-ignore SA1019 The suite still tests what the protocol has deprecated.

package mcpserver

import (
	"context"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const withFixtures = true

func isFixture(uri string) bool { return strings.HasPrefix(uri, "test://") }

// extend adds what the fixtures need: subscriptions, log messages, lists that change.
func extend(o *mcp.ServerOptions) {
	o.Capabilities.Resources = &mcp.ResourceCapabilities{Subscribe: true, ListChanged: true}
	o.Capabilities.Tools, o.Capabilities.Prompts = &mcp.ToolCapabilities{ListChanged: true}, &mcp.PromptCapabilities{ListChanged: true}
	o.Capabilities.Logging = &mcp.LoggingCapabilities{}
	o.SubscribeHandler = func(context.Context, *mcp.SubscribeRequest) error { return nil }
	o.UnsubscribeHandler = func(context.Context, *mcp.UnsubscribeRequest) error { return nil }
	complete := o.CompletionHandler
	o.CompletionHandler = func(ctx context.Context, r *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
		if ref := r.Params.Ref; ref != nil && (strings.HasPrefix(ref.Name, "test_") || isFixture(ref.URI)) {
			return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}, nil
		}
		return complete(ctx, r)
	}
}

// engineHandler adds the fixtures. Before 2026 a server that asks its client, for a sampling or
// an answer of the user, does so on a stream of a session; since then it needs neither.
func (s *Server) engineHandler(o mcp.StreamableHTTPOptions) http.Handler {
	s.addFixtureTools()
	s.addInputTools()
	s.addFixtureResources()
	s.addFixturePrompts()
	get := func(*http.Request) *mcp.Server { return s.engine }
	o.JSONResponse = false
	stateless := mcp.NewStreamableHTTPHandler(get, &o)
	sessions := o
	sessions.Stateless = false
	stateful := mcp.NewStreamableHTTPHandler(get, &sessions)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(versionHeader) >= modernVersion {
			stateless.ServeHTTP(w, r)
			return
		}
		// A session outlives the request it began with, so that one's end must not end its calls.
		stateful.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requestKey{}, nil)))
	})
}
