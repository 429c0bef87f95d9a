package server

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"go.almanac.example/server/servertest"
)

// TestPaidTool: the tool search_passages sells the same credits as the paid interface, and takes
// the credential as an argument, in _meta, and in the Authorization header.
func TestPaidTool(t *testing.T) {
	s := newService(t, testConfig(t))
	type result struct {
		Result struct {
			IsError           bool
			Content           []struct{ Text string }
			StructuredContent json.RawMessage
		}
	}
	call := func(arguments map[string]any) result {
		return servertest.Decode[result](t, s.RPC("tools/call", map[string]any{"name": "search_passages", "arguments": arguments}))
	}

	unpaid := call(map[string]any{"query": "macaroon"})
	asked := servertest.Decode[struct {
		PaymentRequired struct {
			Macaroon, Invoice string
			PriceSats         int64 `json:"price_sats"`
		} `json:"payment_required"`
	}](t, unpaid.Result.StructuredContent).PaymentRequired
	if !unpaid.Result.IsError || asked.PriceSats != 100 || !strings.HasPrefix(asked.Invoice, "lnbcrt") {
		t.Fatalf("without a credential: %+v, %s", asked, unpaid.Result.Content)
	}
	if !strings.Contains(unpaid.Result.Content[0].Text, asked.Invoice) {
		t.Error("a model that sees only the text does not see the invoice")
	}

	if wrong := call(map[string]any{"query": ""}); !wrong.Result.IsError || strings.Contains(wrong.Result.Content[0].Text, "lnbcrt") {
		t.Errorf("an empty query is asked for money: %s", wrong.Result.Content)
	}

	credential := s.Buy()
	paid := call(map[string]any{"query": "macaroon", "l402": strings.TrimPrefix(credential, "L402 ")})
	if paid.Result.IsError {
		t.Fatalf("with a credential: %s", paid.Result.Content)
	}
	if hits := servertest.Decode[struct{ Count int }](t, []byte(paid.Result.Content[0].Text)); hits.Count == 0 {
		t.Errorf("no hit: %s", paid.Result.Content)
	}
	res, body := s.Do(http.MethodGet, "/v1/credits", "", "Authorization", credential)
	if left := servertest.Decode[struct{ Remaining int }](t, body).Remaining; res.StatusCode != http.StatusOK || left != 99 {
		t.Errorf("after one paid call %d are left, want 99", left)
	}
}

// TestToolServerWithASlash: the tool server answers at its address with a slash at the end as well.
func TestToolServerWithASlash(t *testing.T) {
	s := newService(t, testConfig(t))
	res, body := s.Do(http.MethodPost, "/mcp/", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "Content-Type", "application/json", "Accept", "application/json")
	if res.StatusCode != http.StatusOK || string(body) != `{"jsonrpc":"2.0","id":1,"result":{}}` {
		t.Errorf("answered %d %s", res.StatusCode, body)
	}
	if res, _ := s.Do(http.MethodPost, "/mcp/x", `{}`, "Content-Type", "application/json"); res.StatusCode == http.StatusOK {
		t.Error("there is something below the tool server")
	}
}
