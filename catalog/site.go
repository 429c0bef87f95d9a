package catalog

import (
	"fmt"
	"net/url"
)

// A Site is the public addresses of an installation: of the mirror, the paid interface and the tool server. Each is a scheme
// and a host without a slash at the end; they may be one host.
type Site struct{ Base, API, MCP string }

// DefaultSite is the site of a program without flags.
var DefaultSite = Site{"http://localhost:8402", "http://localhost:8402", "http://localhost:8402"}

// Check returns what is wrong with the addresses of s, each under the name of the flag that sets it.
func (s Site) Check() error {
	for _, a := range []struct{ flag, url string }{{"-base-url", s.Base}, {"-api-url", s.API}, {"-mcp-url", s.MCP}} {
		u, err := url.Parse(a.url)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
			return fmt.Errorf("%s %q is not of the form https://host: write a scheme and a host", a.flag, a.url)
		}
		if u.RawQuery != "" || u.Fragment != "" || u.User != nil || u.Path != "" {
			return fmt.Errorf("%s %q has more than a scheme and a host: remove the rest", a.flag, a.url)
		}
	}
	return nil
}

// URL returns the full address of a path of the mirror.
func (s Site) URL(path string) string { return s.Base + path }

// ProblemBase returns the address that, followed by an error code, is the section of the trust checklist about it.
func (s Site) ProblemBase() string { return s.URL(TrustPath + "#") }

// SearchURL returns the address of the paid search.
func (s Site) SearchURL() string { return s.API + SearchPath }

// CreditsURL returns the address at which the balance of a credential is read.
func (s Site) CreditsURL() string { return s.API + CreditsPath }

// MCPURL returns the endpoint of the tool server.
func (s Site) MCPURL() string { return s.MCP + MCPPath }

// MCPName is what the tool server is called in directories, after the name of its host: in its card, in the AI catalogue
// and in the MCP registry.
const MCPName = "almanac"

// ServerCardURL returns the address of the tool server's card.
func (s Site) ServerCardURL() string { return s.MCP + ServerCardPath }
