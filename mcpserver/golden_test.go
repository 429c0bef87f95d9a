package mcpserver

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the snapshots of what a model sees")

// golden compares a snapshot with its file.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got; -update writes it):\n%s", path, diff)
	}
}

func pretty(raw []byte) []byte {
	var b bytes.Buffer
	_ = json.Indent(&b, raw, "", "  ") // answers are JSON
	return append(b.Bytes(), '\n')
}

// documentSize is what changes in a list whenever a document says something otherwise; TestResourcesAreTheDocuments holds it.
var documentSize = regexp.MustCompile(`("size": )\d+`)

// ranking is what changes in an answer whenever the index weighs otherwise.
var ranking = regexp.MustCompile(`("score": |"total": |cursor\\?"?:? "|1 of )[\w.-]+`)

// TestSnapshots keeps what a model sees, over a small catalog that does not change.
func TestSnapshots(t *testing.T) {
	d := read(os.DirFS("testdata/catalog"))
	if d.err != nil {
		t.Fatal(d.err)
	}
	s := New(d.Catalog, d.Index, d.mirror, Options{Version: "1.2.3", Paid: paid(), Now: clock, Deadline: callTimeout, Explain: explainText})
	golden(t, "instructions.txt", []byte(s.o.Paid.Instructions(d.Catalog.Identity())+"\n"))
	for _, method := range []string{"server/discover", "tools/list", "resources/list", "resources/templates/list", "prompts/list"} {
		rep := send(s, request(true, body(true, method, "")))
		golden(t, strings.ReplaceAll(method, "/", "-")+".json", documentSize.ReplaceAll(pretty(rep.Result), []byte(`$1"…"`)))
	}
	for _, c := range []struct{ file, tool, arguments string }{
		{"list_categories", "list_categories", `{}`},
		{"list_entries", "list_entries", `{"limit":4}`},
		{"list_entries-long", "list_entries", `{"limit":11}`},
		{"explain_402", "explain_402", `{"text":"L402 not-a-macaroon:00"}`},
		{"list_entries-refused", "list_entries", `{"category":"lightning"}`},
		{"fetch-several", "fetch", `{"ids":["mcp-go-sdk","mcp-go-skd"],"format":"json"}`},
		{"get_protocol_facts", "get_protocol_facts", `{"protocols":["bolt12"],"fields":["payment_rail","http_headers"]}`},
		{"list_changes", "list_changes", `{"kind":["dataset","support"]}`},
		{"list_changes-none", "list_changes", `{"until":"2026-11-01"}`},
		{"search", "search", `{"query":"dns payment instructions"}`},
		{"fetch", "fetch", `{"id":"protocol:bolt12#networks"}`},
		{"search_passages-unpaid", "search_passages", `{"query":"bitcoin payment instructions"}`},
		{"search_passages", "search_passages", `{"query":"bip-353-dns-payment-instructions","limit":1,"l402":"` + credential + `"}`},
	} {
		r := callTool(t, s, true, c.tool, c.arguments)
		out := c.tool + " " + c.arguments + "\n\n"
		if text := r.Content[0].Text; string(r.Structured) != text {
			out += text + "\n\n"
		}
		if r.Structured != nil {
			out += string(pretty(r.Structured))
		}
		if c.tool == "search_passages" {
			out = ranking.ReplaceAllString(out, "$1…")
		}
		golden(t, c.file+".txt", []byte(strings.TrimRight(out, "\n")+"\n"))
	}
}

// TestSizes: tools take at most 10,000 bytes of the list together, the instructions 900, and they list what a model can
// read at once; no resource is longer than its description says.
func TestSizes(t *testing.T) {
	s := serverOver(t, Options{Paid: paid()})
	list := send(s, request(true, body(true, "tools/list", "")))
	if n, tools := len(list.Body), bytes.Count(list.Body, []byte(`"inputSchema"`)); n > 10_000 {
		t.Errorf("tools/list has %d bytes for %d tools; shorten descriptions", n, tools)
	} else {
		t.Logf("tools/list: %d bytes", n)
	}
	if n := len(s.o.Paid.Instructions(real().Catalog.Identity())); n > 900 {
		t.Errorf("the instructions have %d characters", n)
	}
	if n := len(send(s, request(false, body(false, "tools/call", toolCall("list_entries", "{}")))).Body); n > 8<<10 {
		t.Errorf("a page of list_entries has %d bytes", n)
	} else {
		t.Logf("list_entries without arguments: %d bytes", n)
	}
	worst := 0
	for _, k := range categories(t) {
		r := callTool(t, s, false, "list_entries", `{"category":"`+k+`"}`)
		worst = max(worst, len(r.Content[0].Text))
	}
	if worst > 6_000 {
		t.Errorf("the longest first page of a category has %d bytes", worst)
	}
	t.Logf("longest first page of a category: %d bytes", worst)
}

func categories(t *testing.T) (ids []string) {
	t.Helper()
	c, _ := realData(t)
	for _, k := range c.Categories() {
		ids = append(ids, k.ID)
	}
	return ids
}

// TestToolsAreDescribed holds what every tool has to say about itself, and what clients refuse.
func TestToolsAreDescribed(t *testing.T) {
	s := serverOver(t, Options{Paid: paid()})
	var list struct {
		Tools []struct {
			Name, Title, Description  string
			InputSchema, OutputSchema json.RawMessage
			Annotations               map[string]any
		}
	}
	if err := json.Unmarshal(send(s, request(true, body(true, "tools/list", ""))).Result, &list); err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		free := tool.Name != "search_passages"
		want := map[string]any{"title": tool.Title, "readOnlyHint": true, "openWorldHint": false, "idempotentHint": true}
		if !free {
			want = map[string]any{"title": tool.Title, "readOnlyHint": false, "destructiveHint": false, "openWorldHint": true, "idempotentHint": false}
		}
		if diff := cmp.Diff(want, tool.Annotations); diff != "" {
			t.Errorf("%s: annotations: %s", tool.Name, diff)
		}
		if !regexp.MustCompile(`^[a-z]+(_[a-z0-9]+)*$`).MatchString(tool.Name) || tool.Title == "" {
			t.Errorf("%s is named %q", tool.Name, tool.Title)
		}
		sentences := len(regexp.MustCompile(`[.)}] ?([A-Z{]|$)`).FindAllString(tool.Description, -1))
		if sentences < 2 || len(tool.Description) > 600 || !strings.Contains(tool.Description, "Example") {
			t.Errorf("%s: %d sentences, %d bytes: %s", tool.Name, sentences, len(tool.Description), tool.Description)
		}
		for _, schema := range []json.RawMessage{tool.InputSchema, tool.OutputSchema} {
			for _, word := range []string{"$ref", "oneOf", `"type":[`, `"format":"`} {
				if bytes.Contains(schema, []byte(word)) {
					t.Errorf("%s: a schema has %s", tool.Name, word)
				}
			}
		}
		takesNone := bytes.Contains(tool.InputSchema, []byte(`"properties":{}`)) // the others take names that are not listed
		if len(tool.InputSchema) > 1500 || takesNone != bytes.Contains(tool.InputSchema, []byte(`"additionalProperties":false`)) || bytes.Contains(tool.InputSchema, []byte("null")) {
			t.Errorf("%s: input schema %s", tool.Name, tool.InputSchema)
		}
		if tool.OutputSchema != nil {
			t.Errorf("%s: output schema %s", tool.Name, tool.OutputSchema)
		}
	}
}
