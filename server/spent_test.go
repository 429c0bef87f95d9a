package server

import (
	"net/http"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"go.almanac.example/index/searchpb"
	"go.almanac.example/internal/problem"
	"go.almanac.example/l402"
	"go.almanac.example/server/servertest"
)

// TestSpentCredential: whoever sends a spent credential is told that its credits are used up, each of 100 times, with
// and without a new invoice, over HTTP, gRPC and MCP.
func TestSpentCredential(t *testing.T) {
	cfg := testConfig(t)
	cfg.Source.Terms.Credits, cfg.FreeRate = 1, 1e6
	cfg.Payments.Challenges = l402.ChallengeLimits{Rate: 1e6, Outstanding: 30, Proven: 50}
	server, s := runService(t, cfg)
	conn, err := grpc.NewClient(server.listeners.grpc.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	credential := s.Buy()
	ask := func() (status int, code problem.Code) {
		t.Helper()
		res, body := s.Do(http.MethodGet, "/v1/search?q=macaroon", "", "Authorization", credential)
		doc := servertest.Decode[struct{ Code, Reason problem.Code }](t, body)
		if doc.Reason != "" {
			doc.Code = doc.Reason
		}
		return res.StatusCode, doc.Code
	}
	if status, _ := ask(); status != http.StatusOK {
		t.Fatalf("status %d", status)
	}
	statuses := make(map[int]int)
	for range 100 {
		status, code := ask()
		statuses[status]++
		if code != problem.CreditsExhausted {
			t.Fatalf("status %d, %s", status, code)
		}
	}
	if statuses[402] == 0 || statuses[429] == 0 || statuses[402]+statuses[429] != 100 {
		t.Errorf("statuses %v, want some with and some without an invoice", statuses)
	}
	_, err = searchpb.NewSearchClient(conn).Search(metadata.AppendToOutgoingContext(t.Context(), "authorization", credential), &searchpb.SearchRequest{Q: "macaroon"})
	if reasons := reasonsOf(err); !strings.Contains(reasons, "CREDITS_EXHAUSTED") {
		t.Errorf("gRPC: %v with %s", err, reasons)
	}
	answer := servertest.Decode[toolAnswer](t, s.RPC("tools/call", map[string]any{"name": "search_passages", "arguments": map[string]any{"query": "macaroon", "l402": credential}}))
	if !answer.Result.IsError || !strings.Contains(answer.Result.Content[0].Text, "Credits used up") {
		t.Errorf("MCP: %+v", answer)
	}
}

// reasonsOf returns the reasons in the details of a status.
func reasonsOf(err error) string {
	var reasons []string
	for _, d := range status.Convert(err).Details() {
		if info, ok := d.(*errdetails.ErrorInfo); ok {
			reasons = append(reasons, info.Reason)
		}
	}
	return strings.Join(reasons, " ")
}
