package index

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"sync"

	"almanac/problem"
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

// bodies are the buffers of answers, *[]byte.
var bodies sync.Pool

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
	var p parsed
	if err := h.parse(&p, r); err != nil {
		return err
	}
	answer, err := h.Index.search(r.Context(), &p)
	if err != nil {
		return err
	}
	if answer.Count == 0 && h.Waive != nil {
		h.Waive(r.Context())
	}
	var credits *Credits
	if h.Credits != nil {
		if c, ok := h.Credits(r.Context()); ok {
			credits = c
		}
	}
	buf, _ := bodies.Get().(*[]byte)
	if buf == nil {
		buf = new([]byte)
	}
	defer bodies.Put(buf)
	body := append(credits.append(answer.append((*buf)[:0])), '\n')
	*buf = body
	header := w.Header()
	header["Content-Type"] = jsonType
	header["Content-Length"] = []string{strconv.Itoa(len(body))}
	header["Access-Control-Allow-Origin"] = anyOrigin
	header["X-Content-Type-Options"] = noSniff
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		w.Write(body) // a client that has gone needs no answer
	}
	return nil
}

// The headers of every answer. net/http does not change the slices.
var (
	jsonType  = []string{"application/json"}
	anyOrigin = []string{"*"}
	noSniff   = []string{"nosniff"}
)
