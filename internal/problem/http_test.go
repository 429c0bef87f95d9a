package problem

import (
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

const testBase = "https://almanac.example/trust/#"

// A failure is written as a problem, and its cause only to the log.
func TestWriter(t *testing.T) {
	for _, tt := range []struct {
		name   string
		err    error
		status int
		body   string
		logged bool
	}{
		{"of the table", New(NotFound), 404, `"code":"not_found"`, false},
		{"with a detail", Errorf(QueryInvalid, "q has %d characters; 256 are allowed", 300), 400, `"detail":"q has 300 characters; 256 are allowed"`, false},
		{"with members", &Problem{Code: PaymentRequired, Extensions: map[string]any{"price_sats": 100, "credits": 100}}, 402, `"credits":100,"price_sats":100`, false},
		{"foreign", errors.New("secret"), 500, `"code":"internal"`, true},
		{"of no code", &Problem{Code: "nosuch"}, 500, `"code":"internal"`, true},
		{"with a cause", &Problem{Code: LedgerUnavailable, Err: errors.New("secret"), RetryAfter: 1500 * time.Millisecond}, 503, `"code":"ledger_unavailable"`, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var log strings.Builder
			pw := Writer{Base: testBase, Log: slog.New(slog.NewTextHandler(&log, nil))}
			w := httptest.NewRecorder()
			w.Header().Set("ETag", `"x"`)
			pw.Write(w, httptest.NewRequest("GET", "/x", nil), tt.err)
			if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.body) || strings.Contains(w.Body.String(), "secret") {
				t.Errorf("%d %s", w.Code, w.Body)
			}
			h := w.Header()
			if h.Get("Content-Type") != "application/problem+json" || h.Get("Cache-Control") != "no-store" || h.Get("ETag") != "" {
				t.Errorf("headers %v", h)
			}
			if (log.Len() > 0) != tt.logged {
				t.Errorf("log: %s", log.String())
			}
			if tt.name == "with a cause" && h.Get("Retry-After") != "2" {
				t.Errorf("Retry-After: %s", h.Get("Retry-After"))
			}
		})
	}
}

// TestWriterOfEveryCode: each is written with its own status, title, remedy and address.
func TestWriterOfEveryCode(t *testing.T) {
	for _, d := range Table(testBase) {
		w := httptest.NewRecorder()
		Writer{testBase, slog.New(slog.DiscardHandler)}.Write(w, httptest.NewRequest("GET", "/", nil), New(d.Code))
		var doc struct {
			Type, Title, Detail string
			Code                Code
			Status              int
		}
		if err := json.Unmarshal(w.Body.Bytes(), &doc); err != nil {
			t.Fatal(err)
		}
		if w.Code != d.Status || doc.Status != d.Status || doc.Type != d.URL || doc.Title != d.Title || doc.Detail != d.Remedy || doc.Code != d.Code {
			t.Errorf("%s: %d %+v", d.Code, w.Code, doc)
		}
		if got, want := w.Header().Get("Retry-After") != "", d.RetryAfter > 0; got != want {
			t.Errorf("%s: Retry-After sent: %v, want %v", d.Code, got, want)
		}
	}
}

// TestMemberOrder: programs may cut a document, people read it from its start.
func TestMemberOrder(t *testing.T) {
	got := (&Problem{Code: NotFound, Detail: "a<b"}).Document(testBase, map[string]any{"b": 2, "a": 1})
	want := `{"type":"` + testBase + `not_found","title":"Not found","status":404,"detail":"a<b","code":"not_found","a":1,"b":2}`
	if string(got) != want {
		t.Errorf("%s, want\n%s", got, want)
	}
}

func TestHead(t *testing.T) {
	w := httptest.NewRecorder()
	Writer{testBase, slog.New(slog.DiscardHandler)}.Write(w, httptest.NewRequest("HEAD", "/", nil), New(NotFound))
	if w.Code != 404 || w.Body.Len() != 0 || w.Header().Get("Content-Length") == "0" {
		t.Errorf("%d %q %v", w.Code, w.Body, w.Header())
	}
}

// TestContentRange: only an unsatisfiable range keeps the length that the handler set.
func TestContentRange(t *testing.T) {
	for code, want := range map[Code]string{RangeNotSatisfiable: "bytes */9", NotFound: ""} {
		w := httptest.NewRecorder()
		w.Header().Set("Content-Range", "bytes */9")
		Writer{testBase, slog.New(slog.DiscardHandler)}.Write(w, httptest.NewRequest("GET", "/", nil), New(code))
		if got := w.Header().Get("Content-Range"); got != want {
			t.Errorf("%s: Content-Range %q, want %q", code, got, want)
		}
	}
}

func TestSeconds(t *testing.T) {
	for wait, want := range map[time.Duration]int64{
		-time.Second: 0, 0: 0, 1: 1, time.Millisecond: 1, time.Second: 1, time.Second + 1: 2, 1500 * time.Millisecond: 2,
		math.MaxInt64: 9223372037,
	} {
		if got := Seconds(wait); got != want {
			t.Errorf("%v: %d, want %d", wait, got, want)
		}
	}
	h := http.Header{}
	if SetRetryAfter(h, 0); len(h) != 0 {
		t.Errorf("no wait: %v", h)
	}
}
