package index

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"go.almanac.example/catalog"
	"go.almanac.example/index/searchpb"
	"go.almanac.example/internal/problem"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
)

func newHandler(x *Index) *Handler {
	pw := problem.Writer{Base: catalog.DefaultSite.ProblemBase(), Log: slog.New(slog.DiscardHandler)}
	return &Handler{Seller: Seller{Index: x}, Fail: pw.Write}
}

func TestHandler(t *testing.T) {
	h := newHandler(realIndex(t))
	h.Credits = func(context.Context) (*Credits, bool) { return &Credits{99, "2026-12-21T12:00:00Z"}, true }
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/v1/search?q=macaroon&limit=3", nil))
	if w.Code != 200 || w.Header().Get("Content-Type") != "application/json" {
		t.Fatalf("%d %v %s", w.Code, w.Header(), w.Body)
	}
	var doc struct {
		Total   int
		Count   int
		Entries []struct{ ID, Kind string }
		Credits Credits
	}
	if err := json.Unmarshal(w.Body.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Count != 3 || doc.Entries[0].ID != "macaroons-ndss-2014" || doc.Credits.Remaining != 99 {
		t.Errorf("%+v", doc)
	}
	w = httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("HEAD", "/v1/search?q=macaroon", nil))
	if w.Code != 200 || w.Body.Len() != 0 || w.Header().Get("Content-Length") == "" {
		t.Errorf("HEAD: %d %v, %d bytes", w.Code, w.Header(), w.Body.Len())
	}
}

func TestHandlerFails(t *testing.T) {
	h := newHandler(realIndex(t))
	for _, tt := range []struct {
		method, target string
		status         int
		code           problem.Code
	}{
		{"GET", "/v1/search", 400, problem.QueryMissing},
		{"GET", "/v1/search?q=%ff", 400, problem.QueryInvalid},
		{"GET", "/v1/search?q=a&x=1", 400, problem.ParameterInvalid},
		{"GET", "/v1/search?q=a&cursor=AAAA", 400, problem.CursorInvalid},
		{"POST", "/v1/search?q=a", 405, problem.MethodNotAllowed},
	} {
		r := httptest.NewRequest(tt.method, tt.target, nil)
		if h.Check(r) == nil {
			t.Errorf("%s %s: Check lets it pass", tt.method, tt.target)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		var doc struct{ Code problem.Code }
		if err := json.Unmarshal(w.Body.Bytes(), &doc); err != nil || w.Code != tt.status || doc.Code != tt.code {
			t.Errorf("%s %s: %d %s, want %d %s", tt.method, tt.target, w.Code, doc.Code, tt.status, tt.code)
		}
		if allow := w.Header().Get("Allow"); (tt.status == 405) != (allow != "") {
			t.Errorf("%s %s: Allow is %q", tt.method, tt.target, allow)
		}
	}
	if err := h.Check(httptest.NewRequest("GET", "/v1/search?q=a", nil)); err != nil {
		t.Errorf("Check refuses a good query: %v", err)
	}
}

// TestOneAnswerTwoWays asks over HTTP and gRPC and compares what comes back.
func TestOneAnswerTwoWays(t *testing.T) {
	x := realIndex(t)
	client := dial(t, &Service{Seller: Seller{Index: x, Credits: func(context.Context) (*Credits, bool) { return &Credits{7, "2026-12-21T00:00:00Z"}, true }}})
	h := newHandler(x)
	for _, text := range []string{"lightning invoice", "kind:protocol", "macaron", "tag:http from:2020-01-01", "best pizza in Naples"} {
		answer, err := client.Search(context.Background(), &searchpb.SearchRequest{Q: text, Limit: 5})
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "/v1/search?limit=5&q="+url.QueryEscape(text), nil))
		var doc struct {
			Query, Suggestion string
			Total, Count      int
			Missing           []string
			NextCursor        string `json:"next_cursor"`
			Entries           []struct {
				ID, Kind, Title string
				Score           float64
				Missing         []string
				Passages        []Passage
			}
		}
		if err := json.Unmarshal(w.Body.Bytes(), &doc); err != nil {
			t.Fatal(err)
		}
		if int(answer.Total) != doc.Total || int(answer.Count) != doc.Count || answer.NextCursor != doc.NextCursor ||
			answer.Suggestion != doc.Suggestion || answer.Query != doc.Query || !slices.Equal(answer.Missing, doc.Missing) {
			t.Errorf("%s: %v, over HTTP %+v", text, answer, doc)
		}
		for i, hit := range answer.Entries {
			id, title := hit.GetEntry().GetId(), hit.GetEntry().GetTitle()
			if hit.GetEntry() == nil {
				id, title = hit.GetChange().GetId(), hit.GetChange().GetTitle()
			}
			want := doc.Entries[i]
			if id != want.ID || title != want.Title || hit.Kind != want.Kind || hit.Score != want.Score || !slices.Equal(hit.Missing, want.Missing) ||
				len(hit.Passages) != len(want.Passages) || hit.Passages[0].Text != want.Passages[0].Text {
				t.Errorf("%s: hit %d is %v, over HTTP %+v", text, i, hit, want)
			}
		}
		if answer.Credits.Remaining != 7 {
			t.Errorf("%s: credits %v", text, answer.Credits)
		}
	}
}

func TestServiceFails(t *testing.T) {
	x := realIndex(t)
	client := dial(t, &Service{Seller: Seller{Index: x}})
	for _, tt := range []struct {
		req  *searchpb.SearchRequest
		code codes.Code
		text problem.Code
	}{
		{&searchpb.SearchRequest{}, codes.InvalidArgument, problem.QueryMissing},
		{&searchpb.SearchRequest{Q: "tag:lightnin"}, codes.InvalidArgument, problem.QueryInvalid},
		{&searchpb.SearchRequest{Q: "a", Limit: -1}, codes.InvalidArgument, problem.ParameterInvalid},
		{&searchpb.SearchRequest{Q: "a", From: "yesterday"}, codes.InvalidArgument, problem.ParameterInvalid},
		{&searchpb.SearchRequest{Q: "a", Cursor: "x"}, codes.InvalidArgument, problem.CursorInvalid},
	} {
		_, err := client.Search(context.Background(), tt.req)
		if status.Code(err) != tt.code || !strings.HasPrefix(status.Convert(err).Message(), string(tt.text)+": ") {
			t.Errorf("%v: %v, want %s %s", tt.req, err, tt.code, tt.text)
		}
	}
	for code, want := range map[problem.Code]codes.Code{
		problem.Timeout: codes.DeadlineExceeded, problem.Overloaded: codes.Unavailable, problem.Internal: codes.Internal,
	} {
		if got := status.Code(problem.GRPCStatus(problem.New(code))); got != want {
			t.Errorf("%s is told as %s, want %s", code, got, want)
		}
	}
	var log bytes.Buffer
	s := &Service{Log: slog.New(slog.NewTextHandler(&log, nil))}
	if got := status.Convert(s.refusal(t.Context(), io.ErrUnexpectedEOF)); got.Code() != codes.Internal || strings.Contains(got.Message(), "EOF") || !strings.Contains(log.String(), "EOF") {
		t.Errorf("a failure is told as %v, and logged as %q", got, log.String())
	}
}

func dial(t *testing.T, s *Service) searchpb.SearchClient {
	t.Helper()
	l := bufconn.Listen(1 << 20)
	server := grpc.NewServer()
	searchpb.RegisterSearchServer(server, s)
	go server.Serve(l)
	t.Cleanup(server.Stop)
	conn, err := grpc.NewClient("passthrough:///index", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return l.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return searchpb.NewSearchClient(conn)
}

var _ http.Handler = (*Handler)(nil)

// An answer without hits is free, over HTTP and gRPC; one with hits is not.
func TestEmptyAnswersAreWaived(t *testing.T) {
	x := freshIndex(t, Options{})
	waived := 0
	waive := func(context.Context) { waived++ }
	// The balance is read after the credit was given back.
	credits := func(context.Context) (*Credits, bool) { return &Credits{100 + waived, "2026-12-21T12:00:00Z"}, true }
	h := newHandler(x)
	h.Waive, h.Credits = waive, credits
	client := dial(t, &Service{Seller: Seller{Index: x, Waive: waive, Credits: credits}})
	for _, tt := range []struct {
		query string
		empty int
	}{{"macaroon", 0}, {"zzzzqqqq", 1}, {"tag:iot tag:iot -tag:iot", 1}, {"kind:article", 0}} {
		waived = 0
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "/v1/search?q="+url.QueryEscape(tt.query), nil))
		if waived != tt.empty || !strings.Contains(w.Body.String(), fmt.Sprintf(`"remaining":%d,`, 100+tt.empty)) {
			t.Errorf("%s: waived %d times over HTTP, want %d: %s", tt.query, waived, tt.empty, w.Body)
		}
		waived = 0
		r, err := client.Search(context.Background(), &searchpb.SearchRequest{Q: tt.query})
		if err != nil || waived != tt.empty || int(r.Credits.Remaining) != 100+tt.empty {
			t.Errorf("%s: waived %d times over gRPC, want %d: %v, %v", tt.query, waived, tt.empty, r.GetCredits(), err)
		}
	}
}

// TestWire: a hit is the catalogue's record, member for member, followed by those of the search.
func TestWire(t *testing.T) {
	x := realIndex(t)
	for _, query := range []string{"lightning", "kind:protocol", "l402 macaron", "“é” <&>", "nothing-of-the-kind"} {
		r := ask(t, x, Query{Text: query, Limit: MaxLimit})
		body := r.appendTo(nil)
		for _, h := range r.Entries {
			record := encode(h.Change)
			if h.Entry != nil {
				record = append(bytes.TrimSuffix(encode(h.Entry), []byte("}")), `,"kind":"library"}`...)
			}
			want := append(append(bytes.TrimSuffix(record, []byte("}")), ','), encode(h.Finding)[1:]...)
			if !bytes.Contains(body, want) {
				t.Errorf("%s: %s is not %s", query, h.ID(), want)
			}
		}
	}
}

// TestAnswersAgain: a query that is asked again gets the same bytes, with the balance of its own time.
func TestAnswersAgain(t *testing.T) {
	h := newHandler(freshIndex(t, Options{}))
	left := 9
	h.Credits = func(context.Context) (*Credits, bool) { left--; return &Credits{left, "2026-12-21T12:00:00Z"}, true }
	var first string
	for n := range 3 {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "/v1/search?q=preimage", nil))
		body, credits, _ := strings.Cut(w.Body.String(), `,"credits":`)
		if first = cmp.Or(first, body); body != first || credits != fmt.Sprintf(`{"remaining":%d,"valid_until":"2026-12-21T12:00:00Z"}}`+"\n", left) {
			t.Errorf("answer %d ends with %s, or is not the first: %.200s", n, credits, body)
		}
	}
}
