// Package bridge is an MCP server for hosts that start commands: it forwards the tools, resources and prompts of a
// remote MCP server, and pays for tools that ask for payment, within a budget. The model never sees an invoice, a
// credential or a wallet.
//
// It pays when the endpoint answers with HTTP 402; when a result or an error carries the challenges of the Payment
// scheme (https://github.com/tempoxyz/mpp-specs, draft-payment-transport-mcp); and when a tool of an almanac answers
// payment_required.
//
// The session with the host does not depend on the server: while that is away, its tools fail with a sentence, and the
// host is told when it is back (link.go).
package bridge

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/http402/client"
	"go.almanac.example/internal/rpc"
)

// protocols are the revisions that are spoken with the host: those in which a server may ask the user something while
// it works.
var protocols = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// Run serves the host on a transport until ctx ends or the host leaves. The remote server may be away meanwhile.
func (b *Bridge) Run(ctx context.Context, c *client.Client, host mcp.Transport) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	b.remote = newLink(ctx, b, c)
	defer b.remote.close()
	b.client = c
	b.server = mcp.NewServer(&mcp.Implementation{Name: "almanac-bridge", Version: b.cfg.Version}, &mcp.ServerOptions{
		Capabilities: capabilities(&mcp.ServerCapabilities{
			Tools: &mcp.ToolCapabilities{}, Prompts: &mcp.PromptCapabilities{}, Resources: &mcp.ResourceCapabilities{},
			Completions: &mcp.CompletionCapabilities{},
		}),
		SupportedProtocolVersions: protocols,
	})
	b.server.AddReceivingMiddleware(b.forward)
	if err := b.server.Run(ctx, host); err != nil && ctx.Err() == nil {
		return fmt.Errorf("serve the host: %w", err)
	}
	return nil
}

// capabilities returns those that the bridge has of a server's: lists may change, when the server comes back.
func capabilities(theirs *mcp.ServerCapabilities) *mcp.ServerCapabilities {
	ours := &mcp.ServerCapabilities{Completions: theirs.Completions}
	if theirs.Tools != nil {
		ours.Tools = &mcp.ToolCapabilities{ListChanged: true}
	}
	if theirs.Prompts != nil {
		ours.Prompts = &mcp.PromptCapabilities{ListChanged: true}
	}
	if theirs.Resources != nil {
		ours.Resources = &mcp.ResourceCapabilities{ListChanged: true}
	}
	return ours
}

// initialize tells the host what the remote server says of itself, or that it is away.
func (b *Bridge) initialize(ctx context.Context, hello *mcp.InitializeResult) {
	ctx, cancel := context.WithTimeout(ctx, helloTimeout)
	defer cancel()
	session, err := b.remote.session(ctx)
	if err != nil {
		b.remote.lose(nil)
		hello.Instructions = b.remote.explain(err).message + " Its tools will be listed when it does. " + b.terms()
		return
	}
	if theirs := session.InitializeResult(); theirs != nil {
		hello.Instructions = theirs.Instructions
		if theirs.Capabilities != nil {
			hello.Capabilities = capabilities(theirs.Capabilities)
		}
		if theirs.ServerInfo != nil {
			ours := *hello.ServerInfo // which the SDK keeps
			ours.Title, hello.ServerInfo = theirs.ServerInfo.Title, &ours
		}
	}
	hello.Instructions += "\n\n" + b.terms() +
		" Never ask for an invoice, a credential or a payment; results state the costs."
}

// announce tells the host that the lists may have changed. The SDK does so when a feature is added or removed.
func (b *Bridge) announce() {
	const name, uri = "changed", "almanac-bridge:changed"
	b.server.AddTool(&mcp.Tool{Name: name, InputSchema: map[string]any{"type": "object"}}, nil)
	b.server.RemoveTools(name)
	b.server.AddPrompt(&mcp.Prompt{Name: name}, nil)
	b.server.RemovePrompts(name)
	b.server.AddResource(&mcp.Resource{Name: name, URI: uri}, nil)
	b.server.RemoveResources(uri)
}

// host returns the session with the host, or nil when there is none.
func (b *Bridge) host() *mcp.ServerSession {
	for s := range b.server.Sessions() {
		return s
	}
	return nil
}

// RunStdio serves the host on the program's own input and output, one message a line.
func (b *Bridge) RunStdio(ctx context.Context, c *client.Client, in io.ReadCloser, out io.Writer) error {
	host := &rpc.Lines{In: in, Out: out}
	if err := b.Run(ctx, c, host); err != nil {
		return err
	}
	if n := host.Dropped(); n > 0 && ctx.Err() == nil {
		return fmt.Errorf("serve the host: its input ended, and %d requests were not answered in time", n)
	}
	return nil
}

// terms tell the model who pays, and how much.
func (b *Bridge) terms() string {
	budget := b.cfg.Budget
	if budget.PerPayment == 0 {
		return "This bridge pays for nothing: it has no wallet."
	}
	s := fmt.Sprintf("This bridge pays for paid tools, within the user's budget: at most %d sat for one payment", budget.PerPayment)
	for _, limit := range []struct {
		sats int64
		span string
	}{{budget.PerHostDay, "a day to one host"}, {budget.PerDay, "a day"}, {budget.Total, "in all"}} {
		if limit.sats > 0 {
			s += fmt.Sprintf(", %d sat %s", limit.sats, limit.span)
		}
	}
	switch {
	case b.cfg.AskFirst:
		s += "; it asks the user before the first"
	case b.cfg.AskAbove >= 0:
		s += fmt.Sprintf("; it asks the user about more than %d sat", b.cfg.AskAbove)
	}
	return s + "."
}

// Config names the server to forward to, and the payments to ask the user about.
type Config struct {
	Endpoint string        // of the remote server
	Version  string        // of this program
	Budget   client.Budget // the paying client's, for the model to know; without a wallet, none
	AskAbove int64         // the user must agree to payments above this many satoshis; below 0 to none
	AskFirst bool          // the user, who set no budget, must agree to the first payment
	Log      *slog.Logger
}

// A Bridge forwards one host's session to one remote server.
type Bridge struct {
	cfg    Config
	url    *url.URL
	client *client.Client // this and the following are set by Run
	server *mcp.Server
	remote *link

	mu     sync.Mutex
	agreed bool            // the user has, to the first payment
	paid   map[string]bool // tools that take a credential
}

// New returns a bridge. Its Approve belongs into the paying client that Run takes.
func New(cfg Config) (*Bridge, error) {
	u, err := client.ParseAddress(cfg.Endpoint)
	if err != nil {
		return nil, fmt.Errorf("the MCP server: %w", err)
	}
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	return &Bridge{cfg: cfg, url: u, paid: map[string]bool{}}, nil
}
