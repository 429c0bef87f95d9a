package mcpserver

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/catalog"
	"almanac/problem"
)

const (
	codeParse          = jsonrpc.CodeParseError
	codeInvalidRequest = jsonrpc.CodeInvalidRequest
	codeUnknownMethod  = jsonrpc.CodeMethodNotFound
	codeInvalidParams  = jsonrpc.CodeInvalidParams
	codeInternal       = jsonrpc.CodeInternalError
	codeVersion        = mcp.CodeUnsupportedProtocolVersion
)

// A fault is a refusal as the endpoint words it: an HTTP status with a JSON-RPC error. Refusals of
// HTTP itself carry the HTTP status as their code, which lies outside the numbers that JSON-RPC
// and MCP reserve.
type fault struct {
	status  int
	code    int64
	message string
	data    any
	wait    time.Duration // told as Retry-After
}

func (f *fault) after(d time.Duration) *fault {
	f.wait = d
	return f
}

func internalFault() *fault {
	return &fault{status: http.StatusInternalServerError, code: codeInternal, message: "internal error"}
}

// malformed is the fault of a body that is no message.
func malformed(err error) *fault {
	f := &fault{status: http.StatusBadRequest, code: codeInvalidRequest, message: err.Error()}
	if errors.Is(err, errSyntax) {
		f.code = codeParse
	}
	return f
}

// published is a fault of the table that the trust checklist publishes.
func published(site catalog.Site, code problem.Code) *fault {
	p := problem.New(code)
	e := p.JSONRPC(site.ProblemBase())
	return &fault{status: p.Status(), code: e.Code, message: e.Message, data: e.Data}
}

// Refuse answers a request to the endpoint that is stopped before it, in the endpoint's own form.
func Refuse(w http.ResponseWriter, site catalog.Site, p *problem.Problem) {
	w.Header()["Access-Control-Allow-Origin"] = anyOrigin // there is nothing of anyone's in it
	w.Header()["Access-Control-Expose-Headers"] = exposed
	writeFault(w, nil, published(site, p.Code).after(p.RetryAfter))
}

// writeFault answers with a fault. Without a readable id the answer has none: the protocol's
// schema has no null ids.
func writeFault(w http.ResponseWriter, id []byte, f *fault) {
	type wireError struct {
		Code    int64  `json:"code"`
		Message string `json:"message"`
		Data    any    `json:"data,omitempty"`
	}
	body, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id,omitempty"`
		Error   wireError       `json:"error"`
	}{"2.0", id, wireError{f.code, f.message, f.data}})
	if err != nil {
		body = []byte(`{"jsonrpc":"2.0","error":{"code":-32603,"message":"internal error"}}`)
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("Cache-Control", "no-store")
	problem.SetRetryAfter(h, f.wait)
	w.WriteHeader(f.status)
	w.Write(body)
}

// An answer is a response that remembers what was told, for Observe and for the recovery.
type answer struct {
	http.ResponseWriter
	method, tool  string
	status, bytes int
}

func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(b []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	n, err := a.ResponseWriter.Write(b)
	a.bytes += n
	return n, err
}

// Unwrap lets an http.ResponseController reach the connection.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// Flush sends what is buffered, for streams.
func (a *answer) Flush() { _ = http.NewResponseController(a.ResponseWriter).Flush() }

// plainFaults turns what the SDK refuses in plain text, where it names Go types and addresses,
// into faults of ours. It is a net below the guard: what is known to be refused so, is caught there.
type plainFaults struct {
	*answer
	id    []byte
	plain bool
}

func (p *plainFaults) WriteHeader(status int) {
	if status < 400 || !strings.HasPrefix(p.Header().Get("Content-Type"), "text/plain") {
		p.answer.WriteHeader(status)
		return
	}
	p.plain = true
	f := &fault{status: status, code: codeInvalidRequest, message: "the request is not one of this protocol"}
	if status >= 500 {
		f = internalFault()
	}
	writeFault(p.answer, p.id, f)
}

func (p *plainFaults) Write(b []byte) (int, error) {
	if p.plain {
		return len(b), nil
	}
	return p.answer.Write(b)
}
