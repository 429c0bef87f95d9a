package server

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"go.almanac.example/catalog"
	"go.almanac.example/http402/client/clienttest"
	"go.almanac.example/http402/explain"
	"go.almanac.example/internal/peer"
	"go.almanac.example/internal/problem"
	"go.almanac.example/mcpserver"
	"go.almanac.example/server/servertest"
)

// explainConfig is the configuration of a service that explains payments.
func explainConfig(t *testing.T) Config {
	cfg := testConfig(t)
	cfg.Explain = func(text string) explain.Reading { return explain.Read(text, time.Now(), nil, nil) }
	return cfg
}

// TestExplainSchema: the OpenAPI description names every member of a reading.
func TestExplainSchema(t *testing.T) {
	s := newService(t, explainConfig(t))
	_, body := s.Do("GET", "/openapi.json", "")
	var doc struct {
		Paths map[string]struct {
			Post struct {
				Responses map[string]struct {
					Content map[string]struct{ Schema map[string]any }
				}
			}
		}
	}
	if err := json.Unmarshal(body, &doc); err != nil {
		t.Fatal(err)
	}
	compareMembers(t, "reading", reflect.TypeFor[explain.Reading](), doc.Paths["/v1/explain"].Post.Responses["200"].Content["application/json"].Schema)
}

// compareMembers compares the members of a type in JSON with those of a schema.
func compareMembers(t *testing.T, name string, of reflect.Type, schema map[string]any) {
	t.Helper()
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		if of.Kind() == reflect.Slice {
			schema, _ = schema["items"].(map[string]any)
		}
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct {
		return
	}
	properties, _ := schema["properties"].(map[string]any)
	count := 0
	for _, f := range reflect.VisibleFields(of) {
		member, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || !f.IsExported() || member == "" || member == "-" {
			continue
		}
		count++
		if of, ok := properties[member].(map[string]any); ok {
			compareMembers(t, name+"."+member, f.Type, of)
		} else {
			t.Errorf("%s.%s is not in the description", name, member)
		}
	}
	if count != len(properties) {
		t.Errorf("%s has %d members, and the description %d", name, count, len(properties))
	}
}

// TestExplainEndpoint: a text is answered with its meaning, also one that is nothing known; one that is too long, and any
// method but POST, with a problem. The answer is not stored, and pages of other sites may ask for it.
func TestExplainEndpoint(t *testing.T) {
	s := newService(t, explainConfig(t))
	for _, test := range []struct {
		method, text string
		status       int
		kind         string
		code         problem.Code
	}{
		{"POST", "X-PAYMENT-RESPONSE: eyJzdWNjZXNzIjp0cnVlLCJ0cmFuc2FjdGlvbiI6IjB4YWIiLCJuZXR3b3JrIjoiYmFzZSJ9", 200, "receipt", ""},
		{"POST", "hello", 200, "none", ""},
		{"POST", "", 200, "none", ""},
		{"POST", "\xff\xfe{\"", 200, "none", ""},
		{"POST", strings.Repeat("x", explain.MaxInput), 200, "none", ""},
		{"POST", strings.Repeat("x", explain.MaxInput+1), 413, "", problem.BodyTooLarge},
		{"GET", "", 405, "", problem.MethodNotAllowed},
		{"PUT", "hello", 405, "", problem.MethodNotAllowed},
	} {
		res, body := s.Do(test.method, "/v1/explain", test.text)
		var got struct {
			Kind string
			Code problem.Code
		}
		if err := json.Unmarshal(body, &got); err != nil || res.StatusCode != test.status || got.Kind != test.kind || got.Code != test.code {
			t.Errorf("%s %.20q: %d %s %v", test.method, test.text, res.StatusCode, body, err)
		}
		if h := res.Header; h.Get("Cache-Control") != "no-store" || h.Get("Access-Control-Allow-Origin") != "*" || (test.status == 405) != (h.Get("Allow") == "POST, OPTIONS") {
			t.Errorf("%s %.20q: %v", test.method, test.text, h)
		}
	}
	if res, _ := s.Do("OPTIONS", "/v1/explain", ""); res.StatusCode != http.StatusNoContent || res.Header.Get("Access-Control-Allow-Methods") != "POST, OPTIONS" {
		t.Errorf("OPTIONS: %d %v", res.StatusCode, res.Header)
	}
}

// TestExplainTakesTurns: a network that has its share of the work at one time is told to wait, over both addresses, and others
// are answered; somebody who sent the form of the page is told on a page.
func TestExplainTakesTurns(t *testing.T) {
	cfg := explainConfig(t)
	s, client := runService(t, cfg)
	client.Do("GET", "/explain/", "") // when the data are there
	p := publisher{cfg: &cfg, calls: mcpserver.NewAdmission(4, time.Millisecond), problems: problem.Writer{Log: cfg.Log}}
	from := func(addr string) context.Context { return peer.NewContext(t.Context(), netip.MustParseAddr(addr)) }
	for range 2 {
		p.calls.Enter(from("192.0.2.1"))
	}
	for addr, status := range map[string]int{"192.0.2.9": http.StatusServiceUnavailable, "198.51.100.1": http.StatusOK} {
		w := httptest.NewRecorder()
		p.explain(w, httptest.NewRequestWithContext(from(addr), http.MethodPost, "/v1/explain", strings.NewReader("hello")))
		if w.Code != status {
			t.Errorf("%s: %d, want %d: %s", addr, w.Code, status, w.Body)
		}
	}
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(from("192.0.2.9"), http.MethodPost, "/explain/", strings.NewReader("text=hello"))
	r.Header.Set("Accept", "text/html,*/*;q=0.8")
	p.explainPage(s.publisher.current.p.Load().mirror)(w, r)
	if kind := w.Header().Get("Content-Type"); w.Code != http.StatusServiceUnavailable || !strings.HasPrefix(kind, "text/html") || w.Header().Get("Retry-After") == "" {
		t.Errorf("the page: %d %s %v", w.Code, kind, w.Header())
	}
}

// TestExplainKeepsNoSecret: neither the answers of any form to texts with secrets, nor the log, have a part of a secret.
func TestExplainKeepsNoSecret(t *testing.T) {
	var log lockedBuffer
	cfg := explainConfig(t)
	cfg.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	s := newService(t, cfg)
	pasted := clienttest.NewPasted(t)
	for _, text := range pasted.Texts {
		_, answer := s.Do("POST", "/v1/explain", text)
		arguments, _ := json.Marshal(map[string]string{"text": text})
		tool := string(s.RPC("tools/call", json.RawMessage(`{"name":"explain_402","arguments":`+string(arguments)+`}`)))
		again := string(s.RPC("tools/call", json.RawMessage(`{"name":"explain_402","arguments":{"text":7,"more":`+strings.TrimPrefix(string(arguments), `{"text":`)+`}`)))
		page := postForm(t, s.URL+"/explain/", text)
		for form, answer := range map[string]string{"endpoint": string(answer), "tool": tool, "tool, wrongly called": again, "page": page} {
			if part := pasted.Shown(answer); answer == "" || part != "" {
				t.Errorf("%s: %.80q: %q in %s", form, text, part, answer)
			}
		}
	}
	servertest.WaitUntil(t, "the calls are logged", func() bool { return len(log.lines("path=/v1/explain")) == len(pasted.Texts) })
	for _, line := range log.lines("") {
		if part := pasted.Shown(line); part != "" {
			t.Errorf("logged: %q in %s", part, line)
		}
	}
}

// postForm returns the page with which the form of an address answers to a text.
func postForm(t *testing.T, address, text string) string {
	t.Helper()
	res, err := http.PostForm(address, url.Values{"text": {text}})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.Header.Get("Cache-Control") != "no-store" && res.StatusCode == http.StatusOK {
		t.Errorf("%v, %v", err, res.Header)
	}
	return string(body)
}

// TestExplainPage: the form answers with the reading and without the text, whatever the ends of its lines; an answer to a
// text that is too long is a problem, and other methods get the page without a reading.
func TestExplainPage(t *testing.T) {
	s := newService(t, explainConfig(t))
	receipt := "HTTP/1.1 200 OK\r\nX-PAYMENT-RESPONSE: eyJzdWNjZXNzIjp0cnVlLCJ0cmFuc2FjdGlvbiI6IjB4YWIiLCJuZXR3b3JrIjoiYmFzZSJ9\r\n\r\n"
	page := postForm(t, s.URL+"/explain/", receipt)
	if !strings.Contains(page, "A receipt of x402") || strings.Contains(page, "eyJzdWNj") || !strings.Contains(page, "noindex") {
		t.Errorf("%s", page)
	}
	if page := postForm(t, s.URL+"/explain/", "hello"); !strings.Contains(page, "Nothing known") {
		t.Errorf("%s", page)
	}
	// The verdict heads the page of offers that expired; each fault stands once, and the time in one row.
	offer := `WWW-Authenticate: Payment id="a", realm="r", method="tempo", intent="charge", request="eyJhbW91bnQiOiIxIn0", expires="2020-01-01T00:00:00Z"`
	page = postForm(t, s.URL+"/explain/", "HTTP/1.1 402 Payment Required\n"+offer+"\n"+strings.Replace(offer, `"a"`, `"b"`, 1)+"\n\n")
	if !strings.Contains(page, "<h1>Do not pay</h1>") || strings.Count(page, "has no recipient") != 1+2 || strings.Count(page, "1 January 2020") != 1 { // two in the JSON
		t.Errorf("two offers that expired: %s", page)
	}
	if page := postForm(t, s.URL+"/explain/", strings.Repeat("%", 2*explain.MaxInput)); !strings.Contains(page, string(problem.BodyTooLarge)) {
		t.Errorf("too long: %.300s", page)
	}
	res, err := http.Post(s.URL+"/explain/", "application/x-www-form-urlencoded", strings.NewReader("text=%zz"))
	if err != nil {
		t.Fatal(err)
	}
	if res.Body.Close(); res.StatusCode != http.StatusBadRequest {
		t.Errorf("a malformed form: %s, want 400", res.Status)
	}
	if catalog.MaxExplained != explain.MaxInput {
		t.Errorf("the document names a limit of %d, and the service has %d", catalog.MaxExplained, explain.MaxInput)
	}
	if res, body := s.Do("GET", "/explain/", ""); res.StatusCode != http.StatusOK || strings.Contains(string(body), "id=\"reading\"") {
		t.Errorf("GET: %d", res.StatusCode)
	}
}
