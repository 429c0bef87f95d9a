package mcpserver

import (
	"net/http"
	"strconv"
)

// A response holds an answer until it is complete, so that nothing is reserved for a request while
// its client is slow to read. Its headers are those of the writer to which send writes it.
type response struct {
	http.ResponseWriter
	status int
	body   []byte
}

func (res *response) WriteHeader(status int) {
	if res.status == 0 && status >= 200 {
		res.status = status
	}
}

func (res *response) Write(b []byte) (int, error) {
	res.WriteHeader(http.StatusOK)
	res.body = append(res.body, b...)
	return len(b), nil
}

// Flush does nothing: the answer leaves in one piece.
func (res *response) Flush() {}

// send writes the answer.
func (res *response) send() {
	if len(res.body) > 0 {
		res.Header()["Content-Length"] = []string{strconv.Itoa(len(res.body))}
	}
	res.ResponseWriter.WriteHeader(res.status)
	if len(res.body) > 0 {
		res.ResponseWriter.Write(res.body)
	}
}
