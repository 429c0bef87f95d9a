package catalog

import (
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
)

// The ways to connect hosts were written, and some of them run, on connectWritten.
const (
	connectWritten Date = "2026-11-23"
	connectBasis        = "We ran the commands and files of Claude Code 2.1.197, Codex 0.169.0 and Gemini CLI 0.61.0 on 2026-11-23: " +
		"all three accepted their entry, and Claude Code and Gemini CLI connected. We ran no other host; of their documentation we " +
		"read only Cursor's. If a host refuses its entry, see its documentation."
)

// A ConnectDocument is the document of the ways to connect an MCP host to this site.
type ConnectDocument struct {
	Head
	MCPURL    string        `json:"mcp_url"`
	WrittenAt Date          `json:"written_at"`
	Basis     string        `json:"basis"` // of the entries: whose documentation was read
	Count     int           `json:"count"`
	Hosts     []ConnectHost `json:"hosts"`
}

// A ConnectHost is a program that uses MCP servers, with the ways to connect it. Commands, links and notes may be
// absent.
type ConnectHost struct {
	ID            string `json:"id"`
	Name          string `json:"name"`
	Command       string `json:"command,omitempty"` // for a shell
	Link          string `json:"link,omitempty"`    // opens the host
	File          string `json:"file"`              // of the host's configuration
	Config        string `json:"config"`            // in that file
	Note          string `json:"note,omitempty"`
	Documentation string `json:"documentation"` // its address; not necessarily read
}

// ConnectDay is the day of the newest content of the document.
func (c *Catalog) ConnectDay() Date { return connectWritten }

// Connect returns the ways to connect MCP hosts to this site.
func (c *Catalog) Connect() *ConnectDocument {
	address, name := c.Site().MCPURL(), c.Identity().Slug()
	remote := map[string]string{"url": address}
	typed := map[string]string{"type": "http", "url": address}
	installed := map[string]string{"name": name, "type": "http", "url": address}
	hosts := []ConnectHost{
		{
			ID: "claude-code", Name: "Claude Code", Command: "claude mcp add --transport http " + name + " " + address,
			File: ".mcp.json", Config: hostConfig("mcpServers", name, typed),
			Documentation: "https://code.claude.com/docs/en/mcp",
		},
		{
			ID: "claude-desktop", Name: "Claude Desktop", File: "claude_desktop_config.json",
			Config: hostConfig("mcpServers", name,
				map[string]any{"command": "almanac", "args": []string{"mcp", address}}),
			Note:          "This file takes commands only, so the program almanac forwards to the server. Restart Claude Desktop afterwards.",
			Documentation: "https://modelcontextprotocol.io/docs/develop/connect-local-servers",
		},
		{
			ID: "cursor", Name: "Cursor",
			Link: "cursor://anysphere.cursor-deeplink/mcp/install?name=" + name + "&config=" +
				url.QueryEscape(base64.StdEncoding.EncodeToString(compactJSON(remote))),
			File: "~/.cursor/mcp.json", Config: hostConfig("mcpServers", name, remote),
			Documentation: "https://cursor.com/docs/mcp/install-links",
		},
		{
			ID: "vs-code", Name: "VS Code",
			Command: fmt.Sprintf("code --add-mcp '%s'", compactJSON(installed)),
			Link:    "vscode:mcp/install?" + url.QueryEscape(string(compactJSON(installed))),
			File:    ".vscode/mcp.json", Config: hostConfig("servers", name, typed),
			Documentation: "https://code.visualstudio.com/docs/copilot/chat/mcp-servers",
		},
		{
			ID: "codex", Name: "Codex", Command: "codex mcp add " + name + " --url " + address,
			File: "~/.codex/config.toml", Config: fmt.Sprintf("[mcp_servers.%s]\nurl = %q", name, address),
			Documentation: "https://developers.openai.com/codex/mcp",
		},
		{
			ID: "gemini-cli", Name: "Gemini CLI", Command: "gemini mcp add --scope user --transport http " + name + " " + address,
			File: "~/.gemini/settings.json", Config: hostConfig("mcpServers", name, typed),
			Documentation: "https://geminicli.com/docs/tools/mcp-server/",
		},
		{
			ID: "goose", Name: "Goose", Command: "goose session --with-streamable-http-extension " + address,
			File: "~/.config/goose/config.yaml",
			Config: fmt.Sprintf("extensions:\n  %s:\n    name: %s\n    type: streamable_http\n    uri: %s\n    enabled: true\n    timeout: 300",
				name, name, address),
			Note:          "The command connects one session; the file connects all.",
			Documentation: "https://goose-docs.ai/docs/getting-started/using-extensions",
		},
	}
	return &ConnectDocument{
		Head: c.head("connect", connectWritten), MCPURL: address,
		WrittenAt: connectWritten, Basis: connectBasis,
		Count: len(hosts), Hosts: hosts,
	}
}

// compactJSON encodes strings, which always have a JSON form.
func compactJSON(v any) []byte {
	b, _ := json.Marshal(v)
	return b
}

// hostConfig returns the configuration file of a host that lists servers in a member of JSON.
func hostConfig(member, name string, server any) string {
	b, _ := json.MarshalIndent(map[string]any{member: map[string]any{name: server}}, "", "  ")
	return string(b)
}

// exchangeTexts are programs that buy, by protocol and language.
//
//go:embed exchange
var exchangeTexts embed.FS

// An Exchange is a program that buys with a protocol, in one language.
type Exchange struct{ Language, Code string }

// Exchanges returns programs that buy with a protocol: searches from this service, if it sells them that way, or from the mock of
// the module http402; none for other protocols.
func (c *Catalog) Exchanges(protocol string) (list []Exchange) {
	for _, language := range [...]string{"curl", "TypeScript", "Python", "Go"} {
		text, err := exchangeTexts.ReadFile("exchange/" + protocol + "." + strings.ToLower(language) + ".txt")
		if err != nil || c.Payments() == PaymentsOff && protocol != mockExchange {
			return nil
		}
		address := c.Site().SearchURL() + "?q=macaroon"
		list = append(list, Exchange{language, strings.Replace(string(text), "{url}", address, 1)})
	}
	return list
}

// mockExchange is the protocol whose programs buy from a mock, because this service does not sell with it.
const mockExchange = "x402"

// ExchangeNote describes the programs of Exchanges, and names the seller and the price.
func (c *Catalog) ExchangeNote(protocol string) string {
	if protocol == mockExchange {
		return "Each program asks, prints the transfer as EIP-712 data, reads the signature that your wallet shows, and asks again. " +
			"The seller is a mock in the source of almanac, which the command in the first line starts. It asks for 0.01 USDC on Base Sepolia, and no money moves."
	}
	t := c.Terms()
	return fmt.Sprintf("Each program asks, prints the invoice, reads the preimage that your wallet shows, and asks again. "+
		"It buys %d searches for %d sats.%s", t.Credits, t.PriceSats, t.DemoNote())
}
