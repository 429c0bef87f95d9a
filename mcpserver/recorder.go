package mcpserver

import "net/http"

// A recorder is a response that remembers what was answered, for Observe and for the recovery
// from a panic. It is not ops's recorder, since only the endpoint knows the method and the tool.
type recorder struct {
	http.ResponseWriter
	method, tool  string
	status, bytes int
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
