package mcpserver

import (
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// minCoded is the size in bytes from which an answer is compressed. A smaller one leaves in one packet anyhow.
const minCoded = 1_400

var gzipWriters = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // a level that exists
	return w
}}

// acceptsGzip reports whether a client wants answers compressed (RFC 9110, section 12.5.3). Every client that accepts another
// coding accepts gzip, so there is no other.
func acceptsGzip(accept []string) bool {
	any, named, refused := false, false, false
	for _, line := range accept {
		for part := range strings.SplitSeq(line, ",") {
			name, parameters, _ := strings.Cut(part, ";")
			switch name = strings.TrimSpace(name); {
			case strings.EqualFold(name, "gzip"), strings.EqualFold(name, "x-gzip"):
				named, refused = true, hasZeroWeight(parameters)
			case name == "*":
				any = !hasZeroWeight(parameters)
			}
		}
	}
	if named {
		return !refused
	}
	return any
}

// encode compresses the answer if the client asks for it.
func (res *response) encode(accept []string) {
	if len(res.body) < minCoded {
		return
	}
	h := res.Header()
	h["Vary"] = append(h["Vary"], "Accept-Encoding")
	if !acceptsGzip(accept) {
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
