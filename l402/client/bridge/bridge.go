// Package bridge is an MCP server for hosts that start commands: it forwards the tools, resources and prompts of a
// remote MCP server, and pays for tools that ask for payment, within a budget. The model never sees an invoice, a
// credential or a wallet.
//
// It pays when the endpoint answers with HTTP 402; when a result or an error carries the challenges of the Payment
// scheme (https://github.com/tempoxyz/mpp-specs, draft-payment-transport-mcp); and when a tool of an almanac answers
// payment_required.
package bridge

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/l402/client"
)

// protocols are the revisions that are spoken with the host: those in which a server may ask the user something while
// it works.
var protocols = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// Run serves the host on a transport until ctx ends or the host leaves.
func (b *Bridge) Run(ctx context.Context, c *client.Client, host mcp.Transport) error {
	b.client = c
	remote, err := b.session(ctx)
	if err != nil {
		return err
	}
	defer b.close()
	hello := remote.InitializeResult()
	caps := &mcp.ServerCapabilities{}
	instructions := ""
	name, title := "almanac-bridge", ""
	if hello != nil {
		if hello.Capabilities != nil {
			caps.Tools, caps.Prompts, caps.Resources, caps.Completions = hello.Capabilities.Tools,
				hello.Capabilities.Prompts, hello.Capabilities.Resources, hello.Capabilities.Completions
		}
		if hello.ServerInfo != nil {
			title = hello.ServerInfo.Title
		}
		instructions = hello.Instructions
	}
	if caps.Resources != nil {
		caps.Resources.Subscribe, caps.Resources.ListChanged = false, false
	}
	b.server = mcp.NewServer(&mcp.Implementation{Name: name, Title: title, Version: b.cfg.Version}, &mcp.ServerOptions{
		Instructions: instructions + paidInstructions, Capabilities: caps, SupportedProtocolVersions: protocols,
		CompletionHandler: func(ctx context.Context, r *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
			return nil, errNotForwarded
		},
	})
	b.server.AddReceivingMiddleware(b.forward)
	if err := b.server.Run(ctx, host); err != nil && ctx.Err() == nil {
		return fmt.Errorf("serve the host: %w", err)
	}
	return nil
}

// RunStdio serves the host on the program's own input and output, one message a line.
func (b *Bridge) RunStdio(ctx context.Context, c *client.Client, in io.ReadCloser, out io.WriteCloser) error {
	return b.Run(ctx, c, &mcp.IOTransport{Reader: in, Writer: out})
}

// paidInstructions tell the model who pays.
const paidInstructions = "\n\nThis program pays for paid tools, within the user's budget. Never ask for an invoice, a credential or a payment; results state the costs."

// Config names the server to forward to, and the payments to ask the user about.
type Config struct {
	Endpoint string // of the remote server
	Version  string // of this program
	AskAbove int64  // payments above this many satoshis are made only when the user agrees; below 0 none is asked about
	Log      *slog.Logger
}

// A Bridge forwards one host's session to one remote server.
type Bridge struct {
	cfg    Config
	url    *url.URL
	client *client.Client // set by Start
	server *mcp.Server
	log    *slog.Logger

	mu     sync.Mutex
	remote *mcp.ClientSession
}

// New returns a bridge. Its Approve belongs into the paying client that Run takes.
func New(cfg Config) (*Bridge, error) {
	u, err := client.ParseAddress(cfg.Endpoint)
	if err != nil {
		return nil, fmt.Errorf("the MCP server: %w", err)
	}
	return &Bridge{cfg: cfg, url: u, log: cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))}, nil
}

var errNotForwarded = errors.New("not forwarded")

// session returns the session with the remote server, a new one when the last has ended.
func (b *Bridge) session(ctx context.Context) (*mcp.ClientSession, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.remote != nil {
		return b.remote, nil
	}
	mc := mcp.NewClient(&mcp.Implementation{Name: "almanac-bridge", Version: b.cfg.Version}, &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{Experimental: map[string]any{"payment": map[string]any{
			"methods": map[string]any{"lightning": map[string]any{"intents": []string{"charge"}}}}}},
		ProgressNotificationHandler: func(ctx context.Context, r *mcp.ProgressNotificationClientRequest) {
			b.toHost(func(s *mcp.ServerSession) error { return s.NotifyProgress(ctx, r.Params) })
		},
	})
	session, err := mc.Connect(context.WithoutCancel(ctx), &mcp.StreamableClientTransport{
		Endpoint: b.cfg.Endpoint, DisableStandaloneSSE: true,
		HTTPClient: &http.Client{Transport: &client.Transport{Client: b.client, Exact: true}},
	}, nil)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", b.url.Redacted(), client.Unwrap(err))
	}
	b.remote = session
	return session, nil
}

func (b *Bridge) toHost(f func(*mcp.ServerSession) error) {
	if b.server == nil {
		return
	}
	for s := range b.server.Sessions() {
		if err := f(s); err != nil {
			b.log.Debug("cannot notify the host", slog.Any("error", err))
		}
	}
}

// lost forgets a session that has ended, so that the next request opens another.
func (b *Bridge) lost(session *mcp.ClientSession, err error) {
	if !errors.Is(err, mcp.ErrConnectionClosed) && !errors.Is(err, mcp.ErrSessionMissing) {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.remote == session {
		b.remote = nil
	}
}

func (b *Bridge) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.remote != nil {
		b.remote.Close()
	}
}

type sessionKey struct{}

// withSession returns a context that knows the host's session, for Approve.
func withSession(ctx context.Context, req mcp.Request) context.Context {
	if s, ok := req.GetSession().(*mcp.ServerSession); ok {
		return context.WithValue(ctx, sessionKey{}, s)
	}
	return ctx
}

// asObject returns a JSON value as an object, whatever Go type it has.
func asObject(v any) (map[string]any, bool) {
	if m, ok := v.(map[string]any); ok {
		return m, true
	}
	b, err := json.Marshal(v)
	if err != nil {
		return nil, false
	}
	var m map[string]any
	err = json.Unmarshal(b, &m)
	return m, err == nil && m != nil
}
