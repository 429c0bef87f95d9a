package mcpserver

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"go.almanac.example/catalog"
	"go.almanac.example/internal/accept"
	"go.almanac.example/internal/problem"
	"go.almanac.example/internal/wirejson"
)

// A response holds an answer until it is complete, so that nothing is reserved for a request while
// its client is slow to read. Its headers are those of the writer to which send writes it.
type response struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
	tail   []byte // the answer after body, which belongs to a cachedAnswer; nil: body is all of it
}

func (res *response) WriteHeader(status int) {
	if res.status == 0 && status >= 200 {
		res.status = status
	}
}

func (res *response) Write(b []byte) (int, error) {
	res.WriteHeader(http.StatusOK)
	return res.body.Write(b)
}

// send writes the answer.
func (res *response) send() {
	if n := res.size(); n > 0 {
		res.Header()["Content-Length"] = []string{strconv.Itoa(n)}
	}
	res.ResponseWriter.WriteHeader(res.status)
	res.ResponseWriter.Write(res.body.Bytes())
	res.ResponseWriter.Write(res.tail)
}

func (res *response) size() int { return res.body.Len() + len(res.tail) }

// minCoded is the size in bytes from which an answer is compressed. A smaller one leaves in one packet anyhow.
const minCoded = 1_400

var gzipWriters = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // a level that exists
	return w
}}

// encode compresses the answer if the client asks for it.
func (res *response) encode(codings []string) {
	if res.size() < minCoded {
		return
	}
	h := res.Header()
	h["Vary"] = append(h["Vary"], "Accept-Encoding")
	if accept.Coding(codings, "gzip") == "" { // every client that accepts another coding accepts gzip
		return
	}
	plain := res.body
	res.body = bytes.Buffer{}
	w := gzipWriters.Get().(*gzip.Writer)
	defer gzipWriters.Put(w)
	w.Reset(&res.body)
	_, _ = w.Write(plain.Bytes()) // a buffer takes everything
	_, _ = w.Write(res.tail)
	res.tail = nil
	_ = w.Close()
	h["Content-Encoding"] = []string{"gzip"}
}

// A refusal is an HTTP status with a JSON-RPC error: one that JSON-RPC or MCP defines, or one of
// the table of problems.
type refusal struct {
	status     int
	err        problem.RPCError
	retryAfter time.Duration
}

// accepted is the answer to a message that needs none and is dropped.
var accepted = &refusal{status: http.StatusAccepted}

func internalRefusal() *refusal {
	return &refusal{status: http.StatusInternalServerError,
		err: problem.RPCError{Code: jsonrpc.CodeInternalError, Message: "internal error"}}
}

func invalidRequest(message string) *refusal {
	return &refusal{status: http.StatusBadRequest,
		err: problem.RPCError{Code: jsonrpc.CodeInvalidRequest, Message: message}}
}

// published refuses a request with a code of the table. base precedes the code in its address.
func published(base string, code problem.Code) *refusal { return refusalOf(base, problem.New(code)) }

func refusalOf(base string, p *problem.Problem) *refusal {
	return &refusal{status: p.Status(), err: p.JSONRPC(base), retryAfter: p.Wait()}
}

// Refuse answers a request to the endpoint that is stopped before it, in the endpoint's own form.
func Refuse(w http.ResponseWriter, site catalog.Site, p *problem.Problem) {
	w.Header().Set("Access-Control-Allow-Origin", "*") // there is nothing private in it
	w.Header().Set("Access-Control-Expose-Headers", exposed)
	refusalOf(site.ProblemBase(), p).write(w, nil)
}

// write answers with the refusal. Without a readable id the answer has none, since the protocol's
// schema does not allow null.
func (f *refusal) write(w http.ResponseWriter, id []byte) {
	if f == accepted {
		w.WriteHeader(f.status)
		return
	}
	body := wirejson.Must(wirejson.Compact(struct {
		Version string           `json:"jsonrpc"`
		ID      json.RawMessage  `json:"id,omitempty"`
		Error   problem.RPCError `json:"error"`
	}{"2.0", id, f.err}))
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("Cache-Control", "no-store")
	problem.SetRetryAfter(h, f.retryAfter)
	w.WriteHeader(f.status)
	w.Write(body)
}
