package ops

import (
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"strconv"
)

// Annotate adds attributes to the access log's line about the request that w answers. Without an access log, or when w
// did not come from Middleware, it does nothing.
func Annotate(w http.ResponseWriter, attrs ...slog.Attr) {
	for w != nil {
		if rec, ok := w.(*recorder); ok {
			rec.attrs = append(rec.attrs, attrs...)
			return
		}
		wrapper, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return
		}
		w = wrapper.Unwrap()
	}
}

// A recorder remembers the status and the size of an answer.
type recorder struct {
	http.ResponseWriter
	status int // 0: not begun
	bytes  int64
	attrs  []slog.Attr // for the access log
	id     string      // of the request; "" until somebody asks
	source netip.Addr  // of the request; invalid until somebody asks
}

// RequestID returns the id of the request: it stands in the access log and in problems, so that one can be found by the
// other.
func (rec *recorder) RequestID() string {
	if rec.id == "" {
		rec.id = strconv.FormatUint(rand.Uint64(), 36)
	}
	return rec.id
}

// WriteHeader implements http.ResponseWriter.
func (rec *recorder) WriteHeader(status int) {
	if rec.status == 0 && status >= 200 { // a 1xx is not the answer yet
		rec.status = status
	}
	rec.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (rec *recorder) Write(p []byte) (int, error) {
	if rec.status == 0 {
		rec.status = http.StatusOK
	}
	n, err := rec.ResponseWriter.Write(p)
	rec.bytes += int64(n)
	return n, err
}

// Flush implements http.Flusher.
func (rec *recorder) Flush() {
	if f, ok := rec.ResponseWriter.(http.Flusher); ok {
		f.Flush()
	}
}

// Unwrap is for http.ResponseController.
func (rec *recorder) Unwrap() http.ResponseWriter { return rec.ResponseWriter }
