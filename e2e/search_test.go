package e2e

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	"go.almanac.example/index/searchpb"
	"go.almanac.example/server/servertest"
)

// A foundPassage is a passage as every interface states it.
type foundPassage struct {
	Kind, Title, Text, URL, Source string
	VerifiedAt                     string `json:"verified_at"`
	Highlights                     [][2]int
}

// TestSearchThreeWays: HTTP, gRPC and MCP find the same documents with the same passages, and an answer
// without hits is free over each.
func TestSearchThreeWays(t *testing.T) {
	p := startServe(t, "-fixtures", "")
	conn, err := grpc.NewClient(p.grpc, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	s := &servertest.Client{T: t, URL: p.base}
	credential := s.Buy()
	overHTTP := func(query string) map[string][]foundPassage {
		_, body := s.Do(http.MethodGet, "/v1/search?limit=5&q="+url.QueryEscape(query), "", "Authorization", credential)
		found := make(map[string][]foundPassage)
		for _, e := range servertest.Decode[struct {
			Entries []struct {
				ID       string
				Passages []foundPassage
			}
		}](t, body).Entries {
			found[e.ID] = e.Passages
		}
		return found
	}
	overGRPC := func(query string) map[string][]foundPassage {
		r, err := searchpb.NewSearchClient(conn).Search(metadata.AppendToOutgoingContext(t.Context(), "authorization", credential), &searchpb.SearchRequest{Q: query, Limit: 5})
		if err != nil {
			t.Fatal(err)
		}
		found := make(map[string][]foundPassage)
		for _, e := range r.Entries {
			id := e.GetEntry().GetId() + e.GetChange().GetId()
			for _, p := range e.Passages {
				one := foundPassage{Kind: p.Kind, Title: p.Title, Text: p.Text, URL: p.Url, Source: p.Source, VerifiedAt: p.VerifiedAt, Highlights: [][2]int{}}
				for _, h := range p.Highlights {
					one.Highlights = append(one.Highlights, [2]int{int(h.Start), int(h.End)})
				}
				found[id] = append(found[id], one)
			}
		}
		return found
	}
	overMCP := func(query string) map[string][]foundPassage {
		result := s.Call("search_passages", map[string]any{"query": query, "limit": 5, "l402": strings.TrimPrefix(credential, "L402 ")})
		found := make(map[string][]foundPassage)
		for _, h := range servertest.Decode[struct {
			Hits []struct {
				Entry    struct{ ID string }
				Passages []foundPassage
			}
		}](t, result).Hits {
			found[h.Entry.ID] = h.Passages
		}
		return found
	}
	left := func() int {
		_, body := s.Do(http.MethodGet, "/v1/credits", "", "Authorization", credential)
		return servertest.Decode[struct{ Remaining int }](t, body).Remaining
	}
	before := left()
	for _, query := range []string{"which facilitators support x402", "macaroon caveats", "payment networks"} {
		want := overHTTP(query)
		if len(want) == 0 {
			t.Fatalf("%s finds nothing", query)
		}
		if diff := cmp.Diff(want, overGRPC(query)); diff != "" {
			t.Errorf("%s over gRPC (-HTTP +gRPC):\n%s", query, diff)
		}
		if diff := cmp.Diff(want, overMCP(query)); diff != "" {
			t.Errorf("%s over MCP (-HTTP +MCP):\n%s", query, diff)
		}
	}
	if n := before - left(); n != 9 {
		t.Errorf("nine answers with hits cost %d credits", n)
	}
	before = left()
	for name, ask := range map[string]func(string) map[string][]foundPassage{"HTTP": overHTTP, "gRPC": overGRPC, "MCP": overMCP} {
		if found := ask("zzzzqqqq"); len(found) > 0 {
			t.Errorf("zzzzqqqq finds %v", found)
		}
		if n := left(); n != before {
			t.Errorf("an answer without hits over %s costs %d credits", name, before-n)
		}
	}
	res, body := s.Do(http.MethodGet, "/v1/search?q=zzzzqqqq", "", "Authorization", credential)
	doc := servertest.Decode[struct {
		Total   json.Number
		Credits struct{ Remaining int }
	}](t, body)
	if doc.Total != "0" || doc.Credits.Remaining != before || res.Header.Get("X-Credit-Balance") != strconv.Itoa(before) {
		t.Errorf("an answer without hits says %+v and %q, want %d credits", doc, res.Header.Get("X-Credit-Balance"), before)
	}
}
