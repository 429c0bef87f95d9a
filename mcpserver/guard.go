package mcpserver

import (
	"cmp"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"go.almanac.example/internal/accept"
	"go.almanac.example/internal/peer"
	"go.almanac.example/internal/problem"
	"go.almanac.example/internal/rpc"
)

// maxBody is the size limit of a message in bytes. The largest sensible one has about a thousand.
const maxBody = 64 << 10

// admit refuses requests that no client should send. It checks everything about a request but its body.
func (s *Server) admit(w http.ResponseWriter, r *http.Request) *rpc.Refusal {
	switch h, asked := w.Header(), r.Header["Accept"]; {
	case !s.allowHost(r.Host):
		return published(s.base, problem.HostUnknown)
	case !s.allowPage(h, r.Header):
		return published(s.base, problem.OriginForbidden)
	case r.Method == http.MethodOptions:
		problem.AllowPages(h, "POST, OPTIONS")
	case r.Method != http.MethodPost:
		h.Set("Allow", "POST, OPTIONS")
		return published(s.base, problem.MethodNotAllowed)
	case !acceptsJSON(asked) && accept.Weight(asked, eventStream) == 0:
		return published(s.base, problem.NotAcceptable)
	case !isJSON(r.Header["Content-Type"]) || r.Header["Content-Encoding"] != nil:
		return published(s.base, problem.UnsupportedMediaType)
	case r.ContentLength > maxBody:
		return published(s.base, problem.BodyTooLarge)
	}
	return nil
}

// readBody reads the body of a request. It must arrive within the timeout, and meanwhile may give way to a
// request of another network. The refusals reveal nothing about the connection.
func (s *Server) readBody(w http.ResponseWriter, r *http.Request, n netip.Prefix) ([]byte, *rpc.Refusal) {
	conn := http.NewResponseController(w)
	_ = conn.SetReadDeadline(time.Now().Add(s.o.BodyTimeout)) // a test's writer has no connection
	place := s.o.Admission.clients.EnterEvictable(n, func() { _ = conn.SetReadDeadline(longAgo) })
	if place == nil {
		return nil, published(s.base, problem.Overloaded)
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	place.Leave()
	if err == nil {
		_ = conn.SetReadDeadline(time.Time{}) // it must not end the request that has been read
	}
	switch {
	case err != nil && place.Evicted():
		w.Header().Set("Connection", "close") // over HTTP/2 too: the client opens no more streams on it
		return nil, published(s.base, problem.Overloaded)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, &rpc.Refusal{Status: http.StatusRequestTimeout,
			Err: problem.RPCError{Code: http.StatusRequestTimeout, Message: "the body did not arrive in time"}}
	case err != nil:
		return nil, rpc.InvalidRequest("the body could not be read")
	case len(body) > maxBody:
		return nil, published(s.base, problem.BodyTooLarge)
	}
	return body, nil
}

// longAgo is a deadline that has passed.
var longAgo = time.Unix(1, 0)

// send writes an answer, which a client that reads slowly may lose to a request of another network.
func (s *Server) send(res *response, n netip.Prefix) {
	conn := http.NewResponseController(res.ResponseWriter)
	place := s.o.Admission.clients.EnterEvictable(n, func() { _ = conn.SetWriteDeadline(longAgo) })
	if place == nil { // everybody's answers are leaving
		return
	}
	defer place.Leave()
	res.send()
}

// eventStream is the type of an answer to a client that accepts no JSON, as some hosts say: a stream of one event.
const eventStream = "text/event-stream"

// acceptsJSON reports whether a client accepts application/json. A client that sends no Accept accepts it.
func acceptsJSON(lines []string) bool {
	return strings.Join(lines, "") == "" || accept.Weight(lines, "application/json") > 0
}

// isJSON reports whether a body is JSON. A client whose settings name the type too sends it twice.
func isJSON(contentType []string) bool {
	for part := range strings.SplitSeq(strings.Join(contentType, ","), ",") {
		if kind, _, err := mime.ParseMediaType(part); err != nil || kind != "application/json" {
			return false
		}
	}
	return true
}

// An Admission shares out the resources for which requests compete, fairly among networks. One of a program outlives
// the endpoints that a reload replaces.
//
// A request waits for its client twice: while its body arrives and while its answer leaves. Both are evictable, so
// half a request and a client that reads slowly cost others nothing, over however many connections or HTTP/2 streams
// they come. In between, the request competes for a place to be worked on.
type Admission struct {
	clients *peer.Queue // requests that wait for their clients
	working *peer.Queue // requests that are being answered
	paying  *peer.Queue // calls of the paid tool, which wait for a ledger and a node, not for a processor
}

const (
	maxClients = 4_096
	maxWaiting = 4_096 // for a processor or the paid tool
	maxPaying  = 256
	maxWait    = 3 * time.Second
)

// NewAdmission returns the admission of a program. concurrent is how many requests are worked on at one time; 0 means
// 2 for each processor, 4 at least: free answers come from memory, so more would only make all of them slower. wait
// is how long a request waits for a place; 0 means 3 seconds.
func NewAdmission(concurrent int, wait time.Duration) *Admission {
	shared := func(n int) *peer.Queue {
		return peer.NewQueue(peer.QueueLimits{Total: n, PerNetwork: max(1, n/2), Waiting: maxWaiting,
			Wait: cmp.Or(wait, maxWait)})
	}
	return &Admission{
		clients: peer.NewQueue(peer.QueueLimits{Total: maxClients, PerNetwork: maxClients / 8}),
		working: shared(cmp.Or(concurrent, max(4, 2*runtime.GOMAXPROCS(0)))),
		paying:  shared(maxPaying),
	}
}

// Enter waits for a place to work on a request that is no tool call, as those do; nil: there is none.
func (a *Admission) Enter(ctx context.Context) *peer.Place {
	return a.working.Enter(ctx, peer.Network(peer.FromContext(ctx)))
}

// A turn is the place of a request that is being worked on.
type turn struct {
	request context.Context
	place   *peer.Place
}

// exchange leaves the place, waits for one of another queue, and reports whether there was one.
func (t *turn) exchange(q *peer.Queue) bool {
	t.place.Leave()
	t.place = q.Enter(t.request, peer.Network(peer.FromContext(t.request)))
	return t.place != nil
}

func (t *turn) end() { t.place.Leave() }

// endAfter leaves the place when done is closed: the work goes on although nobody waits for it.
func (t *turn) endAfter(done <-chan struct{}) {
	place := t.place
	t.place = nil
	go func() {
		<-done
		place.Leave()
	}()
}

// exposed are the headers that pages in a browser may read.
const exposed = "MCP-Protocol-Version, Mcp-Session-Id, WWW-Authenticate, Retry-After, RateLimit"

// allowPage sets the headers that let a page in a browser read the answer, refusals too, and reports whether the page
// may call (Fetch standard, "CORS protocol"): any page, since there are no cookies and nothing to change, but only
// one of this machine, its programs and browser extensions included, if the endpoint is here too, because then a page
// elsewhere has no business with it. A request without Origin does not come from a page.
func (s *Server) allowPage(answer, request http.Header) bool {
	origin := "*"
	if s.loopback {
		answer.Set("Vary", "Origin")
		origins := request["Origin"]
		if len(origins) == 0 {
			return true
		}
		if origin = origins[0]; len(origins) > 1 || !isLocalOrigin(origin) {
			return false
		}
	}
	answer.Set("Access-Control-Allow-Origin", origin)
	answer.Set("Access-Control-Expose-Headers", exposed)
	return true
}

// isLocalOrigin reports whether an origin is a page of this machine, or of a scheme that no website has, such as
// chrome-extension, vscode-webview or tauri. That of a file is null.
func isLocalOrigin(origin string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" || u.Scheme+"://"+u.Host != origin {
		return false
	}
	return u.Scheme != "http" && u.Scheme != "https" || peer.IsLoopback(u.Hostname())
}

// allowHost reports whether the endpoint answers under the name of a Host header. Without such a check a page
// anywhere could point its own name at this machine and call it from the visitor's browser (DNS rebinding).
func (s *Server) allowHost(host string) bool {
	name := hostname(host)
	return name != "" && (peer.IsLoopback(name) || slices.Contains(s.hosts, name))
}

// hostname returns the name in a Host header in lower case, or "" when the header is not valid.
func hostname(host string) string {
	u, err := url.Parse("//" + host)
	if err != nil || u.Host != host || u.User != nil {
		return ""
	}
	return strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
}
