package e2e

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"go.almanac.example/index/searchpb"
	"go.almanac.example/server/servertest"
)

// TestGRPC: over gRPC the same search stands behind the same paywall, with the same balance.
func TestGRPC(t *testing.T) {
	p := startServe(t)
	conn, err := grpc.NewClient(p.grpc, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	search := searchpb.NewSearchClient(conn)
	ctx := t.Context()

	_, err = search.Search(ctx, &searchpb.SearchRequest{Q: "macaroon"})
	if got := status.Code(err); got != codes.Code(402) {
		t.Fatalf("without a credential: %v, want code 402", err)
	}
	s := &servertest.Client{T: t, URL: p.base}
	credential := s.Buy()
	paid := metadata.AppendToOutgoingContext(ctx, "authorization", credential)
	res, err := search.Search(paid, &searchpb.SearchRequest{Q: "macaroon"})
	if err != nil {
		t.Fatal(err)
	}
	if res.GetCredits().GetRemaining() != 99 || len(res.GetEntries()) == 0 {
		t.Errorf("over gRPC: %d left, %d entries", res.GetCredits().GetRemaining(), len(res.GetEntries()))
	}
	answer, body := s.Do(http.MethodGet, "/v1/search?q=macaroon", "", "Authorization", credential)
	if answer.Header.Get("X-Credit-Balance") != "98" {
		t.Errorf("over HTTP after it: balance %s, want 98: %s", answer.Header.Get("X-Credit-Balance"), body)
	}
	if _, err := search.Search(paid, &searchpb.SearchRequest{}); status.Code(err) != codes.InvalidArgument {
		t.Errorf("without a query: %v, want InvalidArgument", err)
	}
	if _, err := search.Search(paid, &searchpb.SearchRequest{Q: strings.Repeat("x", 20<<10)}); err == nil || errors.Is(err, context.Canceled) {
		t.Errorf("a query of 20 KiB: %v, want a refusal", err)
	}
	_, body = s.Do(http.MethodGet, "/v1/credits", "", "Authorization", credential)
	if doc := servertest.Decode[struct{ Remaining int }](t, body); doc.Remaining != 98 {
		t.Errorf("the refused calls cost %d credits", 98-doc.Remaining)
	}
}
