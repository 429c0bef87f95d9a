package probe

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
)

// An rpcAnswer is the answer to a tool call.
type rpcAnswer struct {
	Result *struct {
		IsError           bool
		StructuredContent json.RawMessage
		Meta              map[string]json.RawMessage `json:"_meta"`
		Tools             []struct {
			Name, Description string
			InputSchema       struct {
				Properties map[string]json.RawMessage
				Required   []string
			}
		}
	}
	Error *struct {
		Code    int
		Message string
		Data    json.RawMessage
	}
}

// mcp looks at how an MCP server asks for payment.
func (s *site) mcp(ctx context.Context, address string) {
	r := s.report
	session, status, ok := s.initialize(ctx, address)
	if !ok {
		if status == http.StatusPaymentRequired {
			r.add(Note, "mcp", "", "the MCP server asks by HTTP 402 before it speaks")
			return
		}
		r.add(Fault, "mcp", "", "%s does not answer as an MCP server (status %d)", address, status)
		return
	}
	list, _, ok := s.rpc(ctx, address, session, "tools/list", struct{}{})
	if !ok || list.Result == nil {
		r.add(Fault, "mcp", "", "%s does not list its tools", address)
		return
	}
	r.add(OK, "mcp", "", "the MCP server lists its tools")
	paid := false
	for _, tool := range list.Result.Tools {
		about := strings.ToLower(tool.Description)
		if _, takes := tool.InputSchema.Properties["l402"]; !takes && !strings.Contains(about, "paid") && !strings.Contains(about, "satoshi") {
			continue
		}
		paid = true
		args := map[string]any{}
		for _, name := range tool.InputSchema.Required {
			args[name] = "lightning"
		}
		a, status, ok := s.rpc(ctx, address, session, "tools/call", map[string]any{"name": tool.Name, "arguments": args})
		s.judgeTool(tool.Name, a, status, ok)
	}
	if !paid {
		r.add(Note, "mcp.payment", "", "no tool of the MCP server looks as if it cost money")
	}
}

// judgeTool reports in which form a tool asks for payment.
func (s *site) judgeTool(name string, a rpcAnswer, status int, ok bool) {
	r := s.report
	switch {
	case status == http.StatusPaymentRequired:
		r.add(Note, "mcp.payment", "", "the tool %s asks by HTTP 402", name)
	case !ok:
		r.add(Fault, "mcp.payment", "", "the tool %s does not answer (status %d)", name, status)
	case a.Error != nil && a.Error.Code == -32042:
		s.judgeData(name, "the error -32042", a.Error.Data)
	case a.Result != nil && a.Result.Meta["org.paymentauth/payment-required"] != nil:
		s.judgeData(name, "org.paymentauth/payment-required", a.Result.Meta["org.paymentauth/payment-required"])
	case a.Result != nil && a.Result.IsError && bytes.Contains(a.Result.StructuredContent, []byte(`"payment_required"`)):
		r.add(Note, "mcp.payment", "", "the tool %s asks by payment_required in its structured content, as an almanac does", name)
	case a.Error != nil:
		r.add(Note, "mcp.payment", "", "the tool %s answers with the error %d: %s", name, a.Error.Code, a.Error.Message)
	default:
		r.add(Note, "mcp.payment", "", "the tool %s does not ask for payment", name)
	}
}

func (s *site) judgeData(name, form string, data json.RawMessage) {
	var d struct {
		HTTPStatus int
		Challenges []struct {
			ID, Realm, Method, Intent string
			Request                   json.RawMessage
		}
	}
	if json.Unmarshal(data, &d) != nil || len(d.Challenges) == 0 {
		s.report.add(Fault, "mcp.payment", refMCPPayment, "the tool %s asks by %s without challenges", name, form)
		return
	}
	for _, c := range d.Challenges {
		if !bytes.HasPrefix(bytes.TrimSpace(c.Request), []byte("{")) {
			s.report.add(Fault, "mcp.payment.request", refMCPPayment, "the tool %s asks by %s with a request that is not an object", name, form)
			return
		}
	}
	s.report.add(Note, "mcp.payment", "", "the tool %s asks by %s", name, form)
}

func (s *site) initialize(ctx context.Context, address string) (session string, status int, ok bool) {
	_, h, status, ok := s.post(ctx, address, "", "initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{}, "clientInfo": map[string]string{"name": "almanac-probe", "version": "1"}})
	return h.Get("Mcp-Session-Id"), status, ok
}

func (s *site) rpc(ctx context.Context, address, session, method string, params any) (rpcAnswer, int, bool) {
	a, _, status, ok := s.post(ctx, address, session, method, params)
	return a, status, ok
}

// post sends one JSON-RPC request and reads the answer, which may come as one event of a stream.
func (s *site) post(ctx context.Context, address, session, method string, params any) (out rpcAnswer, h http.Header, status int, ok bool) {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return out, nil, 0, false
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return out, nil, 0, false
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("MCP-Protocol-Version", "2025-11-25")
	if session != "" {
		req.Header.Set("Mcp-Session-Id", session)
	}
	a, err := s.do(req)
	if err != nil {
		return out, nil, 0, false
	}
	text := a.body
	for line := range bytes.Lines(a.body) {
		if data, isEvent := bytes.CutPrefix(line, []byte("data:")); isEvent && bytes.Contains(data, []byte(`"id"`)) {
			text = data
		}
	}
	err = json.Unmarshal(text, &out)
	return out, a.header, a.status, err == nil && (out.Result != nil || out.Error != nil)
}
