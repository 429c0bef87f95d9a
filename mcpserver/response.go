package mcpserver

import (
	"net/http"
	"strconv"
)

// A response holds an answer until it is complete, so that nothing is reserved for a request while
// its client is slow to read. It is an http.ResponseWriter whose headers are those of the real one.
type response struct {
	header http.Header
	status int
	body   []byte
}

func (res *response) Header() http.Header { return res.header }

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
func (res *response) send(w http.ResponseWriter) {
	if len(res.body) > 0 {
		res.header["Content-Length"] = []string{strconv.Itoa(len(res.body))}
	}
	w.WriteHeader(res.status)
	if len(res.body) > 0 {
		w.Write(res.body)
	}
}
