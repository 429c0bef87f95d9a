package bridge_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/cmd/almanac/bridge"
	"go.almanac.example/http402/bolt11"
	"go.almanac.example/http402/client"
	"go.almanac.example/http402/client/clienttest"
	"go.almanac.example/http402/journal"
)

// A shop is a remote MCP server with one tool, one resource and one prompt, which cost money in one of the known forms.
type shop struct {
	t     *testing.T
	node  *clienttest.Node
	form  string // "almanac", "both" (that and "result", over one invoice), "error", "result" or "http"
	price int64

	stop    func()      // set by connect
	timeout atomic.Bool // a proxy before the shop answers 524 to all but the beginning of a session

	mu     sync.Mutex
	left   map[[32]byte]int
	served int
}

func (s *shop) challenge() (invoice string, hash [32]byte) {
	invoice, hash = s.node.Invoice(s.t, clienttest.Terms{MilliSats: s.price * 1000})
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left == nil {
		s.left = map[[32]byte]int{}
	}
	s.left[hash] = 2
	if s.form == "error" || s.form == "result" {
		s.left[hash] = 1
	}
	return invoice, hash
}

// spend takes one of what a preimage has paid for.
func (s *shop) spend(proof string) (left int, ok bool) {
	var preimage [32]byte
	if n, err := hex.Decode(preimage[:], []byte(proof)); err != nil || n != len(preimage) {
		return 0, false
	}
	hash, err := s.node.Proves(preimage)
	if err != nil {
		return 0, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left[hash] == 0 {
		return 0, false
	}
	s.left[hash]--
	s.served++
	return s.left[hash], true
}

// members are the members of a Payment challenge in MCP, with a native request.
func (s *shop) members() map[string]any { return s.membersOf(s.challenge()) }

func (s *shop) membersOf(invoice string, hash [32]byte) map[string]any {
	return map[string]any{"id": fmt.Sprintf("%x", hash[:8]), "realm": "shop", "method": "lightning", "intent": "charge", "request": map[string]any{
		"amount": fmt.Sprint(s.price), "currency": "sat", "methodDetails": map[string]any{"invoice": invoice, "paymentHash": fmt.Sprintf("%x", hash)}}}
}

// admit returns what is left, or the error of a request that is not paid for.
func (s *shop) admit(meta mcp.Meta) (left int, challenges map[string]any) {
	if s.form == "http" {
		return -1, nil
	}
	if s.form == "almanac" || s.form == "both" {
		text, _ := meta["almanac/l402"].(string)
		if _, proof, ok := strings.Cut(text, ":"); ok {
			if left, ok := s.spend(proof); ok {
				return left, nil
			}
		}
		return 0, map[string]any{}
	}
	if c, ok := meta["org.paymentauth/credential"].(map[string]any); ok {
		if _, native := c["challenge"].(map[string]any)["request"].(map[string]any); !native {
			s.t.Error("the request within the credential is not an object")
		}
		proof, _ := c["payload"].(map[string]any)["preimage"].(string)
		if _, ok := s.spend(proof); ok {
			return -1, nil
		}
	}
	return 0, map[string]any{"httpStatus": 402, "challenges": []any{s.members()}}
}

func paymentError(data map[string]any) error {
	b, _ := json.Marshal(data)
	return &jsonrpc.Error{Code: -32042, Message: "Payment Required", Data: b}
}

func (s *shop) call(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if strings.Contains(string(r.Params.Arguments), "l402") {
		s.t.Error("the argument for a credential was forwarded")
	}
	left, challenges := s.admit(r.Params.Meta)
	switch {
	case challenges == nil:
		res := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "found"}}, StructuredContent: map[string]any{"total": 1}}
		if left >= 0 {
			res.Meta = mcp.Meta{"almanac/l402-receipt": map[string]any{"credits_left": left}}
		}
		return res, nil
	case s.form == "almanac" || s.form == "both":
		invoice, hash := s.challenge()
		var meta mcp.Meta
		if s.form == "both" {
			meta = mcp.Meta{"org.paymentauth/payment-required": map[string]any{"httpStatus": 402, "challenges": []any{s.membersOf(invoice, hash)}}}
		}
		return &mcp.CallToolResult{IsError: true, Meta: meta, Content: []mcp.Content{&mcp.TextContent{Text: "pay " + invoice}}, StructuredContent: map[string]any{
			"payment_required": map[string]any{"scheme": "L402", "price_sats": s.price, "invoice": invoice, "payment_hash": fmt.Sprintf("%x", hash), "macaroon": clienttest.Macaroon(s.t, hash)}}}, nil
	case s.form == "result":
		return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: "pay"}}, Meta: mcp.Meta{"org.paymentauth/payment-required": challenges}}, nil
	}
	return nil, paymentError(challenges)
}

func (s *shop) server() *mcp.Server {
	srv := mcp.NewServer(&mcp.Implementation{Name: "shop", Title: "A shop", Version: "1"}, &mcp.ServerOptions{Instructions: "Search here."})
	srv.AddTool(&mcp.Tool{Name: "search", Description: "Searches.", InputSchema: map[string]any{"type": "object", "properties": map[string]any{
		"query": map[string]any{"type": "string"}, "l402": map[string]any{"type": "string"}}}}, s.call)
	srv.AddResource(&mcp.Resource{URI: "skill://book/SKILL.md", Name: "book"}, func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		if _, challenges := s.admit(r.Params.Meta); challenges != nil && s.form != "almanac" {
			return nil, paymentError(challenges)
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: "skill://book/SKILL.md", Text: "a book"}}}, nil
	})
	srv.AddPrompt(&mcp.Prompt{Name: "ask"}, func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		if _, challenges := s.admit(r.Params.Meta); challenges != nil && s.form != "almanac" {
			return nil, paymentError(challenges)
		}
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: "ask"}}}}, nil
	})
	return srv
}

// handler is the endpoint; with the form "http" it asks for payment itself.
func (s *shop) handler() http.Handler {
	inner := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.server() }, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.form == "http" && r.Method == http.MethodPost {
			_, proof, _ := strings.Cut(r.Header.Get("Authorization"), ":")
			if _, ok := s.spend(proof); !ok {
				invoice, hash := s.challenge()
				w.Header().Set("WWW-Authenticate", clienttest.L402Header(clienttest.Macaroon(s.t, hash), invoice))
				w.WriteHeader(http.StatusPaymentRequired)
				return
			}
		}
		body, _ := io.ReadAll(r.Body)
		if r.Body = io.NopCloser(bytes.NewReader(body)); s.timeout.Load() && !bytes.Contains(body, []byte("initialize")) {
			http.Error(w, "<html>A timeout occurred</html>", 524)
			return
		}
		inner.ServeHTTP(w, r)
	})
}

// askFirst is the threshold of a bridge whose user has set no budget.
const askFirst = -2

// connect opens a bridge to the shop for a host, with a budget for one day.
func (s *shop) connect(t *testing.T, budget client.Budget, askAbove int64, host *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	s.t, s.node = t, clienttest.NewNode()
	srv := httptest.NewServer(s.handler())
	s.stop = srv.Close
	t.Cleanup(srv.Close)
	b, err := bridge.New(bridge.Config{Endpoint: srv.URL, Version: "1", Budget: budget, AskAbove: askAbove, AskFirst: askAbove == askFirst})
	if err != nil {
		t.Fatal(err)
	}
	j, err := journal.Open(t.Context(), filepath.Join(t.TempDir(), "journal.db"))
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.New(client.Config{Wallet: s.node, Journal: j, Budget: budget, Networks: []string{bolt11.Regtest}, Approve: b.Approve})
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := mcp.NewInMemoryTransports()
	done := make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	go func() { done <- b.Run(ctx, c, ours) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("the bridge ended: %v", err)
		}
		c.Close()
	})
	session, err := mcp.NewClient(&mcp.Implementation{Name: "host", Version: "1"}, host).Connect(t.Context(), theirs, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

func search(t *testing.T, s *mcp.ClientSession) *mcp.CallToolResult {
	t.Helper()
	r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "search", Arguments: map[string]any{"query": "x"}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// textOf is what the model sees of a result.
func textOf(r *mcp.CallToolResult) string {
	b, _ := json.Marshal(r)
	return string(b)
}

// TestForms: in whatever form the remote server asks, the bridge pays, and the model sees the answer and what it cost.
func TestForms(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	for form, payments := range map[string]int{"almanac": 2, "both": 2, "error": 3, "result": 3} {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			s := &shop{form: form, price: 10}
			host := s.connect(t, client.Budget{PerPayment: 10, PerDay: 100}, -1, nil)
			for range 3 {
				r := search(t, host)
				text := textOf(r)
				if r.IsError || !strings.Contains(text, "found") {
					t.Fatalf("answered %s", text)
				}
				for _, secret := range []string{"lnbcrt", "macaroon", "preimage", "l402\":\""} {
					if strings.Contains(text, secret) {
						t.Errorf("the model sees %q: %s", secret, text)
					}
				}
			}
			if n, _, _ := s.node.Payments(); n != payments || s.served != 3 {
				t.Errorf("%d payments for %d answers, want %d for 3", n, s.served, payments)
			}
		})
	}
}

// TestHTTP: an endpoint that asks by HTTP 402 is paid below the protocol.
func TestHTTP(t *testing.T) {
	s := &shop{form: "http", price: 1}
	host := s.connect(t, client.Budget{PerPayment: 10, PerDay: 100}, -1, nil)
	if r := search(t, host); r.IsError {
		t.Fatalf("answered %s", textOf(r))
	}
	if n, _, _ := s.node.Payments(); n == 0 {
		t.Error("nothing was paid")
	}
}

// TestResourcesAndPrompts: resources, as skills are, and prompts pass the bridge, and cost money as well.
func TestResourcesAndPrompts(t *testing.T) {
	s := &shop{form: "error", price: 10}
	host := s.connect(t, client.Budget{PerPayment: 10, PerDay: 100}, -1, nil)
	read, err := host.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "skill://book/SKILL.md"})
	if err != nil || read.Contents[0].Text != "a book" {
		t.Errorf("resource %v (%v)", read, err)
	}
	if _, err := host.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "ask"}); err != nil {
		t.Errorf("prompt: %v", err)
	}
	if n, _, _ := s.node.Payments(); n != 2 {
		t.Errorf("%d payments, want 2", n)
	}
}

// TestLists: what the remote server offers is offered, but for the argument that takes a credential.
func TestLists(t *testing.T) {
	s := &shop{form: "almanac", price: 10}
	host := s.connect(t, client.Budget{PerPayment: 10}, -1, nil)
	tools, err := host.ListTools(t.Context(), nil)
	if err != nil || len(tools.Tools) != 1 {
		t.Fatalf("%v (%v)", tools, err)
	}
	if schema, _ := json.Marshal(tools.Tools[0].InputSchema); strings.Contains(string(schema), "l402") || !strings.Contains(string(schema), "query") {
		t.Errorf("schema %s", schema)
	}
	if about := tools.Tools[0].Description; !strings.Contains(about, "Searches. This bridge pays for paid tools, within the user's budget: at most 10 sat for one payment.") {
		t.Errorf("description %q", about)
	}
	resources, err := host.ListResources(t.Context(), nil)
	if err != nil || len(resources.Resources) != 1 {
		t.Errorf("%v (%v)", resources, err)
	}
	prompts, err := host.ListPrompts(t.Context(), nil)
	if err != nil || len(prompts.Prompts) != 1 {
		t.Errorf("%v (%v)", prompts, err)
	}
	if text := host.InitializeResult().Instructions; !strings.Contains(text, "Search here.") || !strings.Contains(text, "within the user's budget") {
		t.Errorf("instructions %q", text)
	}
}

// TestBudget: above the budget the model is told why, with what is left, and nothing is paid.
func TestBudget(t *testing.T) {
	s := &shop{form: "error", price: 10}
	host := s.connect(t, client.Budget{PerPayment: 10, PerDay: 15}, -1, nil)
	if r := search(t, host); r.IsError || !strings.Contains(textOf(r), "10 sat were paid for this. Spent today: 10 sat of 15 sat.") {
		t.Errorf("answered %s", textOf(r))
	}
	r := search(t, host)
	text := textOf(r)
	if !r.IsError || !strings.Contains(text, "5 sat of the budget of 15 sat a day is left") || !strings.Contains(text, "Spent today: 10 sat of 15 sat.") || strings.Contains(text, "lnbcrt") {
		t.Errorf("answered %s", text)
	}
	if n, _, _ := s.node.Payments(); n != 1 {
		t.Errorf("%d payments, want 1", n)
	}
}

// TestAsk: above the threshold the user decides, and a host that cannot ask does not pay.
func TestAsk(t *testing.T) {
	answer := func(action string) *mcp.ClientOptions {
		return &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			if !strings.Contains(r.Params.Message, "Pay 10 sat to 127.0.0.1") {
				t.Errorf("asked %q", r.Params.Message)
			}
			return &mcp.ElicitResult{Action: action, Content: map[string]any{}}, nil
		}}
	}
	for _, tt := range []struct {
		name   string
		above  int64
		host   *mcp.ClientOptions
		served bool
		words  string
	}{
		{"the user agrees", 9, answer("accept"), true, "found"},
		{"the user declines", 9, answer("decline"), false, "the user does not want to pay 10 sat"},
		{"the user leaves", 9, answer("cancel"), false, "the user does not want to pay 10 sat"},
		{"the host cannot ask", 9, nil, false, "the user cannot be asked"},
		{"below the threshold", 10, nil, true, "found"},
		{"no budget is set, and the user agrees", askFirst, answer("accept"), true, "found"},
		{"no budget is set, and the user declines", askFirst, answer("decline"), false, "the user does not want to pay 10 sat"},
		{"no budget is set, and the host cannot ask", askFirst, nil, false, "start almanac mcp with -max-day SATOSHIS"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := &shop{form: "almanac", price: 10}
			r := search(t, s.connect(t, client.Budget{PerPayment: 10}, tt.above, tt.host))
			if r.IsError == tt.served || !strings.Contains(textOf(r), tt.words) {
				t.Errorf("answered %s", textOf(r))
			}
			if n, _, _ := s.node.Payments(); (n == 1) != tt.served {
				t.Errorf("%d payments", n)
			}
		})
	}
}

// TestAskOnce: without a budget the user is asked about the first payment, and told what follows.
func TestAskOnce(t *testing.T) {
	asked := ""
	s := &shop{form: "error", price: 10} // each call costs
	host := s.connect(t, client.Budget{PerPayment: 10, PerDay: 100}, askFirst, &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		asked += r.Params.Message
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{}}, nil
	}})
	for range 3 {
		if r := search(t, host); r.IsError {
			t.Errorf("answered %s", textOf(r))
		}
	}
	if strings.Count(asked, "Pay 10 sat") != 1 || !strings.Contains(asked, "Further payments of this session are made unasked: up to 10 sat each, 100 sat a day.") {
		t.Errorf("asked %q", asked)
	}
}

// TestRemoteGone: when the remote server is away, the host learns that, and not that there are no tools.
func TestRemoteGone(t *testing.T) {
	t.Parallel()
	s := &shop{form: "almanac", price: 10}
	host := s.connect(t, client.Budget{PerPayment: 10}, -1, nil)
	s.stop()
	if _, err := host.ListTools(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "does not answer") {
		t.Errorf("listed tools of a server that is gone: %v", err)
	}
	r, err := host.CallTool(t.Context(), &mcp.CallToolParams{Name: "search", Arguments: map[string]any{"query": "x"}})
	if err != nil || !r.IsError || !strings.Contains(textOf(r), "does not answer: connection refused.") {
		t.Errorf("answered %v (%v)", r, err)
	}
	if _, err := host.ListPrompts(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "does not answer") {
		t.Errorf("listed prompts of a server that is gone: %v", err)
	}
	if n, _, orders := s.node.Payments(); n+orders != 0 {
		t.Errorf("%d payments", n)
	}
}

// TestGateway: a server that begins sessions and answers nothing else is away, in words; the host is told once that it is back.
func TestGateway(t *testing.T) {
	t.Parallel()
	s := &shop{form: "almanac", price: 10}
	changed := make(chan bool, 100)
	host := s.connect(t, client.Budget{PerPayment: 10}, -1, &mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- true }})
	s.timeout.Store(true)
	if _, err := host.ListTools(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "behind a proxy that cannot reach it") {
		t.Errorf("listed tools through a proxy that times out: %v", err)
	}
	if len(changed) > 0 {
		t.Error("the host was told that the lists changed, and the server is away")
	}
	s.timeout.Store(false)
	<-changed
	if list, err := host.ListTools(t.Context(), nil); err != nil || len(list.Tools) == 0 {
		t.Errorf("the server is back, and lists %v (%v)", list, err)
	}
}
