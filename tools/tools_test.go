package tools

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/catalogtest"
	"go.almanac.example/catalog/load"
	"go.almanac.example/fixtures"
	"go.almanac.example/http402/explain"
	"go.almanac.example/httpmirror"
	"go.almanac.example/index"
	"go.almanac.example/index/find"
)

// now is when the documents of the tests were generated.
var now = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// realTools are the tools over the real catalog, made once.
var realTools = sync.OnceValues(func() (*Tools, error) { return newTools(fixtures.FS) })

// over returns the tools over the real catalog, which the tests share.
func over(t testing.TB) *Tools {
	t.Helper()
	tools, err := realTools()
	if err != nil {
		t.Fatal(err)
	}
	return tools
}

// newTools makes the tools over a catalog.
func newTools(files fs.FS) (*Tools, error) {
	c, err := load.Load(files, catalog.Options{Site: catalog.DefaultSite, GeneratedAt: now})
	if err != nil {
		return nil, err
	}
	m, err := httpmirror.Build(c, httpmirror.Options{})
	if err != nil {
		return nil, err
	}
	x, err := index.New(c, index.Options{})
	if err != nil {
		return nil, err
	}
	after := c.HistoryDay().Time().AddDate(0, 0, 1) // of the newest change: whatever the data say lies in the past
	return New(c, x, m, Options{Now: func() time.Time { return after }, Paid: &Paid{Terms: catalog.DefaultTerms},
		Explain: func(text string) explain.Reading { return explain.Read(text, after, nil, nil) }}), nil
}

// TestExamplesAreGood holds that every example in a schema's messages is one that the tool takes.
func TestExamplesAreGood(t *testing.T) {
	for _, d := range over(t).byName {
		for i := range d.params {
			p := &d.params[i]
			if p.example == "" {
				t.Errorf("%s: %s has no example", d.name, p.name)
				continue
			}
			example := strings.TrimSuffix(p.call(), "}")
			for _, other := range d.params {
				if other.required && other.name != p.name {
					example += "," + strings.Trim(other.call(), "{}")
				}
			}
			if _, err := d.read(json.RawMessage(example + "}")); err != nil {
				t.Errorf("%s does not take its own example %s}: %v", d.name, example, err)
			}
		}
		_, example, ok := strings.Cut(strings.Replace(d.about, "Examples: ", "Example: ", 1), "Example: ")
		if !ok {
			t.Errorf("%s has no example", d.name)
			continue
		}
		var raw json.RawMessage
		if err := json.NewDecoder(strings.NewReader(example)).Decode(&raw); err != nil {
			t.Errorf("%s: the example is no JSON: %s", d.name, example)
		} else if _, err := d.read(raw); err != nil {
			t.Errorf("%s does not take %s: %v", d.name, raw, err)
		}
	}
}

// An answer is the result of a call, taken apart.
type answer struct {
	*mcp.CallToolResult
	text       string
	structured json.RawMessage
	Failed     bool
}

func newTestAnswer(r *mcp.CallToolResult) *answer {
	text := r.Content[0].(*mcp.TextContent).Text
	structured, ok := r.StructuredContent.(json.RawMessage) // a failure has none
	if !ok {
		structured = json.RawMessage(text)
	}
	return &answer{r, text, structured, r.IsError}
}

// call runs a free tool.
func (t *Tools) call(ctx context.Context, name string, arguments json.RawMessage) (*answer, error) {
	r, err := t.byName[name].call(ctx, arguments, Caller{})
	if err != nil {
		return nil, err
	}
	return newTestAnswer(r), nil
}

// CallFree runs a free tool. It returns nil when the service fails.
func (t *Tools) CallFree(ctx context.Context, name string, arguments json.RawMessage) *answer {
	a, err := t.call(ctx, name, arguments)
	if err != nil {
		return nil
	}
	return a
}

// encoded returns the answer as the SDK encodes it.
func (a *answer) encoded() []byte { return encode(a.CallToolResult) }

// TestWaits: a tool that costs waits for a ledger and a node; the others, and one that there is not, do not.
func TestWaits(t *testing.T) {
	x := over(t)
	for name, want := range map[string]struct{ has, waits bool }{"no_such": {}, "": {}, "search_passages": {true, true}, "list_categories": {true, false}} {
		if x.Has(name) != want.has || x.Waits(name) != want.waits {
			t.Errorf("%q: there is such a tool: %t, it waits: %t", name, x.Has(name), x.Waits(name))
		}
	}
}

func TestLine(t *testing.T) {
	long := strings.Repeat("word ", 60)
	for _, c := range []struct{ summary, want string }{
		{"A short summary of one sentence.", "A short summary of one sentence."},
		{"A first sentence of some length. A second.", "A first sentence of some length."},
		{"Speaks of version 2.0 and e.g. of others, in one sentence. Then stops.", "Speaks of version 2.0 and e.g. of others, in one sentence."},
		{"Cf. RFC 9110. More follows here. End.", "Cf. RFC 9110. More follows here."},
		{long, strings.TrimSpace(long[:find.MaxLine-5]) + "…"},
	} {
		got := find.Line(c.summary)
		if got != c.want {
			t.Errorf("%q became %q, want %q", c.summary, got, c.want)
		}
		if utf8.RuneCountInString(got) > find.MaxLine {
			t.Errorf("%q has %d characters", got, utf8.RuneCountInString(got))
		}
	}
}

// TestResourcesAreTheDocuments: every resource is a published document, byte for byte, and has no
// address that only a reader of its page could follow.
func TestResourcesAreTheDocuments(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	tools := over(t)
	read := 0
	for _, f := range tools.families {
		uris := []string{f.URITemplate}
		if f.member != "" {
			uris = nil
			for _, id := range f.IDs {
				uris = append(uris, strings.Replace(f.URITemplate, "{"+f.member+"}", id, 1))
			}
		}
		for _, uri := range slices.Clone(uris) {
			uris = append(uris, uri+".md")
		}
		for _, uri := range uris {
			isMarkdown, mediaType := strings.HasSuffix(uri, ".md"), f.MIME
			if isMarkdown {
				mediaType = "text/markdown"
			}
			c, ok := tools.Read(uri)
			if !ok {
				if !isMarkdown { // a few documents have none
					t.Errorf("%s cannot be read", uri)
				}
				continue
			}
			read++
			doc, ok := tools.documents.Resource(uri)
			if !ok || c.Text != string(doc.Body) || c.MIMEType != mediaType {
				t.Errorf("%s is not the document %s", uri, doc.Path)
			}
			if isJSON := c.MIMEType == "application/json"; isJSON != json.Valid(doc.Body) || isJSON == isMarkdown {
				t.Errorf("%s is of type %s", uri, c.MIMEType)
			}
			if link := relativeLink.Find(codeSpan.ReplaceAll(doc.Body, nil)); isMarkdown && link != nil {
				t.Errorf("%s has a relative link: %s", uri, link)
			}
		}
	}
	if read < 2*len(tools.ids) {
		t.Errorf("%d resources", read)
	}
	list := tools.ListResources()
	if len(list) > 20 {
		t.Errorf("%d resources are listed", len(list))
	}
	for _, r := range list {
		if c, ok := tools.Read(r.URI); !ok || int64(len(c.Text)) != r.Size || c.MIMEType != r.MIMEType {
			t.Errorf("%s is listed with %d bytes of %s", r.URI, r.Size, r.MIMEType)
		}
	}
}

// codeSpan finds fenced blocks, and code spans of one line, in which nothing is a link (CommonMark, "Code spans"). Quotes of sources are ones.
var codeSpan = regexp.MustCompile("(?s:\n *````*\n.*?\n *````*\n)|(^|[^`])(`[^`\n]+`|`` .*? ``|``` .*? ```)")

// relativeLink finds links of Markdown that only a browser on the page can follow.
var relativeLink = regexp.MustCompile(`\]\([^)#h<][^)]*\)|<(/|\.\.?/)[^>]*>`)

// TestEntryIsThePublishedOne holds the one value in all forms of an entry.
func TestEntryIsThePublishedOne(t *testing.T) {
	tools := over(t)
	for _, e := range tools.catalog.Entries() {
		var got, doc struct{ Entry catalog.Entry }
		if err := json.Unmarshal(entryJSON(tools.catalog, e), &got.Entry); err != nil {
			t.Fatal(err)
		}
		c, _ := tools.Read("library://entry/" + e.ID)
		if err := json.Unmarshal([]byte(c.Text), &doc); err != nil {
			t.Fatal(err)
		}
		want := string(encode(e))
		if string(encode(got.Entry)) != want || string(encode(doc.Entry)) != want {
			t.Errorf("%s is another value in an answer", e.ID)
		}
	}
}

// FuzzCursor holds that only cursors that were given are taken, and each by its own query.
func FuzzCursor(f *testing.F) {
	tools := over(f)
	f.Add("", uint32(0))
	f.Add(tools.cursor(7, 10), uint32(7))
	f.Add(tools.cursor(7, 1<<40), uint32(7))
	f.Add("jwFzifqPAAAAB70A", uint32(7)) // 61, written longer than need be
	f.Fuzz(func(t *testing.T, cursor string, query uint32) {
		n, err := tools.offset(cursor, query, 100)
		switch {
		case err != nil:
			var r inputError
			if !errors.As(err, &r) || r == "" {
				t.Errorf("%q: %v", cursor, err)
			}
		case n < 0 || n >= 100:
			t.Errorf("%q gives %d", cursor, n)
		case cursor != "" && tools.cursor(query, n) != cursor:
			t.Errorf("%q is taken for the cursor of %d", cursor, n)
		}
	})
}

// FuzzArguments holds that any arguments are either taken or refused in words.
func FuzzArguments(f *testing.F) {
	tools := over(f)
	f.Add("list_entries", []byte(`{"category":"payments","limit":1e1,"fields":["id"]}`))
	f.Add("fetch", []byte(`{"ids":["a",null,5]}`))
	f.Add("list_changes", []byte(`{"since":"2026-11-01","until":"2026-11-02"}`))
	f.Fuzz(func(t *testing.T, name string, raw []byte) {
		d, ok := tools.byName[name]
		if !ok || d.price != nil {
			return
		}
		a, err := tools.call(context.Background(), name, raw)
		if err != nil {
			t.Fatalf("%s(%q): %v", name, raw, err)
		}
		if b := a.encoded(); !json.Valid(b) || len(b) > maxAnswer+2_000 {
			t.Errorf("%s(%q) answered %d bytes: %.300s", name, raw, len(b), b)
		}
	})
}

// TestWithdrawnIDs: fetch says why a record is withdrawn.
func TestWithdrawnIDs(t *testing.T) {
	const reason = "Its publisher took it back."
	tools, err := newTools(catalogtest.Files(t, "../fixtures", map[string][]byte{
		"library/iot/mqtt-5.json": nil, "questions/library/mqtt-5.json": nil, "evidence/mqtt-5.json": nil, "statements/mqtt-5.json": nil,
		"withdrawn.json": []byte("[\n  {\n    \"record\": \"mqtt-5\",\n    \"title\": \"MQTT 5\",\n    \"day\": \"2026-11-23\",\n    \"reason\": \"" + reason +
			"\",\n    \"replaced_by\": null\n  }\n]\n"),
	}))
	if err != nil {
		t.Fatal(err)
	}
	address := catalog.DefaultSite.URL(catalog.EntryPath("mqtt-5"))
	for name, arguments := range map[string]string{"fetch": `{"id":"mqtt-5"}`, "fetch ": `{"id":"` + address + `"}`} {
		answer := tools.CallFree(t.Context(), strings.TrimSpace(name), json.RawMessage(arguments))
		if text := string(answer.encoded()); !strings.Contains(text, reason) {
			t.Errorf("%s %s: %.500s", name, arguments, text)
		}
	}
	if got := allChanges(t, tools, `{"record":"mqtt-5"}`); got.Total == 0 {
		t.Error("list_changes has nothing of a withdrawn record")
	}
}
