package bridge

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/singleflight"

	"go.almanac.example/http402/client"
)

// How long the bridge waits for the remote server.
const (
	helloTimeout   = 2 * time.Second  // before the host is told that it is away
	connectTimeout = 10 * time.Second // of one attempt
	retryFor       = 3 * time.Second  // a request, of a server that has answered before
	firstDelay     = 100 * time.Millisecond
	maxDelay       = 15 * time.Second // between attempts in the background
)

// A link is the connection to the remote server, which is opened again whenever it is lost.
type link struct {
	ctx    context.Context // of the bridge
	bridge *Bridge
	http   *http.Client

	connecting singleflight.Group

	mu      sync.Mutex
	current *mcp.ClientSession
	missing bool // the server was away when it was last asked, and is tried in the background
}

func newLink(ctx context.Context, b *Bridge, c *client.Client) *link {
	base := http.DefaultTransport.(*http.Transport).Clone()
	base.DialContext = (&net.Dialer{Timeout: connectTimeout}).DialContext
	transport := &client.Transport{Client: c, Base: gateway{base}, Exact: true}
	return &link{ctx: ctx, bridge: b, http: &http.Client{Transport: transport}}
}

// A gateway reads the statuses of proxies that no standard has, such as Cloudflare's 524, as 502.
type gateway struct{ http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (g gateway) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := g.RoundTripper.RoundTrip(r)
	if err == nil && res.StatusCode > http.StatusNetworkAuthenticationRequired {
		res.StatusCode = http.StatusBadGateway
	}
	return res, err
}

// session returns the session with the remote server, a new one when the last has ended.
func (l *link) session(ctx context.Context) (*mcp.ClientSession, error) {
	if session := l.open(); session != nil {
		return session, nil
	}
	connected := l.connecting.DoChan("", l.connect)
	select {
	case r := <-connected:
		session, _ := r.Val.(*mcp.ClientSession)
		return session, r.Err
	case <-ctx.Done():
		return nil, fmt.Errorf("connect: %w", context.Cause(ctx))
	}
}

// open returns the session that is open, or nil.
func (l *link) open() *mcp.ClientSession {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.current
}

// connect opens a session, unless one was opened meanwhile.
func (l *link) connect() (any, error) {
	if session := l.open(); session != nil {
		return session, nil
	}
	ctx, cancel := context.WithTimeout(l.ctx, connectTimeout)
	defer cancel()
	c := mcp.NewClient(&mcp.Implementation{Name: "almanac-bridge", Version: l.bridge.cfg.Version}, &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{Experimental: map[string]any{"payment": map[string]any{
			"methods": map[string]any{"lightning": map[string]any{"intents": []string{"charge"}}}}}},
		ProgressNotificationHandler: func(ctx context.Context, r *mcp.ProgressNotificationClientRequest) {
			if s := l.bridge.host(); s != nil {
				_ = s.NotifyProgress(ctx, r.Params) // a host that has left needs none
			}
		},
	})
	session, err := c.Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint: l.bridge.cfg.Endpoint, DisableStandaloneSSE: true, HTTPClient: l.http,
	}, nil)
	l.mu.Lock()
	l.current = session
	if err != nil && !l.missing {
		l.bridge.cfg.Log.Warn(l.explain(err).message, slog.Any("err", client.Unwrap(err)))
	}
	l.mu.Unlock()
	return session, err
}

// do sends a request on a session. When the server is away, it tries again for a while, unless that is known or the
// request may have arrived and is not safe to repeat; its error is then an *awayError.
func (l *link) do(
	ctx context.Context, safe bool, send func(*mcp.ClientSession) (mcp.Result, error),
) (mcp.Result, error) {
	l.mu.Lock()
	until, known := time.Now().Add(retryFor), l.missing
	l.mu.Unlock()
	for delay := firstDelay; ; delay *= 2 {
		session, err := l.session(ctx)
		var result mcp.Result
		if err == nil {
			result, err = send(session)
		}
		if err == nil || !isAway(err) || ctx.Err() != nil {
			return result, client.Unwrap(err)
		}
		l.lose(session)
		away := l.explain(err)
		if known || !safe && away.sent || time.Now().Add(delay).After(until) {
			return nil, away
		}
		select {
		case <-time.After(delay):
		case <-ctx.Done():
			return nil, away
		}
	}
}

// lose forgets a session that does not work, and has the server tried in the background.
func (l *link) lose(session *mcp.ClientSession) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if session != nil && l.current == session {
		l.current = nil
		go session.Close()
	}
	if l.current == nil && !l.missing {
		l.missing = true
		go l.follow()
	}
}

// follow tries the server until it answers a request, and has the host list its tools again. One that begins sessions
// and answers nothing else is still away.
func (l *link) follow() {
	for delay := firstDelay; ; delay = min(2*delay, maxDelay) {
		select {
		case <-time.After(delay):
		case <-l.ctx.Done():
			return
		}
		session, err := l.session(l.ctx)
		if err == nil {
			_, err = session.ListTools(l.ctx, nil)
		}
		l.mu.Lock()
		if err == nil || !isAway(err) {
			l.missing = false
			l.mu.Unlock()
			break
		}
		if session != nil && l.current == session {
			l.current = nil
			go session.Close()
		}
		l.mu.Unlock()
	}
	l.bridge.cfg.Log.Info("the MCP server answers again", slog.String("server", l.bridge.url.Redacted()))
	l.bridge.announce()
}

func (l *link) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.current != nil {
		l.current.Close()
	}
}

// An awayError says that the remote server does not answer.
type awayError struct {
	message string
	sent    bool // the request may have arrived
}

// Error implements error.
func (e *awayError) Error() string { return e.message }

// codeRejected is the error of the SDK for statuses such as 503 (internal/jsonrpc2, ErrRejected).
const codeRejected = -32005

// isAway reports whether an error means that the server could not be reached, and not that it refused.
func isAway(err error) bool {
	var rpc *jsonrpc.Error
	switch {
	case errors.As(err, new(*client.Refusal)):
		return false
	case errors.Is(err, mcp.ErrConnectionClosed), errors.Is(err, mcp.ErrSessionMissing),
		errors.As(err, new(*url.Error)), errors.Is(err, context.DeadlineExceeded):
		return true
	}
	return errors.As(err, &rpc) && rpc.Code == codeRejected
}

// explain puts an error of the connection into words.
func (l *link) explain(err error) *awayError {
	if !isAway(err) {
		err = client.Unwrap(err)
		return &awayError{fmt.Sprintf("The MCP server at %s cannot be used: %v.", l.bridge.url.Host, err), false}
	}
	why := "the connection broke"
	if strings.Contains(err.Error(), "unsupported content type") {
		why = "what answers there is no MCP server; a page to log in, perhaps"
	}
	var call *os.SyscallError
	op, ok := errors.AsType[*net.OpError](err)
	dialing := ok && op.Op == "dial"
	var request *url.Error
	switch {
	case errors.As(err, new(*net.DNSError)):
		why = "its name cannot be resolved"
	case errors.As(err, &call):
		why = call.Err.Error()
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &request) && request.Timeout():
		why = "it takes too long"
	case errors.As(err, &request):
		why = request.Err.Error()
	case errors.As(err, new(*jsonrpc.Error)):
		why = "it is overloaded, or behind a proxy that cannot reach it"
	}
	return &awayError{fmt.Sprintf("The MCP server at %s does not answer: %s.", l.bridge.url.Host, why), !dialing}
}
