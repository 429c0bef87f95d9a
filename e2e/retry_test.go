package e2e

import (
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	"go.almanac.example/index/searchpb"
	"go.almanac.example/server/servertest"
)

// TestRetry repeats paid searches over HTTP, gRPC and MCP after a reload, at another replica and after kill -9: each
// costs one credit.
//
// docs/contract.md, "Payments".
func TestRetry(t *testing.T) {
	for !retry(t) { // again, if the machine was too busy to ask all within the minute for which a request is remembered
	}
}

// retry is TestRetry once. It reports whether it was in time.
func retry(t *testing.T) bool {
	state := t.TempDir() // the key file is shared too
	flags := []string{"-ledger", "sqlite:" + filepath.Join(state, "ledger.db"), "-state", state, "-fixtures", "../httpmirror/testdata/small"}
	one, other := startServe(t, flags...), startServe(t, flags...)
	credential := (&servertest.Client{T: t, URL: one.base}).Buy()

	asked, began := 0, time.Now()
	inTime := func() bool { return time.Since(began) < time.Minute }
	want := func(when string, p *process) {
		t.Helper()
		asked++
		p.searchHTTP(credential)
		p.searchGRPC(credential)
		p.searchMCP(credential, map[string]any{})
		p.searchMCP(credential, map[string]any{"almanac/idempotency-key": "one"})
		_, body := servertest.Ask(t, http.MethodGet, p.base+"/v1/credits", "", "Authorization", credential)
		if left := servertest.Decode[struct{ Remaining int }](t, body).Remaining; left != 96 && inTime() {
			t.Errorf("%s: %d credits are left after asking 4 searches %d times, want 96", when, left, asked)
		}
	}
	want("first", one)
	want("again", one)
	one.signal(syscall.SIGHUP)
	one.waitLog(`"msg":"reloaded"`)
	want("after a reload", one)
	want("at another replica", other)
	one.signal(syscall.SIGKILL)
	one.wait()
	want("after kill -9", startServe(t, flags...))
	return inTime()
}

func (p *process) searchHTTP(credential string) {
	p.t.Helper()
	if status, body := p.get("/v1/search?q=macaroon", "Authorization", credential, "Idempotency-Key", "one"); status != http.StatusOK {
		p.t.Fatalf("HTTP: %d %s", status, body)
	}
}

func (p *process) searchGRPC(credential string) {
	p.t.Helper()
	conn, err := grpc.NewClient(p.grpc, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		p.t.Fatal(err)
	}
	defer conn.Close()
	ctx := metadata.AppendToOutgoingContext(p.t.Context(), "authorization", credential, "idempotency-key", "one")
	if _, err := searchpb.NewSearchClient(conn).Search(ctx, &searchpb.SearchRequest{Q: "macaroon"}); err != nil {
		p.t.Fatalf("gRPC: %v", err)
	}
}

func (p *process) searchMCP(credential string, meta map[string]any) {
	p.t.Helper()
	body := (&servertest.Client{T: p.t, URL: p.base}).RPC("tools/call", map[string]any{
		"name": "search_passages", "_meta": meta,
		"arguments": map[string]any{"query": "macaroon", "l402": strings.TrimPrefix(credential, "L402 ")},
	})
	answer := servertest.Decode[struct {
		Result struct {
			IsError bool
			Content []struct{ Text string }
		}
	}](p.t, body)
	if answer.Result.IsError || len(answer.Result.Content) == 0 {
		p.t.Fatalf("MCP: %s", body)
	}
}
