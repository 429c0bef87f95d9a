package mcpserver

import "net/http"

// A recorder is a response that remembers what was answered, for Observe and for the recovery
// from a panic. It is not ops's recorder, since only the endpoint knows the method and the tool.
type recorder struct {
	http.ResponseWriter
	method, tool  string
	failed        bool // the answer is an error of JSON-RPC or a failed tool call
	status, bytes int
}

// outcome returns what became of the request, in one word.
func (rec *recorder) outcome() string {
	switch {
	case rec.status >= http.StatusInternalServerError:
		return "error"
	case rec.status >= http.StatusBadRequest:
		return "refused"
	case rec.failed:
		return "failed"
	}
	return "ok"
}

func (rec *recorder) WriteHeader(status int) {
	if rec.status == 0 {
		rec.status = status
	}
	rec.ResponseWriter.WriteHeader(status)
}

func (rec *recorder) Write(b []byte) (int, error) {
	if rec.status == 0 {
		rec.status = http.StatusOK
	}
	n, err := rec.ResponseWriter.Write(b)
	rec.bytes += n
	return n, err
}

// Unwrap lets an http.ResponseController reach the connection.
func (rec *recorder) Unwrap() http.ResponseWriter { return rec.ResponseWriter }

// Flush sends what is buffered, for streams.
func (rec *recorder) Flush() { _ = http.NewResponseController(rec.ResponseWriter).Flush() }
