package problem

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestIntercept(t *testing.T) {
	plain := func(_ int, h http.Header) bool { return strings.HasPrefix(h.Get("Content-Type"), "text/plain") }
	for _, tt := range []struct {
		name     string
		withhold func(int, http.Header) bool
		handle   http.HandlerFunc
		failed   int
		body     string
	}{
		{"success", nil, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "fine") }, 0, "fine"},
		{"failure", nil, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "secret", 500) }, 500, ""},
		{"a second failure", nil, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "a", 400); http.Error(w, "b", 500) }, 400, ""},
		{"failure in plain text", plain, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "secret", 400) }, 400, ""},
		{"failure that is written well", plain, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(400)
			io.WriteString(w, "{}")
		}, 0, "{}"},
		{"failure after the answer has begun", nil, func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, "half")
			w.WriteHeader(500)
			io.WriteString(w, " more")
		}, 0, "half more"},
		{"failure after an early hint", nil, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusEarlyHints)
			w.WriteHeader(500)
		}, 500, ""},
		{"unsatisfiable range", nil, func(w http.ResponseWriter, r *http.Request) {
			r.Header.Set("Range", "bytes=9-")
			http.ServeContent(w, r, "x.txt", time.Time{}, strings.NewReader("short"))
		}, 416, ""},
		{"stream", nil, func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, "event")
			if err := http.NewResponseController(w).Flush(); err != nil {
				t.Error(err)
			}
		}, 0, "event"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			in := Intercept(w, tt.withhold)
			tt.handle(in, httptest.NewRequest("GET", "/", nil))
			if in.Failed() != tt.failed || w.Body.String() != tt.body {
				t.Errorf("failed %d, body %q; want %d, %q", in.Failed(), w.Body, tt.failed, tt.body)
			}
			if tt.name == "stream" && !w.Flushed {
				t.Error("not flushed")
			}
		})
	}
}
