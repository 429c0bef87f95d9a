package mcpserver

import (
	"net/http"
	"sync"
)

// constantMethods are those whose answers depend on nothing but the request: the handshake of a
// session.
var constantMethods = map[string]bool{
	"initialize": true, "notifications/initialized": true, "ping": true, "server/discover": true,
	"tools/list": true, "prompts/list": true, "resources/list": true, "resources/templates/list": true,
}

// constantAnswers remember what the SDK answered to requests of the constant methods. Clients of
// one kind send the same bytes, and most answers are the same for all of them.
type constantAnswers struct {
	mu        sync.RWMutex
	byRequest map[string]*constantAnswer
	byResult  map[string]*constantAnswer // so that equal answers are kept once
}

type constantAnswer struct {
	status int
	result []byte // nil: the answer has no body
}

const (
	maxConstants = 1_024
	maxKey       = 2 << 10
)

// constantKey returns what the answer to a message depends on: its method, its params, and the
// headers in which a request of the 2026 era repeats them; or false, if it cannot be remembered.
func constantKey(dst []byte, h http.Header, m message) ([]byte, bool) {
	if !constantMethods[m.method] || len(m.params) > maxKey {
		return dst, false
	}
	if m.id != nil {
		dst = append(dst, '?')
	}
	dst = append(append(dst, m.method...), 0)
	for _, name := range [...]string{versionHeader, methodHeader, nameHeader} {
		values := h[name]
		if len(values) > 1 {
			return dst, false
		}
		if len(values) == 1 {
			dst = append(append(dst, '='), values[0]...)
		}
		dst = append(dst, 0)
	}
	return append(dst, m.params...), len(dst) <= maxKey
}

func (c *constantAnswers) find(key []byte) *constantAnswer {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.byRequest[string(key)]
}

// remember keeps the SDK's answer to a request, unless it is an error.
func (c *constantAnswers) remember(key []byte, res *response) {
	a := &constantAnswer{status: res.status}
	switch {
	case res.status == http.StatusAccepted && len(res.body) == 0:
	case res.status == http.StatusOK:
		if a.result = member(res.body, "result"); a.result == nil {
			return
		}
	default:
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byRequest == nil || len(c.byRequest) >= maxConstants {
		c.byRequest, c.byResult = make(map[string]*constantAnswer), make(map[string]*constantAnswer)
	}
	equal, ok := c.byResult[string(a.result)]
	if !ok {
		equal = &constantAnswer{a.status, append([]byte(nil), a.result...)}
		c.byResult[string(a.result)] = equal
	}
	c.byRequest[string(key)] = equal
}

// write answers a request as the SDK answered the first of its kind.
func (a *constantAnswer) write(res *response, id []byte) {
	res.status = a.status
	if a.result == nil {
		return
	}
	h := res.Header()
	h["Content-Type"] = contentJSON
	h["Cache-Control"] = noCache
	res.body = append(res.body[:0], `{"jsonrpc":"2.0","id":`...)
	res.body = append(res.body, id...)
	res.body = append(res.body, `,"result":`...)
	res.body = append(append(res.body, a.result...), '}')
}
