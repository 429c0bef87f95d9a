package mcpserver

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
)

// corpus are clean calls: what the fast path is for.
func corpus(s *Server) (bodies []string) {
	add := func(method, params string) { bodies = append(bodies, method+" "+params) }
	for _, arguments := range []string{
		`{}`, `{"limit":1}`, `{"limit":50}`, `{"limit":1e1}`, `{"detail":"full","limit":50}`, `{"fields":["title","id"],"limit":50}`,
		`{"category":"payments"}`, `{"category":"payments","type":"spec","tag":"standards"}`, `{"tag":"lightning"}`,
		`{"published_from":"2025-01-01"}`, `{"published_to":"2020-01-01"}`, `{"published_from":"1990-01-01","published_to":"1990-01-02"}`,
		`{"category":null}`, `{"category":"lightning"}`, `{"tag":"zz"}`, `{"limit":0}`, `{"limit":51}`, `{"limit":"5"}`, `{"limit":5.5}`,
		`{"Limit":5}`, `{"cursor":"x"}`, `{"cursor":""}`, `{"fields":[]}`, `{"fields":["nope"]}`, `[]`, `"x"`, `null`, `{"tag":"\ud800"}`,
		`{"tag":"a\u0000b"}`, `{"tag":"😀"}`, `{"published_from":"2026-02-30"}`, `{"limit":5,"limit":6}`,
	} {
		add("tools/call", toolCall("list_entries", arguments))
	}
	add("tools/call", `"name":"list_entries"`)
	add("tools/call", `"name":"list_categories","arguments":{}`)
	add("tools/call", `"name":"list_categories","arguments":{"x":1}`)
	for _, arguments := range []string{`{}`, `{"category":"iot"}`, `{"category":"x"}`} {
		add("tools/call", toolCall("list_tags", arguments))
	}
	for _, it := range s.entryIDs() {
		add("tools/call", toolCall("get_entry", `{"ids":["`+it+`"]}`))
		add("resources/read", `"uri":"library://entry/`+it+`"`)
	}
	ids := `{"ids":["` + strings.Join(s.entryIDs()[:20], `","`) + `"]}`
	for _, arguments := range []string{ids, `{"ids":["x402"]}`, `{"ids":["X Y"]}`, `{"ids":[]}`, `{}`, `{"ids":[1]}`} {
		add("tools/call", toolCall("get_entry", arguments))
	}
	for _, arguments := range []string{`{}`, `{"protocols":["l402"]}`, `{"protocols":["l402","x402","mpp","acp","ucp","ap2","nwc","bip21","bolt12"]}`, `{"fields":["http_headers"]}`, `{"protocols":["nope"]}`} {
		add("tools/call", toolCall("get_protocol_facts", arguments))
	}
	for _, arguments := range []string{`{}`, `{"date":"2026-11-21"}`, `{"date":"2026-11-20","limit":50}`, `{"from":"2026-11-01","to":"2026-11-21","kind":["library","article"]}`, `{"from":"2026-11-01"}`, `{"date":"2027-01-01"}`} {
		add("tools/call", toolCall("list_changes", arguments))
	}
	for _, arguments := range []string{`{}`, `{"types":["evm-stablecoin"]}`} {
		add("tools/call", toolCall("get_support_methods", arguments))
	}
	for _, uri := range []string{"library://categories", "library://categories.md", "library://protocol-facts", "library://protocol-facts.md", "library://support",
		"library://changes/latest", "library://changes/2026-11-21", "library://category/payments", "library://category/payments?limit=3", "library://category/iot.md",
		"library://protocol/l402", "library://protocol/l402.md", "library://entry/mcp-go-sdk.md", "library://category/iot?cursor=&limit=3", "library://category/iot?limit=3&cursor=", "library://category/iot?", "library://category/iot?limit=03", "library://changes/latest.md", "dataset://card/library", "dataset://card/library.md"} {
		add("resources/read", `"uri":`+quoted(uri))
	}
	return bodies
}

// entryIDs gives the ids of the library.
func (s *Server) entryIDs() []string { return s.tools.IDs() }

// viaSDK answers a request without the fast path.
func viaSDK(s *Server, r *http.Request, body []byte) reply {
	return send(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m, err := parse(body)
		if err != nil {
			panic(err)
		}
		s.slow(w, r, m, body)
	}), r)
}

func TestFastPathEqualsSDK(t *testing.T) {
	s := serverOver(t, Options{})
	for _, modern := range []bool{false, true} {
		taken := 0
		for _, c := range corpus(s) {
			method, params, _ := strings.Cut(c, " ")
			b := body(modern, method, params)
			fast, slow := send(s, request(modern, b)), viaSDK(s, request(modern, b), []byte(b))
			if fast.Status != slow.Status || !equalJSON(fast.Body, slow.Body) {
				t.Fatalf("%s\nfast path: %d %s\nSDK:       %d %s", b, fast.Status, fast.Body, slow.Status, slow.Body)
			}
			for _, name := range []string{"Content-Type", "Cache-Control"} {
				if f, s := fast.Header.Get(name), slow.Header.Get(name); f != s {
					t.Errorf("%s: %s is %q and %q", b, name, f, s)
				}
			}
			if fast.Header.Get("Content-Length") != "" && fast.Error == nil {
				taken++
			}
			if len(fast.Body) > 40<<10 {
				t.Errorf("%s: the answer has %d bytes", b, len(fast.Body))
			}
		}
		if all := len(corpus(s)); taken < all-2 {
			t.Errorf("the fast path took %d of %d clean calls", taken, all)
		}
	}
}

// FuzzFastPath gives both ways the same message: made-up params, headers and ids. What the guard
// lets pass must be answered alike.
func FuzzFastPath(f *testing.F) {
	s := serverOver(f, Options{})
	for i, c := range corpus(s) {
		if i%7 == 0 {
			method, params, _ := strings.Cut(c, " ")
			f.Add([]byte(body(i%2 == 0, method, params)), i%2 == 0)
		}
	}
	f.Add([]byte(`{"jsonrpc":"2.0","id":"\u0061","method":"tools/call","params":{"name":"list_tags","arguments":{},"_meta":{"progressToken":1}}}`), false)
	f.Add([]byte(` {"id":-5 , "params":{"_meta":null,"uri":"library://support"},"method":"resources/read","jsonrpc":"2.0"} `), false)
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_tags","name":"list_entries"}}`), false)
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_tags","task":{}}}`), false)
	f.Fuzz(func(t *testing.T, b []byte, modern bool) {
		m, err := parse(b)
		if err != nil || m.id == nil || m.method != "tools/call" && m.method != "resources/read" {
			return
		}
		if checkMessage(request(modern, string(b)).Header, m) != nil {
			return
		}
		fast, slow := send(s, request(modern, string(b))), viaSDK(s, request(modern, string(b)), b)
		if fast.Status != slow.Status || !equalJSON(fast.Body, slow.Body) {
			t.Fatalf("fast path: %d %s\nSDK:       %d %s", fast.Status, fast.Body, slow.Status, slow.Body)
		}
	})
}

// FuzzGuard holds the endpoint to its answers for any body: no 5xx, no panic, JSON or nothing, and
// never a word of how it is built.
func FuzzGuard(f *testing.F) {
	s := serverOver(f, Options{})
	for _, c := range badMessages {
		f.Add([]byte(c.body))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, modern := range []bool{false, true} {
			rep := send(s, request(modern, string(b)))
			if rep.Status >= 500 {
				t.Fatalf("status %d: %s", rep.Status, rep.Body)
			}
			if leak := leaks(rep.Body); leak != "" {
				t.Fatalf("the answer tells %q: %s", leak, rep.Body)
			}
		}
	})
}

// leaks gives what an answer tells of how the server is built.
func leaks(body []byte) string {
	for _, word := range []string{"jsonrpc2.", "mcp.", "*mcp", "json:", "unmarshal", "Go value", "goroutine", "127.0.0.1:", "go-sdk@"} {
		if bytes.Contains(body, []byte(word)) && !bytes.Contains(body, []byte(`"result"`)) {
			return word
		}
	}
	return ""
}
