package index

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"strconv"
	"sync"

	"almanac/problem"
	"almanac/wirejson"
)

// A Handler answers GET and HEAD {api}/v1/search. It knows nothing of payment: the paywall in front
// of it calls Check before it takes a credit, and Credits returns the balance.
type Handler struct {
	Index   *Index
	Credits func(context.Context) (*Credits, bool) // nil if answers carry no credits
	Waive   func(context.Context)                  // makes the request free; nil if nothing is charged
	Fail    func(http.ResponseWriter, *http.Request, error)
}

// Check returns the error with which the handler would refuse a request, without searching.
func (h *Handler) Check(r *http.Request) error {
	var p parsed
	return h.parse(&p, r)
}

func (h *Handler) parse(p *parsed, r *http.Request) error {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return problem.New(problem.MethodNotAllowed)
	}
	v, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return problem.Errorf(problem.QueryInvalid,
			"The query string is malformed. Percent-encode the values of its parameters.")
	}
	q, err := ParseQuery(v)
	if err != nil {
		return err
	}
	return h.Index.parse(p, q)
}

// An encoding is the JSON of an answer, without the credits and the final brace.
type encoding struct {
	body  []byte
	empty bool
}

// maxParameters bounds the parameters, in bytes, of a query whose answer is remembered.
const maxParameters = 512

// appendAnswer appends the answer to a request to b, without the credits and the final brace, and remembers it.
func (h *Handler) appendAnswer(b []byte, r *http.Request) (_ []byte, empty bool, err error) {
	var p parsed
	if err := h.parse(&p, r); err != nil {
		return b, false, err
	}
	key := r.URL.RawQuery
	if a, ok := h.Index.answers.Get(key); ok {
		return append(b, a.body...), a.empty, nil
	}
	found, err := h.Index.search(r.Context(), &p)
	if err != nil {
		return b, false, err
	}
	start := len(b)
	if b, err = found.appendJSON(b); err != nil {
		return b, false, err
	}
	b = bytes.TrimSuffix(b, []byte("}"))
	if len(key) <= maxParameters {
		h.Index.answers.Add(key, encoding{bytes.Clone(b[start:]), found.Count == 0})
	}
	return b, found.Count == 0, nil
}

// appendJSON appends the JSON of results. Each hit is written once: encoding/json would check and copy its JSON again,
// which takes a third of a search.
func (r *Results) appendJSON(b []byte) ([]byte, error) {
	frame := *r
	frame.Entries = []Hit{}
	body, err := wirejson.Compact(&frame)
	if err != nil {
		return b, err
	}
	before, after, _ := bytes.Cut(body, []byte(`"entries":[]`))
	b = append(append(b, before...), `"entries":[`...)
	for i := range r.Entries {
		if i > 0 {
			b = append(b, ',')
		}
		b = r.Entries[i].appendJSON(b)
	}
	return append(append(b, ']'), after...), nil
}

// bodies are buffers of answers: *[]byte.
var bodies = sync.Pool{New: func() any { return new([]byte) }}

// ServeHTTP answers a search.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := h.serve(w, r); err != nil {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
		}
		h.Fail(w, r, err)
	}
}

func (h *Handler) serve(w http.ResponseWriter, r *http.Request) error {
	buffer := bodies.Get().(*[]byte)
	defer bodies.Put(buffer)
	body, empty, err := h.appendAnswer((*buffer)[:0], r)
	*buffer = body
	if err != nil {
		return err
	}
	if empty && h.Waive != nil {
		h.Waive(r.Context())
	}
	if h.Credits != nil {
		if c, ok := h.Credits(r.Context()); ok {
			body = append(append(body, `,"credits":`...), wirejson.Must(wirejson.Compact(c))...)
		}
	}
	body = append(body, "}\n"...)
	*buffer = body
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Content-Length", strconv.Itoa(len(body)))
	header.Set("Access-Control-Allow-Origin", "*")
	header.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		w.Write(body) // a client that has gone needs no answer
	}
	return nil
}
