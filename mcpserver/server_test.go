package mcpserver

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/load"
	"go.almanac.example/fixtures"
	"go.almanac.example/http402/explain"
	"go.almanac.example/httpmirror"
	"go.almanac.example/index"
)

// callTimeout bounds a call on a machine with other work.
const callTimeout = 2 * time.Minute

// now is the clock of the tests: a day on which the fixtures lie in the past.
var now = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func clock() time.Time { return now }

type data struct {
	*catalog.Catalog
	*index.Index
	mirror *httpmirror.Mirror
	err    error
}

// read loads a catalog and indexes it.
func read(fsys fs.FS) (d data) {
	d.Catalog, d.err = load.Load(fsys, catalog.Options{Site: catalog.DefaultSite, GeneratedAt: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)})
	if d.err == nil {
		d.Index, d.err = index.New(d.Catalog, index.Options{Timeout: callTimeout})
	}
	if d.err == nil {
		d.mirror, d.err = httpmirror.Build(d.Catalog, httpmirror.Options{})
	}
	return d
}

// real is the real data, which nothing changes.
var real = sync.OnceValue(func() data { return read(fixtures.FS) })

// realData returns the real catalog and its index.
func realData(t testing.TB) (*catalog.Catalog, *index.Index) {
	t.Helper()
	d := real()
	if d.err != nil {
		t.Fatal(d.err)
	}
	return d.Catalog, d.Index
}

// serverOver makes an endpoint over the real data.
func serverOver(t testing.TB, o Options) *Server {
	t.Helper()
	c, x := realData(t)
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(testWriter{t}, &slog.HandlerOptions{Level: slog.LevelWarn}))
	}
	if o.Now == nil {
		o.Now = clock
	}
	if o.Deadline == 0 {
		o.Deadline = callTimeout
	}
	o.Version, o.Explain = "1.2.3", explainText
	s := New(c, x, real().mirror, o)
	return s
}

// explainText reads texts at the time of the tests.
func explainText(text string) explain.Reading { return explain.Read(text, clock(), nil, nil) }

type testWriter struct{ t testing.TB }

func (w testWriter) Write(b []byte) (int, error) {
	w.t.Log(strings.TrimSuffix(string(b), "\n"))
	return len(b), nil
}

// modernMetaJSON is the _meta that a request of the 2026 era carries.
const modernMetaJSON = `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

// request makes a POST as a client of an era sends it.
func request(modern bool, body string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "http://localhost:8402/mcp", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if !modern {
		r.Header.Set("MCP-Protocol-Version", "2025-11-25")
		return r
	}
	r.Header.Set("MCP-Protocol-Version", "2026-07-28")
	var m struct {
		Method string `json:"method"`
		Params struct {
			Name string `json:"name"`
			URI  string `json:"uri"`
		} `json:"params"`
	}
	_ = json.Unmarshal([]byte(body), &m) // bad bodies have no name
	r.Header.Set("Mcp-Method", m.Method)
	if name := m.Params.Name + m.Params.URI; name != "" {
		r.Header.Set("Mcp-Name", name)
	}
	return r
}

// message makes the body of a request of an era. params are the members of its params, without
// braces.
func body(modern bool, method, params string) string {
	if modern {
		if params != "" {
			params += ","
		}
		params += `"_meta":` + modernMetaJSON
	}
	return `{"jsonrpc":"2.0","id":1,"method":` + quoted(method) + `,"params":{` + params + `}}`
}

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

func toolCall(name, arguments string) string {
	return `"name":` + quoted(name) + `,"arguments":` + arguments
}

// reply is an answer, taken apart.
type reply struct {
	Status int
	Header http.Header
	Body   []byte
	ID     json.RawMessage
	Result json.RawMessage
	Error  *struct {
		Code    int64           `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	}
}

func send(h http.Handler, r *http.Request) reply {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	rep := reply{Status: w.Code, Header: w.Header(), Body: w.Body.Bytes()}
	_ = json.Unmarshal(rep.Body, &rep) // an answer without a body has no parts
	return rep
}

// result of tools/call.
type toolResult struct {
	Content []struct {
		Type, Text string
	} `json:"content"`
	Structured json.RawMessage `json:"structuredContent"`
	IsError    bool            `json:"isError"`
	Meta       json.RawMessage `json:"_meta"`
}

func callTool(t testing.TB, h http.Handler, modern bool, name, arguments string) toolResult {
	t.Helper()
	rep := send(h, request(modern, body(modern, "tools/call", toolCall(name, arguments))))
	var r toolResult
	if rep.Error != nil || json.Unmarshal(rep.Result, &r) != nil || len(r.Content) == 0 {
		t.Fatalf("%s(%s): status %d, body %s", name, arguments, rep.Status, rep.Body)
	}
	if text := r.Content[0].Text; r.Structured == nil && !r.IsError && json.Valid([]byte(text)) {
		r.Structured = json.RawMessage(text)
	}
	return r
}

// equalJSON tells whether two documents are the same value, numbers compared as written.
func equalJSON(a, b []byte) bool {
	da, db := json.NewDecoder(bytes.NewReader(a)), json.NewDecoder(bytes.NewReader(b))
	da.UseNumber()
	db.UseNumber()
	var va, vb any
	if da.Decode(&va) != nil || db.Decode(&vb) != nil {
		return false
	}
	ea, _ := json.Marshal(va)
	eb, _ := json.Marshal(vb)
	return bytes.Equal(ea, eb)
}

// listen serves h on a loopback port.
func listen(t testing.TB, h http.Handler) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle(catalog.MCPPath, h)
	ts := httptest.NewServer(mux)
	t.Cleanup(ts.Close)
	return ts.URL + catalog.MCPPath
}
