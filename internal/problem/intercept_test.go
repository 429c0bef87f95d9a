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
	for _, tt := range []struct {
		name   string
		handle http.HandlerFunc
		failed int
		body   string
	}{
		{"success", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "fine") }, 0, "fine"},
		{"failure", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "secret", 500) }, 500, ""},
		{"a second failure", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "a", 400); http.Error(w, "b", 500) }, 400, ""},
		{"failure after the answer has begun", func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, "half")
			w.WriteHeader(500)
			io.WriteString(w, " more")
		}, 0, "half more"},
		{"failure after an early hint", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusEarlyHints)
			w.WriteHeader(500)
		}, 500, ""},
		{"unsatisfiable range", func(w http.ResponseWriter, r *http.Request) {
			r.Header.Set("Range", "bytes=9-")
			http.ServeContent(w, r, "x.txt", time.Time{}, strings.NewReader("short"))
		}, 416, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			in := Intercept(w)
			tt.handle(in, httptest.NewRequest("GET", "/", nil))
			if in.Failed() != tt.failed || w.Body.String() != tt.body {
				t.Errorf("failed %d, body %q; want %d, %q", in.Failed(), w.Body, tt.failed, tt.body)
			}
		})
	}
}
