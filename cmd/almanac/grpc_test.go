package main

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"almanac/index/searchpb"
	"almanac/l402/client"
	"almanac/l402/client/bolt11"
	"almanac/l402/client/grpcpay"
	"almanac/l402/client/journal"
	"almanac/l402/client/wallet/demo"
	"almanac/server/servertest"
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

// TestBuyerGRPC: the buyer's interceptors pay this service over gRPC, by both of its bindings.
func TestBuyerGRPC(t *testing.T) {
	for _, flags := range [][]string{nil, {"-grpc-challenge", "13"}} {
		p := startServe(t, flags...)
		w, err := demo.New(p.base)
		if err != nil {
			t.Fatal(err)
		}
		j, err := journal.Open(t.Context(), filepath.Join(t.TempDir(), "journal.db"))
		if err != nil {
			t.Fatal(err)
		}
		c, err := client.New(client.Config{Wallet: w, Journal: j, Budget: client.Budget{PerPayment: 100, Total: 150}, Networks: []string{bolt11.Regtest}})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		conn, err := grpc.NewClient(p.grpc, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithUnaryInterceptor(grpcpay.UnaryInterceptor(c)))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		for left := int32(99); left > 96; left-- {
			res, err := searchpb.NewSearchClient(conn).Search(t.Context(), &searchpb.SearchRequest{Q: "macaroon"})
			if err != nil || res.GetCredits().GetRemaining() != left {
				t.Fatalf("%v: %d left (%v), want %d", flags, res.GetCredits().GetRemaining(), err, left)
			}
		}
	}
}
