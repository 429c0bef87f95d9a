package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"time"
)

// A Problem is a failure as a caller is told of it: an RFC 9457 document with a code of the
// table. It is an error, so that handlers can return it.
type Problem struct {
	Code       string         // one of the table
	Detail     string         // what was wrong and what to do, in a sentence; "" gives the table's remedy
	Extensions map[string]any // further members of the document
	RetryAfter time.Duration  // told when positive
	Err        error          // the cause, which is logged and never told
}

// Problemf makes a problem with a detail.
func Problemf(code, format string, args ...any) *Problem {
	return &Problem{Code: code, Detail: fmt.Sprintf(format, args...)}
}

// Error gives the code with the detail and the cause, for logs.
func (p *Problem) Error() string {
	s := p.Code
	if p.Detail != "" {
		s += ": " + p.Detail
	}
	if p.Err != nil {
		s += ": " + p.Err.Error()
	}
	return s
}

// Unwrap gives the cause.
func (p *Problem) Unwrap() error { return p.Err }

// A ProblemWriter is the one place that writes failures. Anything that is not a Problem is told
// as "internal", and its text only logged.
type ProblemWriter struct {
	Site Site
	Log  *slog.Logger
}

// Write answers r with err.
func (pw ProblemWriter) Write(w http.ResponseWriter, r *http.Request, err error) {
	var p *Problem
	if !errors.As(err, &p) {
		p = &Problem{Code: CodeInternal, Err: err}
	}
	code, ok := CodeOf(p.Code)
	if !ok {
		p = &Problem{Code: CodeInternal, Err: fmt.Errorf("code %q is not in the table: %w", p.Code, err)}
		code, _ = CodeOf(CodeInternal)
	}
	if code.Status >= 500 && p.Err != nil {
		pw.Log.ErrorContext(r.Context(), "request failed", "method", r.Method, "path", r.URL.Path, "code", p.Code, "err", p.Err)
	}
	body := p.document(code, pw.Site)
	h := w.Header()
	for _, name := range []string{"Etag", "Last-Modified", "Content-Encoding", "Accept-Ranges", "Content-Location", "Link"} {
		h.Del(name) // they describe content, which this is not
	}
	if p.Code != CodeRange { // which tells the length of the content (RFC 9110, section 15.5.17)
		h.Del("Content-Range")
	}
	h.Set("Content-Type", "application/problem+json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("Cache-Control", "no-store")
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("X-Content-Type-Options", "nosniff")
	if p.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int((p.RetryAfter+time.Second-1)/time.Second)))
	}
	w.WriteHeader(code.Status)
	if r.Method != http.MethodHead {
		w.Write(body)
	}
}

// document encodes p: the members of RFC 9457 first, then the code, then the extensions.
func (p *Problem) document(code Code, s Site) []byte {
	detail := p.Detail
	if detail == "" {
		detail = code.Remedy
	}
	var b bytes.Buffer
	b.WriteByte('{')
	member := func(name string, v any) {
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:", name)
		b.Write(encodeCompact(v))
	}
	member("type", s.URL(CodePath(code.Code)))
	member("title", code.Title)
	member("status", code.Status)
	member("detail", detail)
	member("code", code.Code)
	for _, name := range sortedKeys(p.Extensions) {
		member(name, p.Extensions[name])
	}
	b.WriteString("}\n")
	return b.Bytes()
}

// encodeCompact encodes a value that is known to encode, without escaping < > &.
func encodeCompact(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return []byte("null")
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
