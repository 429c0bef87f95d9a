package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/l402/client"
)

// Config says what to forward, and how to ask before paying.
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
	u, err := url.Parse(cfg.Endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is not the address of an MCP server, such as https://almanac.example/mcp", cfg.Endpoint)
	}
	b := &Bridge{cfg: cfg, url: u, log: cfg.Log}
	if b.log == nil {
		b.log = slog.New(slog.DiscardHandler)
	}
	return b, nil
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
		Capabilities: &mcp.ClientCapabilities{Experimental: map[string]any{"payment": map[string]any{"methods": map[string]any{"lightning": map[string]any{"intents": []string{"charge"}}}}}},
		ProgressNotificationHandler: func(ctx context.Context, r *mcp.ProgressNotificationClientRequest) {
			b.toHost(func(s *mcp.ServerSession) error { return s.NotifyProgress(ctx, r.Params) })
		},
	})
	session, err := mc.Connect(context.WithoutCancel(ctx), &mcp.StreamableClientTransport{
		Endpoint: b.cfg.Endpoint, DisableStandaloneSSE: true,
		HTTPClient: &http.Client{Transport: &client.Transport{Client: b.client, Exact: true}},
	}, nil)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", b.url.Redacted(), unwrap(err))
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

// unwrap returns the refusal within an error, without what transports put around its message.
func unwrap(err error) error {
	var r *client.Refusal
	if errors.As(err, &r) {
		return r
	}
	return err
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
