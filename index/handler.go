package index

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/maphash"
	"net/http"
	"net/url"
	"strconv"
	"sync/atomic"

	"almanac/problem"
	lru "github.com/hashicorp/golang-lru/v2"
)

// A Handler answers GET and HEAD {api}/v1/search. It knows nothing of payment: a paywall stands
// before it, asks Check before it takes a credit, and gives what is left through Credits.
type Handler struct {
	Index   *Index
	Credits func(context.Context) (*Credits, bool) // nil: answers carry no credits
	Fail    func(http.ResponseWriter, *http.Request, error)
}

// Check tells whether a request can be answered, as far as it can be told without searching.
// Its errors are *problem.Problem.
func (h *Handler) Check(r *http.Request) error {
	_, err := h.parse(r)
	return err
}

func (h *Handler) parse(r *http.Request) (*parsed, error) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return nil, problem.New(problem.MethodNotAllowed)
	}
	v, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, problem.Errorf(problem.QueryInvalid, "The query string cannot be read. Percent-encode the values of its parameters.")
	}
	q, err := ParseQuery(v)
	if err != nil {
		return nil, err
	}
	return h.Index.parse(q)
}

// ServeHTTP searches and writes the answer.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := h.serve(w, r); err != nil {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
		}
		h.Fail(w, r, err)
	}
}

func (h *Handler) serve(w http.ResponseWriter, r *http.Request) error {
	p, err := h.parse(r)
	if err != nil {
		return err
	}
	room := h.Index.bodies.Get().(*[]byte)
	defer h.Index.bodies.Put(room)
	body, err := h.Index.appendAnswer(r.Context(), (*room)[:0], p)
	if err != nil {
		return err
	}
	var credits *Credits
	if h.Credits != nil {
		if c, ok := h.Credits(r.Context()); ok {
			credits = c
		}
	}
	body = append(credits.append(body), '\n')
	*room = body
	header := w.Header()
	header["Content-Type"] = jsonType
	header["Content-Length"] = []string{strconv.Itoa(len(body))}
	header["Cache-Control"] = noStore
	header["Access-Control-Allow-Origin"] = anyOrigin
	header["X-Content-Type-Options"] = noSniff
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		w.Write(body) // a client that has gone away is no failure of ours
	}
	return nil
}

// The headers of every answer, which net/http does not change.
var (
	jsonType  = []string{"application/json"}
	noStore   = []string{"no-store"} // every answer is paid for
	anyOrigin = []string{"*"}
	noSniff   = []string{"nosniff"}
)

// answers keeps the answers that were asked for more than once, ready to be written again.
type answers struct {
	kept *lru.Cache[string, []byte]
	seed maphash.Seed
	once [4096]atomic.Uint64 // hashes of the queries asked last
}

// maxAnswer bounds an answer that is kept, in bytes.
const maxAnswer = 64 << 10

func newAnswers(n int) (*answers, error) {
	kept, err := lru.New[string, []byte](n)
	return &answers{kept: kept, seed: maphash.MakeSeed()}, err
}

// put keeps an answer when its query was asked before. A query asked once costs no memory.
func (a *answers) put(key string, body []byte) {
	h := maphash.String(a.seed, key)
	if a.once[h%uint64(len(a.once))].Swap(h) == h && len(body) <= maxAnswer {
		a.kept.Add(key, bytes.Clone(body))
	}
}

// appendAnswer appends the JSON of the answer to a query, without credits and the last brace.
func (x *Index) appendAnswer(ctx context.Context, b []byte, p *parsed) ([]byte, error) {
	key := ""
	if x.answers != nil {
		key = string(binary.AppendUvarint(binary.AppendUvarint(p.appendKey(nil), uint64(p.offset)), uint64(p.limit)))
		if body, ok := x.answers.kept.Get(key); ok {
			return append(b, body...), nil
		}
	}
	r, err := x.search(ctx, p)
	if err != nil {
		return nil, err
	}
	b = r.append(b)
	if x.answers != nil {
		x.answers.put(key, b)
	}
	return b, nil
}
