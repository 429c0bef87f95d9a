package index

import (
	"context"
	"log/slog"

	"almanac/catalog"
	"almanac/index/searchpb"
	"almanac/problem"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

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
