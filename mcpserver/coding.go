package mcpserver

import (
	"sync"

	"github.com/klauspost/compress/gzip"

	"almanac/accept"
)

// minCoded is the size in bytes from which an answer is compressed. A smaller one leaves in one packet anyhow.
const minCoded = 1_400

var gzipWriters = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // a level that exists
	return w
}}

// encode compresses the answer if the client asks for it.
func (res *response) encode(codings []string) {
	if len(res.body) < minCoded {
		return
	}
	h := res.Header()
	h["Vary"] = append(h["Vary"], "Accept-Encoding")
	if accept.Coding(codings, "gzip") == "" { // every client that accepts another coding accepts gzip
		return
	}
	plain := answers.Get().(*[]byte)
	defer putBuffer(answers, plain)
	*plain, res.body = append((*plain)[:0], res.body...), res.body[:0]
	w := gzipWriters.Get().(*gzip.Writer)
	defer gzipWriters.Put(w)
	w.Reset(bodyWriter{res})
	_, _ = w.Write(*plain) // a body takes everything
	_ = w.Close()
	h["Content-Encoding"] = []string{"gzip"}
}

// A bodyWriter appends to the body of a response.
type bodyWriter struct{ res *response }

func (w bodyWriter) Write(b []byte) (int, error) {
	w.res.body = append(w.res.body, b...)
	return len(b), nil
}
