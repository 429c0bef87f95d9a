package mcpserver

import (
	"fmt"
	"strings"
	"testing"
)

// hostileRequests are whole requests that make the server work more than others do.
func hostileRequests() map[string]string {
	unknown := make([]string, 20)
	for i := range unknown {
		unknown[i] = fmt.Sprintf(`"an-invented-identifier-with-payment-and-agent-%d-that-nothing-is-near"`, i)
	}
	long := strings.Repeat("a-very-long-word-", 3_500)
	var members strings.Builder
	for i := range 5_000 {
		fmt.Fprintf(&members, `"m%d":1,`, i)
	}
	return map[string]string{
		"20 unknown ids":           body(false, "tools/call", toolCall("fetch", `{"ids":[`+strings.Join(unknown, ",")+`]}`)),
		"a long id":                body(false, "tools/call", toolCall("fetch", `{"ids":["`+long+`"]}`)),
		"a long tag":               body(false, "tools/call", toolCall("list_entries", `{"tag":"`+long+`"}`)),
		"a long category":          body(false, "tools/call", toolCall("list_entries", `{"category":"`+long+`"}`)),
		"a long cursor":            body(false, "tools/call", toolCall("list_entries", `{"cursor":"`+long+`"}`)),
		"a long tool name":         body(false, "tools/call", toolCall(long, `{}`)),
		"a long address":           body(false, "resources/read", `"uri":"library://entry/`+long+`"`),
		"a long unknown section":   body(false, "resources/read", `"uri":"library://`+long+`/x"`),
		"an address near to many":  body(false, "resources/read", `"uri":"library://entry/agent-payment-protocol-specification-draft-x"`),
		"a long prompt name":       body(false, "prompts/get", `"name":"`+long+`"`),
		"a long prompt argument":   body(false, "prompts/get", `"name":"compare_protocols","arguments":{"a":"`+long+`","b":"x402"}`),
		"a long method":            body(false, long, ""),
		"a tag at the limit":       body(false, "tools/call", toolCall("list_entries", `{"tag":"`+long[:12_000]+`"}`)),
		"an address at the limit":  body(false, "resources/read", `"uri":"library://entry/`+long[:2_000]+`"`),
		"arguments at the limit":   body(false, "prompts/get", `"name":"compare_protocols","arguments":{"a":"`+long[:4_000]+`","b":"x402"}`),
		"many members":             body(false, "tools/call", toolCall("list_entries", `{`+strings.TrimSuffix(members.String(), ",")+`}`)),
		"many members of params":   body(false, "tools/list", strings.TrimSuffix(members.String(), ",")),
		"deep arguments":           body(false, "tools/call", toolCall("list_entries", strings.Repeat(`{"a":`, 990)+"1"+strings.Repeat("}", 990))),
		"the most entries":         body(false, "tools/call", toolCall("list_entries", `{"limit":50}`)),
		"every protocol":           body(false, "tools/call", toolCall("get_protocol_facts", `{"fields":["http_headers","pay_flow","notes","networks"]}`)),
		"all days":                 body(false, "tools/call", toolCall("list_changes", `{"from":"2026-10-23","to":"2026-11-22","limit":50}`)),
		"initialize, each another": body(false, "initialize", `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"`+long[:1000]+`#","version":"1"}`),
	}
}

// TestNoAnswerIsLarge bounds what one request can make the server send.
func TestNoAnswerIsLarge(t *testing.T) {
	s := serverOver(t, Options{})
	for name, b := range hostileRequests() {
		if n := len(send(s, request(false, b)).Body); n > 90<<10 {
			t.Errorf("%s is answered with %d bytes", name, n)
		}
	}
}
