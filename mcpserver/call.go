package mcpserver

import "net/http"

// A Call is what became of one request, for metrics and logs: nothing in it is a client's own.
type Call struct {
	Method string // of JSON-RPC; "" when the request was refused before it was read
	Tool   string // if one was called
	Status int    // of HTTP; 0 when the connection was broken off, or a stream followed
	Failed bool   // the answer is an error of JSON-RPC or a failed tool call, which the client must correct
}

// Outcome returns what became of the request, in one word.
func (c Call) Outcome() string {
	switch {
	case c.Status >= http.StatusInternalServerError:
		return "error"
	case c.Status >= http.StatusBadRequest:
		return "refused"
	case c.Failed:
		return "failed"
	}
	return "ok"
}
