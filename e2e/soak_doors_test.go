//go:build soak

package e2e

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"go.almanac.example/http402/challenge"
	"go.almanac.example/index/searchpb"
	"go.almanac.example/internal/problem"
	"go.almanac.example/server/servertest"
)

// A pair is one payment in both schemes, and what was answered for it.
type pair struct {
	credentials []string // values of Authorization: L402, Payment
	answered    atomic.Int64
}

// buyBoth buys at base, and returns the credentials of the payment in both schemes.
func buyBoth(t *testing.T, base, from string) *pair {
	t.Helper()
	res, _ := servertest.Ask(t, http.MethodGet, base+"/v1/search?q=macaroon", "", "X-Forwarded-For", from)
	offers, unusable := challenge.Parse(res.Header.Values("WWW-Authenticate"))
	if len(offers) != 2 || len(unusable) > 0 {
		t.Fatalf("%d challenges, want L402 and Payment: %v", len(offers), unusable)
	}
	_, body := servertest.Ask(t, http.MethodPost, base+"/demo/pay", fmt.Sprintf(`{"invoice":%q}`, offers[0].Invoice), "Content-Type", "application/json")
	var preimage [32]byte
	if _, err := hex.Decode(preimage[:], []byte(servertest.Decode[struct{ Preimage string }](t, body).Preimage)); err != nil {
		t.Fatal(err)
	}
	p := new(pair)
	for _, offer := range offers {
		p.credentials = append(p.credentials, offer.Credential(preimage).Value)
	}
	return p
}

// A replica is one process, with connections to all of its interfaces. The process may end and begin again.
type replica struct {
	process    *process
	base, grpc string
	client     *http.Client
	rpc        searchpb.SearchClient
}

func newReplica(t *testing.T, p *process) *replica {
	t.Helper()
	soon := grpc.ConnectParams{Backoff: backoff.Config{BaseDelay: 50 * time.Millisecond, Multiplier: 1, MaxDelay: 100 * time.Millisecond}, MinConnectTimeout: time.Second}
	conn, err := grpc.NewClient(p.grpc, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithConnectParams(soon))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	t.Cleanup(client.CloseIdleConnections)
	return &replica{process: p, base: p.base, grpc: p.grpc, client: client, rpc: searchpb.NewSearchClient(conn)}
}

// errNoAnswer is why a request is repeated: the process ended, or is not ready yet.
var errNoAnswer = errors.New("no answer")

// search buys one search under a name. Errors other than errNoAnswer mean that it was refused.
func (r *replica) search(door, credential, name string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	switch door {
	case "HTTP":
		return r.searchHTTP(ctx, credential, name)
	case "gRPC":
		ctx = metadata.AppendToOutgoingContext(ctx, "authorization", credential, "idempotency-key", name)
		_, err := r.rpc.Search(ctx, &searchpb.SearchRequest{Q: "macaroon"})
		if status.Code(err) == codes.Unavailable || err != nil && saysBusy(err.Error()) {
			return fmt.Errorf("%w: %w", errNoAnswer, err)
		}
		return err
	default:
		return r.searchMCP(ctx, credential, name)
	}
}

func (r *replica) searchHTTP(ctx context.Context, credential, name string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.base+"/v1/search?q=macaroon", nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", credential)
	req.Header.Set("Idempotency-Key", name)
	_, err = r.do(req)
	return err
}

// searchMCP presents an L402 credential as an argument, and a Payment credential as the object that _meta carries.
func (r *replica) searchMCP(ctx context.Context, credential, name string) error {
	arguments, meta := map[string]any{"query": "macaroon"}, map[string]any{"almanac/idempotency-key": name}
	if text, ok := strings.CutPrefix(credential, "Payment "); ok {
		object, err := challenge.Decode(text)
		if err != nil {
			return err
		}
		meta["org.paymentauth/credential"] = json.RawMessage(object)
	} else {
		arguments["l402"] = strings.TrimPrefix(credential, "L402 ")
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call",
		"params": map[string]any{"name": "search_passages", "arguments": arguments, "_meta": meta}})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.base+"/mcp", strings.NewReader(string(body)))
	if err != nil {
		return err
	}
	for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"} {
		req.Header.Set(name, value)
	}
	answer, err := r.do(req)
	if err != nil {
		return err
	}
	switch {
	case strings.Contains(string(answer), `"result":`) && !strings.Contains(string(answer), `"isError":true`):
		return nil
	case saysBusy(string(answer)):
		return fmt.Errorf("%w: %s", errNoAnswer, answer)
	default:
		return fmt.Errorf("refused: %s", answer)
	}
}

// saysBusy reports whether a refusal names a fault of the service, which is no fault of the buyer.
func saysBusy(refusal string) bool {
	for _, code := range []problem.Code{problem.Overloaded, problem.Timeout, problem.LedgerUnavailable} {
		if strings.Contains(refusal, string(code)) {
			return true
		}
	}
	return false
}

// do returns the body of an answer with status 200.
func (r *replica) do(req *http.Request) ([]byte, error) {
	res, err := r.client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoAnswer, err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", errNoAnswer, err)
	case res.StatusCode >= http.StatusInternalServerError:
		return nil, fmt.Errorf("%w: status %d: %s", errNoAnswer, res.StatusCode, body)
	case res.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("status %d: %s", res.StatusCode, body)
	}
	return body, nil
}
