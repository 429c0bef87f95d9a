package mcpserver

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"go.almanac.example/catalog"
	"go.almanac.example/internal/problem"
	"go.almanac.example/internal/rpc"
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

// unsent is the writer of a part of an answer, whose headers nobody sees.
type unsent struct{ http.ResponseWriter }

// Header implements [http.ResponseWriter].
func (unsent) Header() http.Header { return http.Header{} }

// send writes the answer.
func (res *response) send() {
	if n := res.size(); n > 0 {
		res.Header()["Content-Length"] = []string{strconv.Itoa(n)}
	}
	res.ResponseWriter.WriteHeader(res.status)
	res.ResponseWriter.Write(res.body.Bytes())
	res.ResponseWriter.Write(res.tail)
}

// toEvent makes a stream of one event of an answer in JSON, which has no line breaks but at its end.
func (res *response) toEvent() {
	answer := bytes.TrimSpace(slices.Concat(res.body.Bytes(), res.tail))
	res.body, res.tail = bytes.Buffer{}, nil
	fmt.Fprintf(&res.body, "event: message\ndata: %s\n\n", answer)
	res.Header().Set("Content-Type", eventStream)
}

func (res *response) size() int { return res.body.Len() + len(res.tail) }

func internalRefusal() *rpc.Refusal {
	return &rpc.Refusal{Status: http.StatusInternalServerError,
		Err: problem.RPCError{Code: jsonrpc.CodeInternalError, Message: "internal error"}}
}

// published refuses a request with a code of the table. base precedes the code in its address.
func published(base string, code problem.Code) *rpc.Refusal {
	return refusalOf(base, problem.New(code))
}

func refusalOf(base string, p *problem.Problem) *rpc.Refusal {
	return &rpc.Refusal{Status: p.Status(), Err: p.JSONRPC(base), Wait: p.Wait()}
}

// Refuse answers a request to the endpoint that is stopped before it, in the endpoint's own form.
func Refuse(w http.ResponseWriter, site catalog.Site, p *problem.Problem) {
	w.Header().Set("Access-Control-Allow-Origin", "*") // there is nothing private in it
	w.Header().Set("Access-Control-Expose-Headers", exposed)
	writeRefusal(w, refusalOf(site.ProblemBase(), p), nil)
}

// writeRefusal answers with a refusal.
func writeRefusal(w http.ResponseWriter, f *rpc.Refusal, id []byte) {
	if f == rpc.Accepted {
		w.WriteHeader(f.Status)
		return
	}
	body := rpc.EncodeAnswer(id, nil, f.Err)
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("Cache-Control", "no-store")
	problem.SetRetryAfter(h, f.Wait)
	w.WriteHeader(f.Status)
	w.Write(body)
}
