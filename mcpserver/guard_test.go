package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.almanac.example/internal/rpc"
)

// want is what a bad message must be answered with. A code of 0 means a result; an id of "" none.
type want struct {
	status int
	code   int64
	id     string
}

// badMessages are bodies that no client should send, with the right answers in the era before 2026.
var badMessages = []struct {
	name, body string
	want       want
}{
	{"empty", ``, want{400, -32700, ""}},
	{"not JSON", `hello`, want{400, -32700, ""}},
	{"number", `5`, want{400, -32700, ""}},
	{"null", `null`, want{400, -32700, ""}},
	{"byte order mark", "\ufeff" + `{"jsonrpc":"2.0","id":1,"method":"ping"}`, want{200, 0, "1"}},
	{"empty lists for empty objects", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"roots":[],"experimental":[]},"clientInfo":{"name":"x","version":"1"},"_meta":[]}}`, want{200, 0, "1"}},
	{"an empty list for no params", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}`, want{200, 0, "1"}},
	{"empty batch", `[]`, want{400, -32600, ""}},
	{"batch of one", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, want{400, -32600, ""}},
	{"batch of 500 calls", `[` + strings.TrimSuffix(strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"tools/list"},`, 500), ",") + `]`, want{400, -32600, ""}},
	{"trailing garbage", `{"jsonrpc":"2.0","id":1,"method":"ping"} x`, want{400, -32700, ""}},
	{"two documents", `{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}`, want{400, -32700, ""}},
	{"not UTF-8", `{"jsonrpc":"2.0","id":1,"method":"ping` + "\xff" + `"}`, want{400, -32700, ""}},
	{"nested too deep", `{"jsonrpc":"2.0","id":1,"method":"ping","params":` + strings.Repeat("[", 1001) + strings.Repeat("]", 1001) + `}`, want{400, -32700, ""}},
	{"comma at the end", `{"jsonrpc":"2.0","id":1,"method":"ping",}`, want{400, -32700, ""}},
	{"leading zero", `{"jsonrpc":"2.0","id":01,"method":"ping"}`, want{400, -32700, ""}},
	{"no version", `{"id":1,"method":"ping"}`, want{400, -32600, "1"}},
	{"wrong version", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, want{400, -32600, "1"}},
	{"wrong-case version", `{"JSONRPC":"2.0","id":1,"method":"ping"}`, want{400, -32600, "1"}},
	{"wrong-case method", `{"jsonrpc":"2.0","id":1,"Method":"ping"}`, want{400, -32600, "1"}},
	{"NUL after the name", `{"jsonrpc":"2.0","id":1,"method\u0000":"ping"}`, want{400, -32600, "1"}},
	{"method twice", `{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}`, want{400, -32600, ""}},
	{"method twice, once escaped", `{"jsonrpc":"2.0","id":1,"method":"ping","m\u0065thod":"tools/list"}`, want{400, -32600, ""}},
	{"method a number", `{"jsonrpc":"2.0","id":1,"method":5}`, want{400, -32600, "1"}},
	{"method empty", `{"jsonrpc":"2.0","id":1,"method":""}`, want{400, -32600, "1"}},
	{"nothing in it", `{}`, want{400, -32600, ""}},
	{"id null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, want{400, -32600, ""}},
	{"id an object", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, want{400, -32600, ""}},
	{"id a fraction", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, want{400, -32600, ""}},
	{"id beyond 64 bits", `{"jsonrpc":"2.0","id":123456789012345678901234567890,"method":"ping"}`, want{400, -32600, ""}},
	{"id a long string", `{"jsonrpc":"2.0","id":"` + strings.Repeat("x", 10<<10) + `","method":"ping"}`, want{400, -32600, ""}},
	{"id half a surrogate", `{"jsonrpc":"2.0","id":"\ud800","method":"ping"}`, want{400, -32600, ""}},
	{"id empty", `{"jsonrpc":"2.0","id":"","method":"ping"}`, want{200, 0, `""`}},
	{"id zero", `{"jsonrpc":"2.0","id":0,"method":"ping"}`, want{200, 0, `0`}},
	{"id negative", `{"jsonrpc":"2.0","id":-7,"method":"ping"}`, want{200, 0, `-7`}},
	{"id of 53 bits", `{"jsonrpc":"2.0","id":9007199254740991,"method":"ping"}`, want{200, 0, `9007199254740991`}},
	{"id that a float64 does not hold", `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, want{400, -32600, ""}},
	{"unknown method", `{"jsonrpc":"2.0","id":1,"method":"no/such"}`, want{200, -32601, "1"}},
	{"method of the newer era", `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`, want{200, -32601, "1"}},
	{"notification", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, want{202, 0, ""}},
	{"unknown notification", `{"jsonrpc":"2.0","method":"notifications/no-such"}`, want{202, 0, ""}},
	{"notification with an id", `{"jsonrpc":"2.0","id":1,"method":"notifications/initialized"}`, want{400, -32600, "1"}},
	{"call without an id", `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"list_categories"}}`, want{400, -32600, ""}},
	{"response", `{"jsonrpc":"2.0","id":1,"result":{}}`, want{202, 0, ""}},
	{"error response", `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}`, want{202, 0, ""}},
	{"params an array", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}`, want{200, -32602, "1"}},
	{"params missing", `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, want{200, -32602, "1"}},
	{"params null", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":null}`, want{200, -32602, "1"}},
	{"params null where they are optional", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":null}`, want{200, 0, "1"}},
	{"params with a member twice", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_categories","name":"list_entries"}}`, want{200, -32602, "1"}},
	{"_meta with a member twice", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"a":1,"a":2}}}`, want{200, -32602, "1"}},
	{"wrong-case member of params", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"Name":5,"name":"list_categories"}}`, want{200, 0, "1"}},
	{"request and response in one", `{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}`, want{400, -32600, "1"}},
	{"notification with params an array", `{"jsonrpc":"2.0","method":"notifications/initialized","params":[1]}`, want{400, -32602, ""}},
	{"unknown notification with params an array", `{"jsonrpc":"2.0","method":"notifications/no-such","params":[]}`, want{202, 0, ""}},
	{"name a number", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":5}}`, want{200, -32602, "1"}},
	{"_meta an array", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":[1]}}`, want{200, -32602, "1"}},
	{"unknown tool", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"no_such"}}`, want{200, -32602, "1"}},
	{"list cursor made up", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"zzz"}}`, want{200, -32602, "1"}},
	{"list cursor a number", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":5}}`, want{200, -32602, "1"}},
	{"unknown prompt", `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"no_such"}}`, want{200, -32602, "1"}},
	{"prompt without its argument", `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"compare_protocols","arguments":{"a":"l402"}}}`, want{200, -32602, "1"}},
	{"prompt argument a number", `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"whats_new","arguments":{"date":5}}}`, want{200, -32602, "1"}},
	{"prompt with another argument", `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"whats_new","arguments":{"day":"2026-11-21"}}}`, want{200, -32602, "1"}},
	{"prompt on a day that is none", `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"whats_new","arguments":{"date":"2026-02-30"}}}`, want{200, -32602, "1"}},
	{"prompt on an unknown protocol", `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"compare_protocols","arguments":{"a":"l402","b":"l403"}}}`, want{200, -32602, "1"}},
	{"completion, which is not offered", `{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"whats_new"},"argument":{"name":"date","value":""}}}`, want{200, -32601, "1"}},
	{"initialize of long ago", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"1999-01-01","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`, want{200, 0, "1"}},
	{"initialize without params", `{"jsonrpc":"2.0","id":1,"method":"initialize"}`, want{200, -32602, "1"}},
}

func check(t *testing.T, rep reply, w want) {
	t.Helper()
	code := int64(0)
	if rep.Error != nil {
		code = rep.Error.Code
	}
	if rep.Status != w.status || code != w.code || string(rep.ID) != w.id {
		t.Errorf("answered %d, code %d, id %q; want %d, %d, %q\n%.300s", rep.Status, code, rep.ID, w.status, w.code, w.id, rep.Body)
	}
	if len(rep.Body) > 0 && rep.Header.Get("Content-Type") != "application/json" {
		t.Errorf("Content-Type is %q", rep.Header.Get("Content-Type"))
	}
	if rep.Status == http.StatusAccepted && len(rep.Body) > 0 {
		t.Errorf("202 with a body: %s", rep.Body)
	}
	if leak := leaks(rep.Body); leak != "" {
		t.Errorf("the answer tells %q: %s", leak, rep.Body)
	}
}

func TestBadMessages(t *testing.T) {
	s := serverOver(t, Options{})
	for _, c := range badMessages {
		t.Run(c.name, func(t *testing.T) { check(t, send(s, request(false, c.body)), c.want) })
	}
	for name, want := range map[string]string{"mcp__almanac__search": "search", "almanac:list-entries": "list_entries", "Fetch": "fetch", "list_entry": "list_entries"} {
		rep := send(s, request(false, body(false, "tools/call", toolCall(name, "{}"))))
		if rep.Error == nil || rep.Error.Code != -32602 || !strings.Contains(rep.Error.Message, `(did you mean "`+want+`"`) {
			t.Errorf("no tool %s: %s", name, rep.Body)
		}
	}
	rep := send(s, request(false, badMessages[len(badMessages)-2].body))
	if !strings.Contains(string(rep.Result), `"protocolVersion":"2025-11-25"`) {
		t.Errorf("initialize of 1999 negotiated %s", rep.Result)
	}
}

// TestRemedyOfAPrompt holds that the example in the refusal of a day is accepted.
func TestRemedyOfAPrompt(t *testing.T) {
	s := serverOver(t, Options{})
	get := func(date string) reply {
		return send(s, request(false, body(false, "prompts/get", `"name":"whats_new","arguments":{"date":"`+date+`"}`)))
	}
	for _, date := range []string{"2026-02-30", "yesterday"} {
		rep := get(date)
		check(t, rep, want{200, -32602, "1"})
		_, text, _ := strings.Cut(rep.Error.Message, "Example: ")
		var example struct{ Date string }
		if json.Unmarshal([]byte(text), &example) != nil || get(example.Date).Error != nil {
			t.Errorf("%s: the example %s is refused", date, text)
		}
	}
}

// TestBadMessagesOf2026 holds what is answered otherwise in the 2026 era.
func TestBadMessagesOf2026(t *testing.T) {
	s := serverOver(t, Options{})
	call := body(true, "tools/call", toolCall("list_categories", "{}"))
	with := func(edit func(h http.Header)) func(*http.Request) {
		return func(r *http.Request) { edit(r.Header) }
	}
	for _, c := range []struct {
		name, body string
		edit       func(*http.Request)
		want       want
	}{
		{"in order", call, nil, want{200, 0, "1"}},
		{"unknown method", body(true, "no/such", ""), nil, want{404, -32601, "1"}},
		{"method of the older era", body(true, "ping", ""), nil, want{404, -32601, "1"}},
		{"unknown tool", body(true, "tools/call", `"name":"no_such"`), nil, want{400, -32602, "1"}},
		{"response", `{"jsonrpc":"2.0","id":1,"result":{}}`, nil, want{400, -32600, ""}},
		{"params missing", `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, nil, want{400, -32602, "1"}},
		{"_meta missing", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`, nil, want{400, -32602, "1"}},
		{"no capabilities", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`, nil, want{400, -32602, "1"}},
		{"_meta of another version", strings.ReplaceAll(call, "2026-07-28", "2025-11-25"), nil, want{400, -32020, "1"}},
		{"header of another version", call, with(func(h http.Header) { h.Set("MCP-Protocol-Version", "2025-11-25") }), want{400, -32020, "1"}},
		{"no version header", call, with(func(h http.Header) { h.Del("MCP-Protocol-Version") }), want{400, -32020, "1"}},
		{"version unknown and old", call, with(func(h http.Header) { h.Set("MCP-Protocol-Version", "2023-01-01") }), want{400, -32022, "1"}},
		{"version garbage", call, with(func(h http.Header) { h.Set("MCP-Protocol-Version", "garbage") }), want{400, -32022, "1"}},
		{"version of the future", call, with(func(h http.Header) { h.Set("MCP-Protocol-Version", "2099-01-01") }), want{400, -32022, "1"}},
		{"version twice", call, with(func(h http.Header) { h.Add("MCP-Protocol-Version", "2025-11-25") }), want{400, -32022, "1"}},
		{"Mcp-Method missing", call, with(func(h http.Header) { h.Del("Mcp-Method") }), want{400, -32020, "1"}},
		{"Mcp-Method wrong", call, with(func(h http.Header) { h.Set("Mcp-Method", "tools/list") }), want{400, -32020, "1"}},
		{"Mcp-Method in another case", call, with(func(h http.Header) { h.Set("Mcp-Method", "Tools/Call") }), want{400, -32020, "1"}},
		{"Mcp-Name missing", call, with(func(h http.Header) { h.Del("Mcp-Name") }), want{400, -32020, "1"}},
		{"Mcp-Name wrong", call, with(func(h http.Header) { h.Set("Mcp-Name", "list_entries") }), want{400, -32020, "1"}},
		{"Mcp-Name in base64", call, with(func(h http.Header) { h.Set("Mcp-Name", "=?base64?bGlzdF9jYXRlZ29yaWVz?=") }), want{200, 0, "1"}},
		{"Mcp-Name in base64, wrong", call, with(func(h http.Header) { h.Set("Mcp-Name", "=?base64?bGlzdF94?=") }), want{400, -32020, "1"}},
		{"a header for an argument that has none", call, with(func(h http.Header) { h.Set("Mcp-Param-Category", "iot") }), want{200, 0, "1"}},
		{"subscription ends at once", body(true, "subscriptions/listen", `"notifications":{}`), nil, want{200, 0, ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := request(true, c.body)
			if c.edit != nil {
				c.edit(r)
			}
			rep := send(s, r)
			if c.name == "subscription ends at once" {
				if rep.Status != 200 {
					t.Errorf("answered %d %s", rep.Status, rep.Body)
				}
				return
			}
			check(t, rep, c.want)
			if c.want.code == -32022 && !bytes.Contains(rep.Error.Data, []byte(`"supported":["2026-07-28"`)) {
				t.Errorf("the supported versions are not told: %s", rep.Error.Data)
			}
		})
	}
}

// TestBadHTTP holds the answers to requests whose HTTP is wrong.
func TestBadHTTP(t *testing.T) {
	c, x := realData(t)
	public := func(o Options) *Server {
		o.Now, o.Deadline = clock, callTimeout
		s := New(c, x, real().mirror, o)
		return s
	}
	loopback, open := public(Options{}), public(Options{Hosts: []string{"mcp.example.org"}})
	open.loopback = false
	set := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header[http.CanonicalHeaderKey(name)] = []string{value} }
	}
	drop := func(name string) func(*http.Request) { return func(r *http.Request) { r.Header.Del(name) } }
	method := func(m string) func(*http.Request) { return func(r *http.Request) { r.Method = m } }
	host := func(h string) func(*http.Request) { return func(r *http.Request) { r.Host = h } }
	for _, k := range []struct {
		name string
		s    *Server
		edit func(*http.Request)
		want int
	}{
		{"Accept JSON only", loopback, set("Accept", "application/json"), 200},
		{"Accept missing", loopback, drop("Accept"), 200},
		{"Accept anything", loopback, set("Accept", "*/*"), 200},
		{"Accept HTML", loopback, set("Accept", "text/html"), 406},
		{"Accept empty", loopback, set("Accept", ""), 200},
		{"Accept events only", loopback, set("Accept", "text/event-stream"), 200},
		{"Accept JSON never, in decimals", loopback, set("Accept", "text/html, application/json; q=0.000"), 406},
		{"Accept nothing but JSON", loopback, set("Accept", "*/*;q=0, Application/JSON;q=0.1"), 200},
		{"Accept JSON with a negative weight", loopback, set("Accept", "application/json;q=-1"), 406},
		{"Accept JSON with an empty weight", loopback, set("Accept", "application/json;q=, text/*;q=x"), 406},
		{"Accept JSON never", loopback, set("Accept", "application/json;q=0, text/html"), 406},
		{"Content-Type missing", loopback, drop("Content-Type"), 415},
		{"Content-Type text", loopback, set("Content-Type", "text/plain"), 415},
		{"Content-Type multipart", loopback, set("Content-Type", "multipart/form-data; boundary=x"), 415},
		{"Content-Type with charset", loopback, set("Content-Type", "application/json; charset=utf-8"), 200},
		{"Content-Type twice", loopback, func(r *http.Request) { r.Header["Content-Type"] = []string{"application/json", "application/json"} }, 200},
		{"Content-Type twice in a line", loopback, set("Content-Type", "application/json, application/json; charset=utf-8"), 200},
		{"Content-Type with another", loopback, set("Content-Type", "application/json, text/plain"), 415},
		{"Content-Encoding", loopback, set("Content-Encoding", "gzip"), 415},
		{"GET", loopback, method("GET"), 405},
		{"HEAD", loopback, method("HEAD"), 405},
		{"DELETE", loopback, method("DELETE"), 405},
		{"PUT", loopback, method("PUT"), 405},
		{"PATCH", loopback, method("PATCH"), 405},
		{"OPTIONS", loopback, method("OPTIONS"), 204},
		{"Origin on loopback", loopback, set("Origin", "http://localhost:5173"), 200},
		{"Origin evil", loopback, set("Origin", "https://evil.example"), 403},
		{"Origin of an extension", loopback, set("Origin", "chrome-extension://abcdefgh"), 200},
		{"Origin of a file", loopback, set("Origin", "file://"), 403},
		{"Origin null", loopback, set("Origin", "null"), 403},
		{"Origin malformed", loopback, set("Origin", "http://localhost:5173/path"), 403},
		{"Origin evil, all allowed", open, set("Origin", "https://evil.example"), 200},
		{"Origin null, all allowed", open, set("Origin", "null"), 200},
		{"Host evil", loopback, host("evil.example"), 421},
		{"Host evil with our name before it", loopback, host("localhost:8402@evil.example"), 421},
		{"Host empty", loopback, host(""), 421},
		{"Host with port", loopback, host("127.0.0.1:8402"), 200},
		{"Host IPv6", loopback, host("[::1]:8402"), 200},
		{"Host public", open, host("mcp.example.org"), 200},
		{"Host public with port, in capitals", open, host("MCP.Example.org:443"), 200},
		{"session made up", loopback, set("Mcp-Session-Id", "bogus"), 200},
		{"Last-Event-ID", loopback, set("Last-Event-ID", "5"), 200},
		{"too long, told so", loopback, func(r *http.Request) { r.ContentLength = 1 << 20 }, 413},
	} {
		t.Run(k.name, func(t *testing.T) {
			r := request(false, body(false, "tools/list", ""))
			k.edit(r)
			rep := send(k.s, r)
			if rep.Status != k.want {
				t.Errorf("answered %d, want %d: %s", rep.Status, k.want, rep.Body)
			}
			if rep.Status >= 400 && (rep.Error == nil || rep.Error.Code != int64(rep.Status) || rep.ID != nil) {
				t.Errorf("the refusal is %s", rep.Body)
			}
			if rep.Status == 405 && rep.Header.Get("Allow") != "POST, OPTIONS" {
				t.Errorf("Allow is %q", rep.Header.Get("Allow"))
			}
		})
	}
	events := request(false, body(false, "ping", ""))
	events.Header.Set("Accept", "text/event-stream")
	if rep := send(loopback, events); rep.Header.Get("Content-Type") != "text/event-stream" || string(rep.Body) != "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n" {
		t.Errorf("a client that accepts events alone got %q", rep.Body)
	}
	long := request(false, `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"`+strings.Repeat("x", maxBody)+`"}}`)
	long.ContentLength = -1
	if rep := send(loopback, long); rep.Status != 413 {
		t.Errorf("a long body in chunks answered %d", rep.Status)
	}
}

// TestOldestClients holds that a request which names no version is served.
func TestOldestClients(t *testing.T) {
	s := serverOver(t, Options{})
	r := request(false, body(false, "tools/call", toolCall("list_categories", "{}")))
	r.Header.Del("MCP-Protocol-Version")
	check(t, send(s, r), want{200, 0, "1"})
	r = request(false, body(false, "tools/list", ""))
	r.Header.Del("MCP-Protocol-Version")
	check(t, send(s, r), want{200, 0, "1"})
}

func TestCORS(t *testing.T) {
	c, x := realData(t)
	s := New(c, x, real().mirror, Options{})
	s.loopback = false
	r := httptest.NewRequest(http.MethodOptions, "http://localhost/mcp", nil)
	r.Header.Set("Origin", "https://app.example")
	rep := send(s, r)
	for name, value := range map[string]string{
		"Access-Control-Allow-Origin": "*", "Access-Control-Allow-Methods": "POST, OPTIONS", "Access-Control-Max-Age": "86400",
		"Access-Control-Allow-Credentials": "",
	} {
		if got := rep.Header.Get(name); got != value {
			t.Errorf("%s is %q, want %q", name, got, value)
		}
	}
	for _, name := range []string{"MCP-Protocol-Version", "Mcp-Method", "Mcp-Name", "Authorization", "*"} { // hosts add their own
		if !strings.Contains(rep.Header.Get("Access-Control-Allow-Headers"), name) {
			t.Errorf("a page may not send %s", name)
		}
	}
	bad := request(false, "[]")
	bad.Header.Set("Origin", "https://app.example")
	if rep := send(s, bad); rep.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Error("a page cannot read a refusal")
	}
}

// TestBadArguments holds that every wrong argument is told in words that a model can act on: what
// was wrong, and what is allowed or an example.
func TestBadArguments(t *testing.T) {
	s := serverOver(t, Options{})
	for _, c := range []struct{ tool, arguments, want string }{
		{"list_categories", `"text"`, `must be a JSON object`},
		{"list_categories", `[1]`, `must be a JSON object`},
		{"list_entries", `{"category":"lightning"}`, `category "lightning" does not exist (did you mean "bitcoin-lightning"?). Valid: bitcoin-lightning, payments`},
		{"list_entries", `{"category":{"a":1}}`, `category must be a string; you sent {"a":1}. Example: {"category":"payments"}`},
		{"list_entries", `{"categry":"payments"}`, `no argument "categry" (did you mean "category"?).`},
		{"list_entries", `{"category":"payments","Category":"iot"}`, `no argument "Category" (did you mean "category"?).`},
		{"list_entries", `{"query":"nwc"}`, `no argument "query". It does not search for words: search does. Its arguments are`},
		{"list_entries", `{"limit":-1}`, `limit must be a whole number from 1 to 50; you sent -1. Example: {"limit":20}`},
		{"list_entries", `{"limit":5.5}`, `from 1 to 50; you sent 5.5`},
		{"list_entries", `{"limit":"many"}`, `from 1 to 50; you sent many`},
		{"list_entries", `{"tag":"lightnin"}`, `did you mean "lightning"?`},
		{"list_entries", `{"tag":"a\u0000b"}`, `tag "a\x00b" does not exist`},
		{"list_entries", `{"tag":"\u202eabc"}`, `tag "\u202eabc" does not exist`},
		{"list_entries", `{"tag":"😀"}`, `tag "😀" does not exist`},
		{"list_entries", `{"tag":"\ud800"}`, `does not exist`},
		{"list_entries", `{"tag":"` + strings.Repeat("x", 10<<10) + `"}`, `tag "xxxxxxx`},
		{"list_entries", `{"published_from":"2026-02-30"}`, `must be a calendar date in the form YYYY-MM-DD; you sent "2026-02-30". Example: {"since":"2026-01-01"}`},
		{"list_entries", `{"published_from":"2026-12-01","published_to":"2026-01-01"}`, `Swap them`},
		{"list_entries", `{"type":["spec","nope"]}`, `type[1] "nope" does not exist`},
		{"list_entries", `{"cursor":"garbage"}`, `call again without cursor`},
		{"list_changes", `{"since":"2026-02-30"}`, `calendar date in the form YYYY-MM-DD`},
		{"list_changes", `{"since":"2026-13"}`, `calendar date in the form YYYY-MM-DD; you sent "2026-13". Example:`},
		{"list_entries", `{"params":{"categry":"payments"}}`, `did you mean "category"?`},
		{"list_entries", `{"params":{"category":"payments"},"limit":5}`, `no argument "params"`},
		{"list_changes", `{"since":"2026-11-21","until":"2026-11-01"}`, `Swap them. Example: {"since":`},
		{"list_changes", `{"kind":["prose"]}`, `kind[0] "prose" does not exist. Valid: protocol, article`},
		{"list_entries", `{"undated":"maybe"}`, `undated must be true or false; you sent "maybe"`},
		{"fetch", `{"ids":true}`, `ids[0] must be a string; you sent true`},
		{"fetch", `{"ids":[` + strings.TrimSuffix(strings.Repeat(`"a",`, 21), ",") + `]}`, `takes 1 to 20 items; you sent 21`},
		{"search", `{"query":" "}`, `query must have 1 to`},
		{"fetch", `{}`, `fetch needs id`},
		{"fetch", `{"id":"trust","ids":["trust"],"cursor":"x"}`, `Send one id with a cursor`},
		{"get_support_methods", `{"x":1}`, `takes no arguments`},
		{"search", `{"query":"x","q":"y"}`, `has "query" twice. Send query alone.`},
		{"get_protocol_facts", `{"protocols":["l403"]}`, `did you mean "l402"?`},
	} {
		r := callTool(t, s, true, c.tool, c.arguments)
		if !r.IsError || r.Structured != nil || !strings.Contains(r.Content[0].Text, c.want) {
			t.Errorf("%s(%.80s) answered %q, isError %v\nwant %q", c.tool, c.arguments, r.Content[0].Text, r.IsError, c.want)
		}
	}
	for _, c := range []struct{ tool, arguments string }{
		{"list_entries", `{"limit":1e1}`}, {"list_entries", `null`}, {"list_entries", `{"category":null}`},
		{"list_entries", `{"cursor":""}`}, {"list_entries", `{"limit":51,"limit":5}`}, {"list_categories", `{}`},
		{"list_entries", `{"limit":"5"}`}, {"list_entries", `{"category":"Payments"}`}, {"fetch", `{"ids":"mcp-go-sdk"}`},
		{"get_protocol_facts", `{"protocols":["protocol:X402"]}`}, {"fetch", `{"id":"trust","max_tokens":50}`},
		{"list_entries", `{"limit":1e20}`}, {"list_entries", `{"tag":"[\"mcp\",\"http\"]","type":"spec, docs","undated":"TRUE","category":"","limit":""}`},
		{"fetch", `{"ids":["MCP-Go-SDK"]}`}, {"search", `{"q":"x402"}`}, {"search", `{"question":"x402","kind":"library"}`},
		{"fetch", `{"ids":"mqtt-5,mcp-go-sdk"}`}, {"fetch", `{"id":["mqtt-5","mcp-go-sdk"]}`}, {"get_protocol_facts", `{"protocol":"x402,L402","field":"status_codes"}`},
		{"list_entries", `"{\"limit\":1}"`}, {"list_entries", `[]`}, {"list_entries", `{"arguments":{"limit":1}}`},
		{"list_categories", `{"toolCallId":"call_1","sessionId":"s","action":"sendMessage","chatInput":"hi","tool":"x","task_progress":"- [ ] a","wait_for_previous":true,"_placeholder":true}`},
		{"list_entries", `{"since":"2026-02-01T00:00:00.000Z","until":"2026-3-1"}`}, {"fetch", `{"ID":"trust","maxTokens":50}`},
		{"list_entries", `{"category":"null","tag":["null",null],"limit":"None","cursor":"undefined","since":"null","undated":1}`},
		{"search", `{"query":"x402","kind":"Protocols"}`}, {"get_protocol_facts", `{"protocols":"['x402', 'l402']","fields":"Refunds"}`},
		{"search", `{"query":"x402","limit":0,"cursor":"","tag":{},"dummy":""}`}, {"list_categories", `{"input":""}`}, {"search", `{"args":"{\"query\":\"x402\"}"}`},
		{"explain_402", `{"text":{"x402Version":1,"accepts":[]}}`}, {"search", `{"query":"x402","max_results":5}`}, {"fetch", `{"url":"library://trust"}`},
		{"list_changes", `{"protocol":"x402","from":"2026-11-01","to":".","kind":"$1"}`},
	} {
		if r := callTool(t, s, false, c.tool, c.arguments); r.IsError {
			t.Errorf("%s(%s) refused: %s", c.tool, c.arguments, r.Content[0].Text)
		}
	}
}

func TestUnknownID(t *testing.T) {
	s := serverOver(t, Options{})
	r := callTool(t, s, false, "fetch", `{"ids":["mcp-go-sdk","mcp-go-skd"]}`)
	var got struct {
		Records  []json.RawMessage
		NotFound []struct{ ID, Error string } `json:"not_found"`
	}
	if err := json.Unmarshal(r.Structured, &got); err != nil {
		t.Fatal(err)
	}
	if r.IsError || len(got.Records) != 1 || len(got.NotFound) != 1 || !strings.Contains(got.NotFound[0].Error, `did you mean "mcp-go-sdk"`) {
		t.Errorf("answered %s", r.Structured)
	}
}

// TestBadResources: an address that is not one of ours is refused, and the refusal repeats it, a
// long one in part; one that is another spelling of ours (RFC 3986, section 6.2.2) is read.
func TestBadResources(t *testing.T) {
	s := serverOver(t, Options{})
	for _, uri := range []string{
		"library://entry/no-such", "file:///etc/passwd", "https://example.org/", "library://entry/../categories", "library://entry/mcp-go-sdk%2Fx",
		"library://entry/", "library://entry/a\u0007b", "library://entry/\u0000", "library://entry/article:x",
		"library://entry/" + strings.Repeat("x", 10<<10), "", "library://", "library://changes/2026-02-30", "library://changes/2099-01-01",
		"library://category/payments?limit=0", "library://category/payments?limit=x", "library://category/payments?cursor=zz", "library://category/payments?page=2",
		"library://category/no-such", "library://protocol/L402", "dataset://card/no-such", "library://categories#x",
	} {
		for _, modern := range []bool{false, true} {
			b := body(modern, "resources/read", `"uri":`+quoted(uri))
			r := request(modern, b)
			if modern && strings.ContainsFunc(uri, func(c rune) bool { return c < ' ' }) || modern && uri == "" {
				continue // no such header can be sent
			}
			rep := send(s, r)
			var data struct{ URI string }
			if rep.Error == nil || rep.Error.Code != rpc.NotFoundCode(modern) || json.Unmarshal(rep.Error.Data, &data) != nil || data.URI != uri[:min(len(uri), 2_048)] {
				t.Errorf("%.60q (2026: %v) answered %d %.200s", uri, modern, rep.Status, rep.Body)
			}
		}
	}
	for _, uri := range []string{"LIBRARY://categories", "library://entry/mcp%2Dgo-sdk", "Library://Entry/mcp-go-sdk.md"} {
		if rep := send(s, request(false, body(false, "resources/read", `"uri":`+quoted(uri)))); !bytes.Contains(rep.Result, []byte(`"uri":`+quoted(uri))) {
			t.Errorf("%s answered %.200s", uri, rep.Body)
		}
	}
}

func TestCursors(t *testing.T) {
	s := serverOver(t, Options{})
	next := func(arguments string) string {
		var got struct {
			Next string `json:"next_cursor"`
		}
		_ = json.Unmarshal(callTool(t, s, false, "list_entries", arguments).Structured, &got)
		return got.Next
	}
	cursor := next(`{"limit":5}`)
	older := []byte(cursor)
	if older[0] = 'A'; cursor[0] == 'A' {
		older[0] = 'B'
	}
	for _, c := range []struct{ arguments, want string }{
		{fmt.Sprintf(`{"category":"payments","cursor":%q}`, cursor), "repeat its other arguments"},
		{fmt.Sprintf(`{"cursor":%q}`, older), "not one of this query and these data"},
		{fmt.Sprintf(`{"cursor":%q}`, cursor+"AA"), "without cursor"},
		{fmt.Sprintf(`{"cursor":%q}`, cursor+"="), "without cursor"},
	} {
		if r := callTool(t, s, false, "list_entries", c.arguments); !r.IsError || !strings.Contains(r.Content[0].Text, c.want) {
			t.Errorf("%s answered %s", c.arguments, r.Content[0].Text)
		}
	}
	if other := serverOver(t, Options{}); callTool(t, other, false, "list_entries", fmt.Sprintf(`{"cursor":%q}`, cursor)).IsError {
		t.Error("another replica does not take the cursor")
	}
}
