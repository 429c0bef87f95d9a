package server

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"go.almanac.example/internal/problem"
	"go.almanac.example/server/servertest"
)

// The names that the scheme Payment has in MCP, as its clients have them.
const (
	metaCredential = "org.paymentauth/credential"
	metaReceipt    = "org.paymentauth/receipt"
	metaRequired   = "org.paymentauth/payment-required"
)

// An agent calls tools by the scheme Payment, in one era of MCP.
type agent struct {
	*servertest.Client
	version string
	accept  string // Accept-Payment
}

// A toolAnswer is an answer to a call of a tool.
type toolAnswer struct {
	Error *struct {
		Code int
		Data json.RawMessage
	}
	Result struct {
		IsError           bool
		Content           []struct{ Text string }
		StructuredContent json.RawMessage
		Meta              map[string]json.RawMessage `json:"_meta"`
	}
}

// A chargeRequest is what asks for payment.
type chargeRequest struct {
	HTTPStatus int
	Challenges []map[string]any
	Problem    struct {
		Type string
		Code problem.Code
	}
	Failure *struct {
		Reason problem.Code
		Detail string
	}
}

// call calls a tool, with a credential or nil.
func (a *agent) call(name string, arguments map[string]any, credential any) toolAnswer {
	a.T.Helper()
	meta := map[string]any{}
	if credential != nil {
		meta[metaCredential] = credential
	}
	if a.version >= "2026-07-28" {
		meta["io.modelcontextprotocol/protocolVersion"], meta["io.modelcontextprotocol/clientCapabilities"] = a.version, map[string]any{}
		meta["io.modelcontextprotocol/clientInfo"] = map[string]any{"name": "test", "version": "1"}
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": name, "arguments": arguments, "_meta": meta}})
	if err != nil {
		a.T.Fatal(err)
	}
	res, got := a.Do(http.MethodPost, "/mcp", string(body), "Content-Type", "application/json", "Accept", "application/json, text/event-stream",
		"MCP-Protocol-Version", a.version, "Mcp-Method", "tools/call", "Mcp-Name", name, "Accept-Payment", a.accept)
	if res.StatusCode != http.StatusOK {
		a.T.Fatalf("status %d: %s", res.StatusCode, got)
	}
	return servertest.Decode[toolAnswer](a.T, got)
}

// search calls the paid tool.
func (a *agent) search(query string, credential any) toolAnswer {
	a.T.Helper()
	return a.call("search_passages", map[string]any{"query": query}, credential)
}

// asked returns what an answer asks for, in the form that is expected.
func (a *agent) asked(answer toolAnswer, asError bool) (r chargeRequest) {
	a.T.Helper()
	if asError {
		if answer.Error == nil || answer.Error.Code != -32042 && answer.Error.Code != -32043 {
			a.T.Fatalf("%+v, want a challenge as an error", answer)
		}
		r = servertest.Decode[chargeRequest](a.T, answer.Error.Data)
		if failed := answer.Error.Code == -32043; failed != (r.Failure != nil) {
			a.T.Errorf("error %d with %+v", answer.Error.Code, r)
		}
	} else {
		if answer.Error != nil || !answer.Result.IsError || answer.Result.Meta[metaRequired] == nil || !strings.Contains(answer.Result.Content[0].Text, "lnbcrt") {
			a.T.Fatalf("%+v, want a challenge as a result", answer)
		}
		r = servertest.Decode[chargeRequest](a.T, answer.Result.Meta[metaRequired])
	}
	if r.HTTPStatus != 402 || len(r.Challenges) != 1 || !strings.HasPrefix(r.Problem.Type, "https://paymentauth.org/problems/") {
		a.T.Fatalf("%+v", r)
	}
	return r
}

// pay pays a challenge and returns the credential.
func (a *agent) pay(challenge map[string]any) map[string]any {
	a.T.Helper()
	invoice := challenge["request"].(map[string]any)["methodDetails"].(map[string]any)["invoice"]
	order, err := json.Marshal(map[string]any{"invoice": invoice})
	if err != nil {
		a.T.Fatal(err)
	}
	_, body := a.Do(http.MethodPost, "/demo/pay", string(order), "Content-Type", "application/json")
	return map[string]any{"challenge": challenge, "payload": map[string]any{"preimage": servertest.Decode[struct{ Preimage string }](a.T, body).Preimage}, "source": "did:key:z6Mk"}
}

// TestPaymentOverMCP: the paid tool sells by the scheme Payment in both eras of MCP. A challenge is a result, which models can act on; to
// clients of the older era that say that they know the scheme it is the error of the scheme's draft. Its credential opens the account that
// the L402 credential of the same invoice opens, and every paid answer has a receipt.
func TestPaymentOverMCP(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, version, accept string
		asError               bool
	}{
		{"2025", "2025-11-25", "", false}, {"2025, Accept-Payment", "2025-11-25", "lightning/charge, */*;q=0", true},
		{"2025, another method", "2025-06-18", "tempo/charge", false}, {"2025, refused", "2025-06-18", "lightning/charge;q=0", false},
		{"2025, any intent", "2025-11-25", "lightning/*", true}, {"2025, anything", "2025-11-25", "*/*", true},
		{"2025, malformed", "2025-11-25", "*/*, lightning/charge;q=", false},
		{"2026", "2026-07-28", "", false}, {"2026, Accept-Payment", "2026-07-28", "lightning/charge", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg := testConfig(t)
			cfg.Source.Terms.Credits = 3
			a := &agent{newService(t, cfg), tt.version, tt.accept}
			first := a.asked(a.search("macaroon", nil), tt.asError)
			if first.Problem.Code != problem.PaymentRequired || first.Failure != nil || first.Problem.Type != "https://paymentauth.org/problems/payment-required" {
				t.Errorf("%+v", first)
			}
			credential := a.pay(first.Challenges[0])
			a.wantPaid(a.search("macaroon", credential), 2, credential)
			left := a.call("search_passages", map[string]any{}, credential)
			if left.Result.IsError || !strings.Contains(left.Result.Content[0].Text, "2 credits are left") {
				t.Errorf("the balance: %+v", left)
			}
			if balance := a.overHTTP(credential); balance != "1" {
				t.Errorf("over HTTP %s are left, want 1", balance)
			}
			a.wantCorrection(credential)
			a.wantPaid(a.search("invoice", credential), 0, credential)
			spent := a.asked(a.search("lightning", credential), tt.version < "2026")
			if spent.Failure == nil || spent.Failure.Reason != problem.CreditsExhausted || spent.Challenges[0]["id"] == first.Challenges[0]["id"] {
				t.Errorf("a spent credential: %+v", spent)
			}
		})
	}
}

// wantPaid checks an answer that was paid for, and its receipt.
func (a *agent) wantPaid(answer toolAnswer, left int, credential map[string]any) {
	a.T.Helper()
	if answer.Error != nil || answer.Result.IsError {
		a.T.Fatalf("paid: %+v", answer)
	}
	paid := servertest.Decode[struct{ Credits struct{ Left int } }](a.T, []byte(answer.Result.Content[0].Text))
	receipt := servertest.Decode[map[string]string](a.T, answer.Result.Meta[metaReceipt])
	if receipt["timestamp"] == "" || paid.Credits.Left != left {
		a.T.Errorf("%d left, want %d; receipt %v", paid.Credits.Left, left, receipt)
	}
	delete(receipt, "timestamp")
	challenge := credential["challenge"].(map[string]any)
	want := map[string]string{
		"challengeId": challenge["id"].(string), "method": "lightning", "status": "success",
		"reference": challenge["request"].(map[string]any)["methodDetails"].(map[string]any)["paymentHash"].(string),
	}
	if diff := cmp.Diff(want, receipt); diff != "" {
		a.T.Errorf("receipt (-want +got):\n%s", diff)
	}
}

// overHTTP searches with the same credential in the form of HTTP, and returns the balance.
func (a *agent) overHTTP(credential map[string]any) string {
	a.T.Helper()
	challenge := maps.Clone(credential["challenge"].(map[string]any))
	challenge["request"] = base64.RawURLEncoding.EncodeToString(marshal(a.T, challenge["request"]))
	text := base64.RawURLEncoding.EncodeToString(marshal(a.T, map[string]any{"challenge": challenge, "payload": credential["payload"]}))
	res, body := a.Do(http.MethodGet, "/v1/search?q=macaroon", "", "Authorization", "Payment "+text)
	if res.StatusCode != http.StatusOK || res.Header.Get("Payment-Receipt") == "" {
		a.T.Fatalf("over HTTP: status %d: %s", res.StatusCode, body)
	}
	return res.Header.Get("X-Credit-Balance")
}

func marshal(t testing.TB, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// wantCorrection breaks one thing of a credential at a time: the buyer is told what to correct, and not asked to pay again.
func (a *agent) wantCorrection(credential map[string]any) {
	a.T.Helper()
	for name, edit := range map[string]func(c map[string]any){
		"no payload":       func(c map[string]any) { delete(c, "payload") },
		"no challenge":     func(c map[string]any) { delete(c, "challenge") },
		"preimage":         func(c map[string]any) { c["payload"].(map[string]any)["preimage"] = strings.Repeat("00", 32) },
		"capital preimage": func(c map[string]any) { p := c["payload"].(map[string]any); p["preimage"] = strings.Repeat("A", 64) },
		"amount":           func(c map[string]any) { c["challenge"].(map[string]any)["request"].(map[string]any)["amount"] = "1" },
		"a number":         func(c map[string]any) { c["challenge"].(map[string]any)["request"].(map[string]any)["amount"] = 1.5 },
		"more credits": func(c map[string]any) {
			c["challenge"].(map[string]any)["request"].(map[string]any)["externalId"] = "9:9"
		},
		"id":    func(c map[string]any) { c["challenge"].(map[string]any)["id"] = "x" },
		"realm": func(c map[string]any) { c["challenge"].(map[string]any)["realm"] = "x" },
	} {
		broken := servertest.Decode[map[string]any](a.T, marshal(a.T, credential))
		edit(broken)
		answer := a.search("macaroon", broken)
		if answer.Error != nil || !answer.Result.IsError || answer.Result.Meta[metaRequired] != nil || !strings.Contains(answer.Result.Content[0].Text, "do not pay again") {
			a.T.Errorf("%s: %+v", name, answer)
		}
	}
}
