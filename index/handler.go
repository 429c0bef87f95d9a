package index

import (
	"context"
	"fmt"
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
)

// A Seller searches for callers who have paid. It knows nothing of payment: the paywall in front of it calls Check before
// it takes a credit.
type Seller struct {
	Index   *Index
	Credits func(context.Context) (*Credits, bool) // the balance; nil if answers carry none
	Waive   func(context.Context)                  // makes the request free; nil if nothing is charged
}

// search answers the query that read returns. An answer without hits is free.
func (s *Seller) search(ctx context.Context, request string, read func() (Query, error)) (*Results, error) {
	r, err := s.Index.searchAgain(ctx, request, read)
	if err != nil {
		return nil, err
	}
	if r.Count == 0 && s.Waive != nil {
		s.Waive(ctx)
	}
	if s.Credits != nil {
		if c, ok := s.Credits(ctx); ok {
			r.Credits = c
		}
	}
	return r, nil
}

// searchAgain answers as Search does, the last requests from what it answered before: buyers ask the same, and again when
// a connection broke. The text of a request has one query, which is not read again. The answer is the caller's; what it
// points to is not.
func (x *Index) searchAgain(ctx context.Context, request string, read func() (Query, error)) (*Results, error) {
	if answer, ok := x.answers.Get(request); ok {
		again := *answer
		return &again, nil
	}
	q, err := read()
	if err != nil {
		return nil, err
	}
	r, err := x.Search(ctx, q)
	if err != nil {
		return nil, err
	}
	first, kept := *r, *r // most are asked for once
	kept.encoded = sync.OnceValue(func() []byte { return first.appendTo(nil) })
	x.answers.Add(request, &kept)
	return r, nil
}

// A Handler answers GET and HEAD {api}/v1/search.
type Handler struct {
	Seller
	Fail func(http.ResponseWriter, *http.Request, error)
}

// Check returns the error with which the handler would refuse a request, without searching.
func (h *Handler) Check(r *http.Request) error {
	if h.Index.answers.Contains(textOf(r)) {
		return nil
	}
	q, err := queryIn(r)
	if err != nil {
		return err
	}
	return h.Index.Check(q)
}

// textOf returns the text of a request that has a query.
func textOf(r *http.Request) string { return r.Method + "?" + r.URL.RawQuery }

// queryIn returns the query of a request.
func queryIn(r *http.Request) (Query, error) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return Query{}, problem.New(problem.MethodNotAllowed)
	}
	v, err := url.ParseQuery(bare.ReplaceAllString(strings.ReplaceAll(r.URL.RawQuery, ";", "%3B"), "%25$1"))
	if err != nil {
		return Query{}, problem.Errorf(problem.QueryInvalid,
			"The query string is malformed. Percent-encode the values of its parameters.")
	}
	return ParseQuery(v)
}

// bare matches a percent sign that begins no code. Browsers leave it as people type it, and a semicolon too.
var bare = regexp.MustCompile(`%([^0-9A-Fa-f]|.[^0-9A-Fa-f]|.?$)`)

// ServeHTTP answers a search.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := h.serve(w, r); err != nil {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
		}
		h.Fail(w, r, err)
	}
}

// answerBuffers hold answers of some 20 KB while they are written: *[]byte.
var answerBuffers = sync.Pool{New: func() any { return new([]byte) }}

func (h *Handler) serve(w http.ResponseWriter, r *http.Request) error {
	found, err := h.search(r.Context(), textOf(r), func() (Query, error) { return queryIn(r) })
	if err != nil {
		return err
	}
	buffer := answerBuffers.Get().(*[]byte)
	defer answerBuffers.Put(buffer)
	body := append(found.appendTo((*buffer)[:0]), '\n')
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
	Seller
	Log *slog.Logger // of causes that answers do not name; may be nil
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
	q := queryOf(req)
	r, err := s.search(ctx, fmt.Sprintf("%#v", q), func() (Query, error) { return q, nil })
	if err != nil {
		return nil, s.refusal(ctx, err)
	}
	return r.message(), nil
}

// refusal returns the status of an error. A fault of ours is logged, and not told.
func (s *Service) refusal(ctx context.Context, err error) error {
	refusal := problem.GRPCStatus(err)
	if s.Log != nil && status.Code(refusal) == codes.Internal {
		s.Log.ErrorContext(ctx, "search failed", "err", err)
	}
	return refusal
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
		Missing: r.Missing,
	}
	if c := r.Credits; c != nil {
		out.Credits = &searchpb.Credits{Remaining: int32(c.Remaining), ValidUntil: c.ValidUntil}
	}
	for i := range r.Entries {
		out.Entries = append(out.Entries, r.Entries[i].message())
	}
	return out
}

func (h *Hit) message() *searchpb.Hit {
	out := &searchpb.Hit{Kind: h.Kind, Score: h.Score, Missing: h.Missing}
	for _, p := range h.Passages {
		out.Passages = append(out.Passages, &searchpb.Passage{
			Kind: p.Kind, Title: p.Title, Text: p.Text, Url: p.URL, Source: p.Source, VerifiedAt: string(p.VerifiedAt),
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
