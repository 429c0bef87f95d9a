package index

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"go.almanac.example/catalog"
	"go.almanac.example/index/searchpb"
	"go.almanac.example/internal/problem"
	"go.almanac.example/internal/wirejson"
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
	v, err := url.ParseQuery(bare.ReplaceAllString(strings.ReplaceAll(r.URL.RawQuery, ";", "%3B"), "%25$1"))
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

// bare matches a percent sign that begins no code. Browsers leave it as people type it, and a semicolon too.
var bare = regexp.MustCompile(`%([^0-9A-Fa-f]|.[^0-9A-Fa-f]|.?$)`)

// An encoding is the JSON of an answer, without the credits and the final brace.
type encoding struct {
	body  []byte // nil: the answer was asked for once
	empty bool
}

// maxParameters bounds the parameters, in bytes, of a query whose answer is remembered.
const maxParameters = 512

// appendAnswer appends the answer to a request to b, without the credits and the final brace. It remembers an answer that
// is asked for twice: most are not, and a copy is two thirds of the memory that a new search takes.
func (h *Handler) appendAnswer(b []byte, r *http.Request) (_ []byte, empty bool, err error) {
	var p parsed
	if err := h.parse(&p, r); err != nil {
		return b, false, err
	}
	key := r.URL.RawQuery
	a, asked := h.Index.answers.Get(key)
	if a.body != nil {
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
		if asked {
			a = encoding{bytes.Clone(b[start:]), found.Count == 0}
		}
		h.Index.answers.Add(key, a)
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

// A Service answers almanac.search.v1.Search/Search as Handler answers GET /v1/search.
type Service struct {
	searchpb.UnimplementedSearchServer
	Index   *Index
	Credits func(context.Context) (*Credits, bool) // nil if answers carry no credits
	Waive   func(context.Context)                  // makes the call free; nil if nothing is charged
	Log     *slog.Logger                           // of causes that answers do not name; may be nil
}

// Check returns the gRPC status with which Search would refuse a query, without searching.
func (s *Service) Check(req *searchpb.SearchRequest) error {
	if err := s.Index.Check(queryOf(req)); err != nil {
		return problem.GRPCStatus(err)
	}
	return nil
}

// Search answers one query. Its errors are gRPC statuses.
func (s *Service) Search(ctx context.Context, req *searchpb.SearchRequest) (*searchpb.SearchResponse, error) {
	r, err := s.Index.Search(ctx, queryOf(req))
	if err != nil {
		refusal := problem.GRPCStatus(err)
		if s.Log != nil && status.Code(refusal) == codes.Internal {
			s.Log.ErrorContext(ctx, "search failed", "err", err)
		}
		return nil, refusal
	}
	if r.Count == 0 && s.Waive != nil {
		s.Waive(ctx)
	}
	out := r.message()
	if s.Credits != nil {
		if c, ok := s.Credits(ctx); ok {
			out.Credits = &searchpb.Credits{Remaining: int32(c.Remaining), ValidUntil: c.ValidUntil}
		}
	}
	return out, nil
}

func queryOf(req *searchpb.SearchRequest) Query {
	return Query{
		Text: req.GetQ(), Category: req.GetCategory(), Tag: req.GetTag(), Type: req.GetType(), Kind: req.GetKind(),
		From: catalog.Date(req.GetFrom()), To: catalog.Date(req.GetTo()),
		VerifiedSince: catalog.Date(req.GetVerifiedSince()), Sort: req.GetSort(),
		Limit: int(req.GetLimit()), Cursor: req.GetCursor(),
	}
}

// message returns the answer as a message.
func (r *Results) message() *searchpb.SearchResponse {
	out := &searchpb.SearchResponse{
		SchemaVersion: r.SchemaVersion, GeneratedAt: r.GeneratedAt, Query: r.Query,
		Total: int32(r.Total), Count: int32(r.Count), NextCursor: r.NextCursor, Suggestion: r.Suggestion,
		Undated: int32(r.Undated), Missing: r.Missing,
		Facets: &searchpb.Facets{
			Category: facetMessages(r.Facets.Category), Tag: facetMessages(r.Facets.Tag),
			Type: facetMessages(r.Facets.Type), Kind: facetMessages(r.Facets.Kind),
		},
	}
	for i := range r.Entries {
		out.Entries = append(out.Entries, r.Entries[i].message())
	}
	return out
}

func (h *Hit) message() *searchpb.Hit {
	out := &searchpb.Hit{
		Kind: h.Kind, Score: h.Score, Missing: h.Missing,
		Highlights: &searchpb.Highlights{Title: placeMessages(h.Highlights.Title),
			Summary: placeMessages(h.Highlights.Summary)},
	}
	for _, m := range h.Matched {
		out.Matched = append(out.Matched, &searchpb.Match{Term: m.Term, As: m.As, In: m.In})
	}
	for i := range h.Passages {
		p := &h.Passages[i]
		out.Passages = append(out.Passages, &searchpb.Passage{
			Kind: p.Kind, Title: p.Title, Text: p.Text, Url: p.URL, Source: p.Source, VerifiedAt: string(p.VerifiedAt),
			Highlights: placeMessages(p.Highlights),
		})
	}
	if e := h.Entry; e != nil {
		out.Item = &searchpb.Hit_Entry{Entry: &searchpb.Entry{
			Id: e.ID, Title: e.Title, Publisher: e.Publisher, Authors: e.Authors,
			DatePublished: (*string)(e.DatePublished),
			Url:           e.URL, Type: e.Type, Category: e.Category, Summary: e.Summary, Tags: e.Tags,
			VerifiedAt: string(e.VerifiedAt), LastChecked: string(e.LastChecked), HttpStatus: int32(e.HTTPStatus),
			ArchiveUrl: e.ArchiveURL, Featured: e.Featured,
		}}
		return out
	}
	c := h.Change
	out.Item = &searchpb.Hit_Change{Change: &searchpb.Change{
		Id: c.ID, Kind: c.Kind, Title: c.Title, Url: c.URL, MdUrl: c.MDURL,
		DatePublished: (*string)(c.DatePublished), VerifiedAt: string(c.VerifiedAt), Note: c.Note,
	}}
	return out
}

func facetMessages(counts []FacetCount) []*searchpb.FacetCount {
	out := make([]*searchpb.FacetCount, len(counts))
	for i, c := range counts {
		out[i] = &searchpb.FacetCount{Value: c.Value, Count: int32(c.Count)}
	}
	return out
}

func placeMessages(places [][2]int32) []*searchpb.Place {
	out := make([]*searchpb.Place, len(places))
	for i, p := range places {
		out[i] = &searchpb.Place{Start: int32(p[0]), End: int32(p[1])}
	}
	return out
}
