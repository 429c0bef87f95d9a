package catalog

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
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
	Config        Config `json:"config"`            // in that file
	Note          string `json:"note,omitempty"`
	Documentation string `json:"documentation"` // its address; not necessarily read
}

// A Config is a file of configuration.
type Config string

// UnmarshalJSON reads a text, or an object whose indented JSON is the text.
func (c *Config) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		return json.Unmarshal(data, (*string)(c))
	}
	var text bytes.Buffer
	err := json.Indent(&text, data, "", "  ")
	*c = Config(text.String())
	return err
}

// connectWritten is the day on which the ways to connect were written, and some of them run.
const connectWritten Date = "2026-11-30"

// ConnectDay is the day of the newest content of the document.
func (c *Catalog) ConnectDay() Date { return connectWritten }

// Connect returns the ways to connect MCP hosts to this site.
func (c *Catalog) Connect() *ConnectDocument {
	address, name := c.Site().MCPURL(), c.Identity().Slug()
	remote := fmt.Sprintf(`{"url":%q}`, address)
	installed := fmt.Sprintf(`{"name":%q,"type":"http","url":%q}`, name, address)
	doc := written[ConnectDocument]("connect.json", "{name}", name, "{url}", address,
		"{cursor}", url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(remote))), "{code}", url.QueryEscape(installed))
	doc.Head, doc.MCPURL, doc.WrittenAt, doc.Count = c.head("connect", connectWritten), address, connectWritten, len(doc.Hosts)
	return &doc
}

// An Exchange is a program that buys searches, in one language.
type Exchange struct{ Language, Code string }

// Exchanges returns programs that buy with a protocol: searches from this service, if it sells them that way, or from a test page of
// the x402 Foundation (typescript/site/app/protected of its repository); none for other protocols.
func (c *Catalog) Exchanges(protocol string) (list []Exchange) {
	for _, language := range [...]string{"curl", "TypeScript", "Python", "Go"} {
		text, err := writtenFiles.ReadFile("written/exchange/" + protocol + "." + strings.ToLower(language) + ".txt")
		if err != nil || c.Payments() == PaymentsOff && protocol != foreignExchange {
			return nil
		}
		address := c.Site().SearchURL() + "?q=macaroon"
		list = append(list, Exchange{language, strings.Replace(string(text), "{url}", address, 1)})
	}
	return list
}

// foreignExchange is the protocol whose programs buy elsewhere, because this service does not sell with it.
const foreignExchange = "x402"

// ExchangeNote describes the programs of Exchanges, and names the seller and the price.
func (c *Catalog) ExchangeNote(protocol string) string {
	if protocol == foreignExchange {
		return "Each program asks, prints the transfer as EIP-712 data, reads the signature that your wallet shows, and asks again. " +
			"The seller is a test page of the x402 Foundation, which by the source of its site asks for 0.001 USDC on Base Sepolia, a test network. We test the programs against a mock seller of our own."
	}
	t := c.Terms()
	return fmt.Sprintf("Each program asks, prints the invoice, reads the preimage that your wallet shows, and asks again. "+
		"It buys %d searches for %d sats.%s", t.Credits, t.PriceSats, t.DemoNote())
}
