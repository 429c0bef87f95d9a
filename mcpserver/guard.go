package mcpserver

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"almanac/problem"
)

// maxBody is the most bytes a message may have. The largest sensible one has about one thousand.
const maxBody = 64 << 10

// ServeHTTP answers a request to the endpoint.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := s.o.Now()
	a := &answer{ResponseWriter: w}
	defer func() {
		if p := recover(); p != nil {
			if p == http.ErrAbortHandler {
				panic(p)
			}
			s.o.Log.ErrorContext(r.Context(), "mcp endpoint panicked", "panic", p, "stack", string(debug.Stack()))
			if a.status == 0 {
				writeFault(a, nil, internalFault())
			}
		}
		if s.o.Observe != nil {
			s.o.Observe(a.method, a.tool, a.status, s.o.Now().Sub(start), a.bytes)
		}
	}()
	s.serve(a, r)
}

func (s *Server) serve(a *answer, r *http.Request) {
	if f := s.admit(a, r); f != nil {
		writeFault(a, nil, f)
		return
	}
	if r.Method == http.MethodOptions {
		a.WriteHeader(http.StatusNoContent)
		return
	}
	if withFixtures && r.Method != http.MethodPost {
		s.sdk.ServeHTTP(a, r)
		return
	}
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	default:
		writeFault(a, nil, published(s.site, problem.Overloaded).after(time.Second))
		return
	}
	buf := buffers.Get().(*buffer)
	defer buf.release()
	body, f := s.read(buf, r)
	if f != nil {
		writeFault(a, nil, f)
		return
	}
	m, err := parse(body)
	if err != nil {
		writeFault(a, m.id, malformed(err))
		return
	}
	if s.fast(a, r, m, buf) {
		return
	}
	a.method, a.tool = s.known(m)
	if f := s.check(r, m); f != nil {
		if f.status == http.StatusAccepted {
			a.WriteHeader(f.status)
			return
		}
		if m.method == "" {
			m.id = nil // it is one of the other side's
		}
		writeFault(a, m.id, f)
		return
	}
	s.hand(a, r, m, body)
}

// admit looks at everything about a request but its body.
func (s *Server) admit(a *answer, r *http.Request) *fault {
	h := a.Header()
	if !s.hosts.allow(r.Host) {
		return published(s.site, problem.HostUnknown)
	}
	if !s.cors.allow(h, r.Header) {
		return published(s.site, problem.OriginForbidden)
	}
	switch r.Method {
	case http.MethodPost:
	case http.MethodOptions:
		s.cors.preflight(h)
		return nil
	default:
		if withFixtures { // sessions have streams, and an end
			return nil
		}
		h.Set("Allow", "POST, OPTIONS")
		return published(s.site, problem.MethodNotAllowed)
	}
	if !acceptsJSON(r.Header["Accept"]) {
		return published(s.site, problem.NotAcceptable)
	}
	if !isJSON(r.Header["Content-Type"]) || r.Header["Content-Encoding"] != nil {
		return published(s.site, problem.UnsupportedMediaType)
	}
	if r.ContentLength > maxBody {
		return published(s.site, problem.BodyTooLarge)
	}
	return nil
}

// read takes the body in. What is told when that fails says nothing of the connection.
func (s *Server) read(buf *buffer, r *http.Request) ([]byte, *fault) {
	body, err := buf.readAll(io.LimitReader(r.Body, maxBody+1))
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, &fault{status: http.StatusRequestTimeout, code: http.StatusRequestTimeout, message: "the body did not arrive in time"}
	case err != nil:
		return nil, &fault{status: http.StatusBadRequest, code: codeInvalidRequest, message: "the body could not be read"}
	case len(body) > maxBody:
		return nil, published(s.site, problem.BodyTooLarge)
	}
	return body, nil
}

// hand gives a request to the SDK as the SDK wants it.
func (s *Server) hand(a *answer, r *http.Request, m message, body []byte) {
	ctx := context.WithValue(r.Context(), requestKey{}, r)
	ctx = context.WithValue(ctx, sourceKey{}, s.o.Source(r))
	out := r.WithContext(ctx)
	out.Header = r.Header.Clone()
	out.Header.Set("Accept", "application/json, text/event-stream") // it wants both, and answers JSON
	out.Header.Set("Content-Type", "application/json")
	out.Header.Del("Last-Event-ID") // nothing can be resumed here
	if name, ok := decodedName(out.Header.Get(nameHeader)); ok {
		out.Header.Set(nameHeader, name) // the SDK compares it as it stands
	}
	out.Body = io.NopCloser(bytes.NewReader(body))
	out.ContentLength = int64(len(body))
	plain := &plainFaults{answer: a, id: m.id}
	s.sdk.ServeHTTP(plain, out)
}

// decodedName reads the form =?base64?…?= of a header, in which a client sends names that a header
// cannot hold.
func decodedName(value string) (string, bool) {
	inner, ok := strings.CutPrefix(value, "=?base64?")
	if !ok || !strings.HasSuffix(inner, "?=") {
		return "", false
	}
	name, err := base64.StdEncoding.DecodeString(strings.TrimSuffix(inner, "?="))
	return string(name), err == nil && utf8.Valid(name)
}

// acceptsJSON tells whether a client takes application/json, which is all that is given here. Of
// several ranges that mean it the closest counts (RFC 9110, section 12.5.1). A client that says
// nothing takes it.
func acceptsJSON(accept []string) bool {
	closest, takes := 0, strings.Join(accept, "") == ""
	for _, line := range accept {
		if line == "application/json, text/event-stream" { // as every client of the SDKs sends it
			return true
		}
		for part := range strings.SplitSeq(line, ",") {
			kind, parameters, _ := strings.Cut(part, ";")
			if near := closeness(strings.ToLower(strings.TrimSpace(kind))); near > closest {
				closest, takes = near, !neverWanted(parameters)
			}
		}
	}
	return takes
}

// closeness tells how exactly a media range means application/json; 0 is not at all.
func closeness(kind string) int {
	switch kind {
	case "application/json":
		return 3
	case "application/*":
		return 2
	case "*/*":
		return 1
	}
	return 0
}

// neverWanted tells a weight of 0 among the parameters of a media range.
func neverWanted(parameters string) bool {
	for p := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(p), "=")
		if strings.EqualFold(name, "q") {
			weight, err := strconv.ParseFloat(value, 64)
			return err == nil && weight == 0
		}
	}
	return false
}

func isJSON(contentType []string) bool {
	if len(contentType) != 1 {
		return false
	}
	if contentType[0] == "application/json" {
		return true
	}
	kind, _, err := mime.ParseMediaType(contentType[0])
	return err == nil && kind == "application/json"
}
