package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"go.almanac.example/catalog"
	"go.almanac.example/internal/rpc"
)

// corpus are clean calls, as clients send them.
func corpus(s *Server) (bodies []string) {
	add := func(method, params string) { bodies = append(bodies, method+" "+params) }
	for _, arguments := range []string{
		`{}`, `{"limit":1}`, `{"limit":50}`, `{"limit":1e1}`, `{"fields":["title","id"],"limit":50}`,
		`{"category":"payments"}`, `{"category":"payments","type":"spec","tag":"standards"}`, `{"tag":"lightning"}`,
		`{"published_from":"2025-01-01"}`, `{"published_to":"2020-01-01"}`, `{"published_from":"1990-01-01","published_to":"1990-01-02"}`,
		`{"category":null}`, `{"category":"lightning"}`, `{"tag":"zz"}`, `{"limit":0}`, `{"limit":51}`, `{"limit":"5"}`, `{"limit":5.5}`,
		`{"Limit":5}`, `{"cursor":"x"}`, `{"cursor":""}`, `{"fields":[]}`, `{"fields":["nope"]}`, `"x"`, `null`, `{"tag":"\ud800"}`,
		`{"tag":"a\u0000b"}`, `{"tag":"😀"}`, `{"published_from":"2026-02-30"}`, `{"limit":5,"limit":6}`,
	} {
		add("tools/call", toolCall("list_entries", arguments))
	}
	add("tools/call", `"name":"list_entries"`)
	add("tools/call", `"name":"list_categories","arguments":{}`)
	add("tools/call", `"name":"list_categories","arguments":{"x":1}`)
	for _, arguments := range []string{`{}`, `{"category":"iot"}`, `{"category":"x"}`} {
		add("tools/call", toolCall("list_categories", arguments))
	}
	for _, it := range s.entryIDs() {
		add("tools/call", toolCall("fetch", `{"ids":["`+it+`"]}`))
		add("resources/read", `"uri":"library://entry/`+it+`"`)
	}
	ids := `{"ids":["` + strings.Join(s.entryIDs()[:20], `","`) + `"]}`
	for _, arguments := range []string{ids, `{"ids":["x402"]}`, `{"ids":["X Y"]}`, `{"ids":[]}`, `{}`, `{"ids":[1]}`} {
		add("tools/call", toolCall("fetch", arguments))
	}
	for _, arguments := range []string{`{}`, `{"protocols":["l402"]}`, `{"protocols":["l402","x402","mpp","acp","ucp","ap2","nwc","bip21","bolt12"]}`, `{"fields":["http_headers"]}`, `{"protocols":["nope"]}`, `{"match":"usdc","evidence":true}`} {
		add("tools/call", toolCall("get_protocol_facts", arguments))
	}
	for _, arguments := range []string{`{}`, `{"since":"2026-11-21"}`, `{"until":"2026-11-21","limit":50}`, `{"since":"2026-11-01","until":"2026-11-21","kind":["library","article"]}`,
		`{"since":"2027-01-01"}`, `{"record":"x402"}`, `{"since":"2020-01-01","change":["reading"],"limit":50}`} {
		add("tools/call", toolCall("list_changes", arguments))
	}
	for _, arguments := range []string{`{"query":"which sources on BOLT 12?"}`, `{"query":"zqxjkv"}`, `{"query":""}`, `{}`, `{"query":"\ud800"}`} {
		add("tools/call", toolCall("search", arguments))
	}
	for _, arguments := range []string{`{"id":"protocol:x402#networks"}`, `{"id":"trust","max_tokens":200}`, `{"id":"no-such"}`, `{"id":"dataset:library#rows","max_tokens":8000}`, `{}`} {
		add("tools/call", toolCall("fetch", arguments))
	}
	for _, uri := range []string{"library://categories", "library://categories.md", "library://protocol-facts", "library://protocol-facts.md", "library://support",
		"library://changes/latest", "library://changes/2026-11-21", "library://category/payments", "library://category/iot.md", "library://tag/lightning.md", "library://article/reading-a-bolt12-offer.md", "library://trust", "library://trust.md",
		"library://protocol/l402", "library://protocol/l402.md", "library://entry/mcp-go-sdk.md", "library://changes/latest.md", "library://changes/2026-11-01", "dataset://card/library", "dataset://card/library.md"} {
		add("resources/read", `"uri":`+quoted(uri))
	}
	return bodies
}

// entryIDs gives the ids of the library.
func (s *Server) entryIDs() []string {
	return catalog.Convert(real().Catalog.Entries(), func(e *catalog.Entry) string { return e.ID })
}

// viaSDK answers a request by the SDK alone: without the answers that are remembered, and without the checks before the SDK.
func viaSDK(s *Server, r *http.Request, body []byte) reply {
	return send(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		res := &response{ResponseWriter: w}
		s.engine.serve(res, r, &turn{request: r.Context()}, rpc.Message{Text: body})
		res.send()
	}), r)
}

// TestRememberedAnswersEqualSDK: an answer is the SDK's, the first time and again, and under the id of each request.
func TestRememberedAnswersEqualSDK(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	s := serverOver(t, Options{})
	for _, modern := range []bool{false, true} {
		bodies := handshake(modern)
		for _, c := range corpus(s) {
			method, params, _ := strings.Cut(c, " ")
			bodies = append(bodies, body(modern, method, params))
		}
		for _, b := range bodies {
			want := viaSDK(s, request(modern, b), []byte(b))
			for _, id := range []string{"1", `"x"`} {
				rep := send(s, request(modern, strings.Replace(b, `"id":1`, `"id":`+id, 1)))
				if rep.Status != want.Status || want.Result != nil && !equalJSON(rep.Result, want.Result) || want.Result != nil && string(rep.ID) != id {
					t.Fatalf("%s\nanswered %d %.300s\nSDK:     %d %.300s", b, rep.Status, rep.Body, want.Status, want.Body)
				}
				for _, name := range []string{"Content-Type", "Cache-Control"} {
					if got, sdk := rep.Header.Get(name), want.Header.Get(name); got != sdk {
						t.Errorf("%s: %s is %q and %q", b, name, got, sdk)
					}
				}
			}
			if strings.Contains(b, "tools/call") && len(want.Body) > 80<<10 {
				t.Errorf("%s: the answer has %d bytes", b, len(want.Body))
			}
		}
	}
}

// TestMetaOfClients: members that a client adds to _meta do not change an answer that is remembered; those of the protocol do.
func TestMetaOfClients(t *testing.T) {
	key := func(params string) string {
		return answerKey("2026-11-23", http.Header{}, rpc.Message{ID: []byte("1"), Method: "tools/call", Params: []byte("{" + params + "}")})
	}
	plain := key(toolCall("list_categories", "{}"))
	if plain == "" || key(toolCall("list_categories", "{}")+`,"_meta":{"progressToken":7,"client/use":"x"}`) != plain {
		t.Error("a progress token makes it another request")
	}
	for _, other := range []string{toolCall("list_categories", `{"category":"iot"}`), toolCall("list_categories", "{}") + `,"_meta":{"io.modelcontextprotocol/logLevel":"info"}`} {
		if key(other) == plain {
			t.Errorf("%s is taken for a call without arguments", other)
		}
	}
}

// handshake are the requests without a choice of the client's, as clients send them.
func handshake(modern bool) (bodies []string) {
	methods := []string{"tools/list", "prompts/list", "resources/list", "resources/templates/list", "server/discover"}
	if !modern {
		methods[4] = "ping"
		bodies = append(bodies, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		for _, version := range []string{"2025-11-25", "2025-06-18", "2024-11-05", "1999-01-01"} {
			bodies = append(bodies, body(false, "initialize", `"protocolVersion":"`+version+`","capabilities":{},"clientInfo":{"name":"x","version":"1"}`))
		}
	}
	for _, method := range methods {
		bodies = append(bodies, body(modern, method, ""))
	}
	return bodies
}

// TestFloodOfRequests: clients that all differ fill no memory, and do not displace the answers to requests that are repeated.
func TestFloodOfRequests(t *testing.T) {
	s := New(real().Catalog, real().Index, real().mirror, Options{Now: clock})
	ask := func(id string) {
		s.answer(&response{ResponseWriter: httptest.NewRecorder()}, httptest.NewRequest("POST", "/mcp", nil), &turn{request: context.Background()},
			[]byte(body(false, "tools/call", toolCall("fetch", `{"ids":["`+id+`"]}`))), new(Call))
	}
	for i := range 3 * maxAnswers {
		ask("mqtt-5")
		ask(fmt.Sprint("none-", i))
	}
	key := answerKey(catalog.DateOf(clock()), nil, rpc.Message{ID: []byte("1"), Method: "tools/call",
		Params: []byte(`{` + toolCall("fetch", `{"ids":["mqtt-5"]}`) + `}`)})
	if _, ok := s.answers.Get(key); !ok || s.answers.Len() > maxAnswers {
		t.Errorf("the repeated answer is remembered: %t, of %d", ok, s.answers.Len())
	}
}

// TestPrivateAnswers: an answer to arguments that may have secrets is not remembered, nor are the arguments.
func TestPrivateAnswers(t *testing.T) {
	s := serverOver(t, Options{})
	for range 3 {
		callTool(t, s, false, "explain_402", `{"text":"hello"}`)
	}
	if s.answers.Len() != 0 {
		t.Errorf("remembered: %q", s.answers.Keys())
	}
	if callTool(t, s, false, "list_categories", `{}`); s.answers.Len() != 1 {
		t.Error("the answer to a request without secrets is not remembered")
	}
}

// FuzzEndpointAgreesWithSDK sends any bytes to the endpoint, twice, and to the SDK alone. A result is the SDK's result;
// where the SDK has one and the endpoint has not, the body is one of those that the endpoint refuses on purpose; and a
// message without an id is never answered with a JSON-RPC error under status 200. No answer is a 5xx, or has a word of
// how the server is built.
func FuzzEndpointAgreesWithSDK(f *testing.F) {
	s := serverOver(f, Options{Log: slog.New(slog.DiscardHandler)}) // a target must not log with f
	for i, c := range corpus(s) {
		if i%7 == 0 {
			method, params, _ := strings.Cut(c, " ")
			f.Add([]byte(body(i%2 == 0, method, params)), i%2 == 0)
		}
	}
	for _, modern := range []bool{false, true} {
		for _, b := range handshake(modern) {
			f.Add([]byte(b), modern)
		}
		for _, c := range badMessages {
			f.Add([]byte(c.body), modern)
		}
		for _, b := range []string{
			`{"jsonrpc":"2.0","id":"\u0061","method":"tools/call","params":{"name":"list_categories","arguments":{},"_meta":{"progressToken":1}}}`,
			` {"id":-5 , "params":{"_meta":null,"uri":"library://support"},"method":"resources/read","jsonrpc":"2.0"} `,
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_categories","name":"list_entries"}}`,
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_categories","task":{}}}`,
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"Name":5,"name":"list_categories"}}`,
			`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":null}`,
			`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"Cursor":"x"}}`,
			`{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}`,
			`{"jsonrpc":"2.0","method":"notifications/initialized","params":[]}`,
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}`,
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_categories","_meta":{"a":1,"a":2}}}`,
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_categories","more":"` + strings.Repeat("x", 5<<10) + `"}}`,
			`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"library://` + strings.Repeat("x", 3<<10) + `"}}`,
		} {
			f.Add([]byte(b), modern)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte, modern bool) {
		if trimmed := bytes.TrimSpace(b); len(trimmed) > 0 && trimmed[0] == '[' {
			return // the SDK would work through a batch
		}
		text := b // without what clients write by mistake
		if m, _ := rpc.Read(b, ""); m[0].Fault == nil {
			text = m[0].Text
		}
		ours, again, sdk := send(s, request(modern, string(b))), send(s, request(modern, string(b))), viaSDK(s, request(modern, string(text)), text)
		if ours.Status != again.Status || !bytes.Equal(ours.Body, again.Body) && !equalJSON(ours.Body, again.Body) {
			t.Fatalf("first %d %s\nthen  %d %s", ours.Status, ours.Body, again.Status, again.Body)
		}
		switch {
		case ours.Status >= 500 || leaks(ours.Body) != "":
			t.Fatalf("answered %d, with %q: %s", ours.Status, leaks(ours.Body), ours.Body)
		case ours.Result != nil:
			if ours.Status != sdk.Status || !equalJSON(ours.Body, sdk.Body) {
				t.Fatalf("endpoint: %d %s\nSDK:      %d %s", ours.Status, ours.Body, sdk.Status, sdk.Body)
			}
		case sdk.Result != nil && !refusedOnPurpose(b):
			t.Fatalf("endpoint: %d %s\nSDK:      %d %.300s", ours.Status, ours.Body, sdk.Status, sdk.Body)
		case ours.Error != nil && ours.ID == nil && ours.Status < 400:
			t.Fatalf("answered %d %s", ours.Status, ours.Body)
		}
	})
}

// refusedOnPurpose reports whether the endpoint is stricter than the SDK with a body: about what
// other parsers would read differently.
func refusedOnPurpose(b []byte) bool {
	if !utf8.Valid(b) || !json.Valid(b) || bytes.Contains(b, []byte(strings.Repeat("[", 100))) {
		return true
	}
	var m, params map[string]json.RawMessage
	if json.Unmarshal(b, &m) != nil || m["method"] != nil && (m["result"] != nil || m["error"] != nil) {
		return true
	}
	_ = json.Unmarshal(m["params"], &params)
	for name, value := range params {
		about := name == "_meta" || name == "clientInfo" || name == "capabilities" || name == "arguments"
		if len(value) > 4<<10 && !about || len(value) > 2<<10 && (name == "uri" || name == "name") {
			return true
		}
	}
	for _, object := range []json.RawMessage{b, m["params"], params["_meta"]} {
		var members map[string]json.RawMessage
		if namesTwice(object) || json.Unmarshal(object, &members) == nil && len(members) > 100 {
			return true
		}
	}
	messages, _ := rpc.Read([]byte(`{"jsonrpc":"2.0","method":"ping","id":`+string(m["id"])+`}`), "")
	return messages[0].Fault != nil
}

// namesTwice reports whether an object has a name twice.
func namesTwice(object []byte) bool {
	d := json.NewDecoder(bytes.NewReader(object))
	if first, err := d.Token(); err != nil || first != json.Delim('{') {
		return false
	}
	seen := make(map[string]bool)
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return false
		}
		s, ok := name.(string)
		if !ok || seen[s] {
			return ok
		}
		seen[s] = true
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return false
		}
	}
	return false
}

// leaks returns what an answer tells of how the server is built.
func leaks(body []byte) string {
	for _, word := range []string{"jsonrpc2.", "mcp.", "*mcp", "json:", "unmarshal", "Go value", "goroutine", "127.0.0.1:", "go-sdk@"} {
		if bytes.Contains(body, []byte(word)) && !bytes.Contains(body, []byte(`"result"`)) {
			return word
		}
	}
	return ""
}
