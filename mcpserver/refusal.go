package mcpserver

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"almanac/catalog"
	"almanac/problem"
	"almanac/wirejson"
)

// A refusal is an HTTP status with a JSON-RPC error: one that JSON-RPC or MCP defines, or one of
// the table of problems.
type refusal struct {
	status     int
	err        rpcError
	retryAfter time.Duration
}

type rpcError struct {
	Code    int64  `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

// accepted is the answer to a message that needs none and is dropped.
var accepted = &refusal{status: http.StatusAccepted}

func internalRefusal() *refusal {
	return &refusal{status: http.StatusInternalServerError, err: rpcError{Code: jsonrpc.CodeInternalError, Message: "internal error"}}
}

func invalidRequest(message string) *refusal {
	return &refusal{status: http.StatusBadRequest, err: rpcError{Code: jsonrpc.CodeInvalidRequest, Message: message}}
}

// malformed refuses a body that is not a message.
func malformed(err error) *refusal {
	f := invalidRequest(err.Error())
	if errors.Is(err, errSyntax) {
		f.err.Code = jsonrpc.CodeParseError
	}
	return f
}

// published refuses a request with a code of the table. base precedes the code in its address.
func published(base string, code problem.Code) *refusal { return refusalOf(base, problem.New(code)) }

func refusalOf(base string, p *problem.Problem) *refusal {
	e := p.JSONRPC(base)
	return &refusal{status: p.Status(), err: rpcError{e.Code, e.Message, e.Data}, retryAfter: p.Wait()}
}

// Refuse answers a request to the endpoint that is stopped before it, in the endpoint's own form.
func Refuse(w http.ResponseWriter, site catalog.Site, p *problem.Problem) {
	w.Header()["Access-Control-Allow-Origin"] = anyOrigin // there is nothing private in it
	w.Header()["Access-Control-Expose-Headers"] = exposed
	refusalOf(site.ProblemBase(), p).write(w, nil)
}

// write answers with the refusal. Without a readable id the answer has none, since the protocol's
// schema does not allow null.
func (f *refusal) write(w http.ResponseWriter, id []byte) {
	body := wirejson.Must(wirejson.Compact(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id,omitempty"`
		Error   rpcError        `json:"error"`
	}{"2.0", id, f.err}))
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("Cache-Control", "no-store")
	problem.SetRetryAfter(h, f.retryAfter)
	w.WriteHeader(f.status)
	w.Write(body)
}
