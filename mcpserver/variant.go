//go:build !conformance

package mcpserver

import (
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// withFixtures tells whether the endpoint has the tools, resources and prompts that the official
// conformance suite wants to call. They are no business of a service, so only the tag conformance
// adds them, together with the sessions and streams that some of them need; see
// variant_conformance.go.
const withFixtures = false

// isFixture tells whether an address is that of a fixture.
func isFixture(string) bool { return false }

// extend has nothing to add.
func extend(*mcp.ServerOptions) {}

// engineHandler puts the SDK behind HTTP.
func (s *Server) engineHandler(o mcp.StreamableHTTPOptions) http.Handler {
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.engine }, &o)
}
