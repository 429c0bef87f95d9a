package probe

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"go.almanac.example/http402/challenge"
)

// document reads a JSON document of the same host, and reports under the name of a check why there is none.
func (s *site) document(ctx context.Context, path, check string, doc any) bool {
	a, err := s.do(ctx, http.MethodGet, s.url.Scheme+"://"+s.url.Host+path, nil, nil)
	switch {
	case err != nil:
		s.report.add(Note, check, "", "%s could not be read: %v", path, err)
	case a.status != http.StatusOK:
		s.report.add(Note, check, "", "there is no %s: it answered %d", path, a.status)
	case json.Unmarshal(a.body, doc) != nil:
		s.report.add(Fault, check, refDiscovery, "%s is not a JSON document as it is described", path)
	default:
		return true
	}
	return false
}

// wellKnown compares the terms of /.well-known/l402 with the challenge.
func (s *site) wellKnown(ctx context.Context) {
	var doc struct {
		Pricing struct {
			PriceSats json.Number `json:"price_sats"`
		}
		Endpoints []struct {
			Path      string
			PriceSats json.Number `json:"price_sats"`
		}
	}
	if !s.document(ctx, "/.well-known/l402", "discovery.l402", &doc) {
		return
	}
	price, _ := doc.Pricing.PriceSats.Int64()
	for _, e := range doc.Endpoints {
		if n, err := e.PriceSats.Int64(); err == nil && e.Path == s.url.Path {
			price = n
		}
	}
	if price == 0 || s.price == 0 {
		s.report.add(Note, "discovery.l402", "", "/.well-known/l402 states no price for this address")
		return
	}
	s.report.unless(price*1000 == s.price, Fault, "discovery.l402", "",
		"/.well-known/l402 says %d sat, the invoice %d msat", price, s.price)
}

// openAPI compares x-payment-info (draft-payment-discovery) with the challenge.
func (s *site) openAPI(ctx context.Context) {
	var doc struct {
		OpenAPI string
		Paths   map[string]map[string]json.RawMessage
	}
	if !s.document(ctx, "/openapi.json", "discovery.openapi", &doc) {
		return
	}
	if !strings.HasPrefix(doc.OpenAPI, "3.") {
		s.report.add(Fault, "discovery.openapi", refDiscovery, "/openapi.json is not a document of OpenAPI 3")
		return
	}
	method := cmp.Or(s.Method, http.MethodGet)
	var op struct {
		Info *struct {
			Offers []struct {
				Intent, Method string
				Amount         *string
			}
		} `json:"x-payment-info"`
		Responses map[string]json.RawMessage
	}
	raw, ok := doc.Paths[s.url.Path][strings.ToLower(method)]
	if !ok || json.Unmarshal(raw, &op) != nil {
		s.report.add(Note, "discovery.openapi", refDiscovery, "/openapi.json does not describe %s %s", method, s.url.Path)
		return
	}
	_, lists402 := op.Responses["402"]
	s.report.unless(lists402, Fault, "discovery.openapi.402", refDiscovery, "/openapi.json does not list the answer 402 of %s %s", method, s.url.Path)
	if op.Info == nil {
		return
	}
	payment := slices.ContainsFunc(s.found, func(c challenge.Challenge) bool { return c.Scheme == challenge.Payment })
	for _, o := range op.Info.Offers {
		if o.Method == "lightning" && !payment {
			s.report.add(Fault, "discovery.openapi.offer", refDiscovery,
				"/openapi.json offers Payment by lightning, and no challenge asks for it")
		}
		if o.Method == "lightning" && o.Amount != nil && s.price > 0 {
			n, err := strconv.ParseInt(*o.Amount, 10, 64)
			s.report.unless(err == nil && n*1000 == s.price, Fault, "discovery.openapi.amount", refDiscovery,
				"/openapi.json offers %s sat, the invoice is for %d msat", *o.Amount, s.price)
		}
	}
}

// mcp looks at how the tools of an MCP server that seem to cost money ask for it.
func (s *site) mcp(ctx context.Context) {
	r := s.report
	s.call(ctx, "initialize", map[string]any{"protocolVersion": mcpVersion, "capabilities": map[string]any{},
		"clientInfo": map[string]string{"name": "almanac-probe", "version": "1"}})
	var list struct {
		Tools []struct {
			Name, Description string
			InputSchema       struct {
				Properties map[string]json.RawMessage
				Required   []string
			}
		}
	}
	status, result, _ := s.call(ctx, "tools/list", struct{}{})
	switch err := json.Unmarshal(result, &list); {
	case status == http.StatusPaymentRequired:
		r.add(Note, "mcp", "", "the MCP server asks by HTTP 402 before it lists its tools")
		return
	case err != nil:
		r.add(Fault, "mcp", "", "%s does not list its tools (status %d)", s.MCP, status)
		return
	}
	paid := false
	for _, tool := range list.Tools {
		about := strings.ToLower(tool.Description)
		if _, takes := tool.InputSchema.Properties["l402"]; !takes && !strings.Contains(about, "paid") &&
			!strings.Contains(about, "satoshi") {
			continue
		}
		paid = true
		args := map[string]any{}
		for _, name := range tool.InputSchema.Required {
			args[name] = "lightning"
		}
		status, _, offers := s.call(ctx, "tools/call", map[string]any{"name": tool.Name, "arguments": args})
		for _, o := range offers {
			r.add(Note, "mcp.payment", "", "the tool %s asks by %s in the %s of the answer", tool.Name, o.Title(), o.Place)
			s.faults(&o, "mcp.payment", "the tool "+tool.Name)
		}
		r.unless(len(offers) > 0, Note, "mcp.payment", "", "the tool %s does not ask for payment (status %d)", tool.Name, status)
	}
	r.unless(paid, Note, "mcp.payment", "", "no tool of the MCP server looks as if it cost money")
}

const mcpVersion = "2025-11-25"

// call sends a JSON-RPC request to the MCP server, and returns the status of HTTP, the result, nil if there is none, and the
// offers of the answer, which may come as one event of a stream.
func (s *site) call(ctx context.Context, method string, params any) (status int, result json.RawMessage, offers []challenge.Offer) {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return 0, nil, nil
	}
	header := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {mcpVersion}}
	if s.session != "" {
		header.Set("Mcp-Session-Id", s.session)
	}
	a, err := s.do(ctx, http.MethodPost, s.MCP, header, body)
	if err != nil {
		return 0, nil, nil
	}
	s.session = cmp.Or(s.session, a.header.Get("Mcp-Session-Id"))
	if a.status == http.StatusPaymentRequired {
		return a.status, nil, challenge.ReadHTTP(a.header, a.body)
	}
	text := a.body
	for line := range bytes.Lines(a.body) {
		if data, isEvent := bytes.CutPrefix(line, []byte("data:")); isEvent && bytes.Contains(data, []byte(`"id"`)) {
			text = data
		}
	}
	var message struct{ Result json.RawMessage }
	if json.Unmarshal(text, &message) != nil {
		return a.status, nil, nil
	}
	return a.status, message.Result, challenge.ReadMessage(text)
}
