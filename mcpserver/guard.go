package mcpserver

import (
	"errors"
	"io"
	"net/http"
	"net/netip"
	"os"
	"time"

	"almanac/problem"
)

// maxBody is the size limit of a message in bytes. The largest sensible one has about a thousand.
const maxBody = 64 << 10

// A guard refuses what no client should send.
type guard struct {
	base     string // of the codes; see problem.Table
	hosts    hosts
	cors     cors
	sessions bool

	admission   *Admission
	bodyTimeout time.Duration
}

// admit checks everything about a request but its body.
func (g *guard) admit(w http.ResponseWriter, r *http.Request) *refusal {
	h := w.Header()
	if !g.hosts.allow(r.Host) {
		return published(g.base, problem.HostUnknown)
	}
	if !g.cors.allow(h, r.Header) {
		return published(g.base, problem.OriginForbidden)
	}
	switch r.Method {
	case http.MethodPost:
	case http.MethodOptions:
		g.cors.preflight(h)
		return nil
	default:
		if g.sessions {
			return nil
		}
		h.Set("Allow", "POST, OPTIONS")
		return published(g.base, problem.MethodNotAllowed)
	}
	if !acceptsJSON(r.Header["Accept"]) {
		return published(g.base, problem.NotAcceptable)
	}
	if !isJSON(r.Header["Content-Type"]) || r.Header["Content-Encoding"] != nil {
		return published(g.base, problem.UnsupportedMediaType)
	}
	if r.ContentLength > maxBody {
		return published(g.base, problem.BodyTooLarge)
	}
	return nil
}

// readBody reads the body, which must arrive within the timeout, and meanwhile may give way to a request of another network. Its
// refusals reveal nothing about the connection.
func (g *guard) readBody(w http.ResponseWriter, r *http.Request, n netip.Prefix, buf []byte) ([]byte, *refusal) {
	conn := http.NewResponseController(w)
	_ = conn.SetReadDeadline(time.Now().Add(g.bodyTimeout)) // a test's writer has no connection
	place := g.admission.clients.EnterEvictable(n, func() { _ = conn.SetReadDeadline(longAgo) })
	if place == nil {
		return buf, published(g.base, problem.Overloaded)
	}
	body, err := readAll(buf[:0], io.LimitReader(r.Body, maxBody+1))
	place.Leave()
	if err == nil {
		_ = conn.SetReadDeadline(time.Time{}) // it must not end the request that has been read
	}
	switch {
	case err != nil && place.Evicted():
		w.Header()["Connection"] = closeConnection
		return body, published(g.base, problem.Overloaded)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return body, &refusal{status: http.StatusRequestTimeout,
			err: rpcError{Code: http.StatusRequestTimeout, Message: "the body did not arrive in time"}}
	case err != nil:
		return body, invalidRequest("the body could not be read")
	case len(body) > maxBody:
		return body, published(g.base, problem.BodyTooLarge)
	}
	return body, nil
}

// closeConnection ends a connection over HTTP/1.1, and over HTTP/2 lets the client open no more streams on it.
var closeConnection = []string{"close"}

// longAgo is a deadline that has passed.
var longAgo = time.Unix(1, 0)

// send writes an answer, which a client that reads slowly may lose to a request of another network.
func (g *guard) send(res *response, n netip.Prefix) {
	conn := http.NewResponseController(res.ResponseWriter)
	place := g.admission.clients.EnterEvictable(n, func() { _ = conn.SetWriteDeadline(longAgo) })
	if place == nil { // everybody's answers are leaving
		return
	}
	defer place.Leave()
	res.send()
}
