package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/file"
)

// fetchAll fetches a record part by part.
func fetchAll(t *testing.T, tools *Tools, id string, tokens int) (f fetched, parts int) {
	t.Helper()
	var text strings.Builder
	cursor := ""
	for {
		a, err := tools.call(context.Background(), "fetch", fmt.Appendf(nil, `{"id":%q,"max_tokens":%d,"cursor":%q}`, id, tokens, cursor))
		if err != nil || a.Failed {
			t.Fatalf("%s: %v %s", id, err, a.text)
		}
		var part fetched
		if err := json.Unmarshal(a.structured, &part); err != nil {
			t.Fatal(err)
		}
		if len(part.Text) > tokens*tokenBytes+900 || part.Text == "" {
			t.Fatalf("%s: a part of %d bytes", id, len(part.Text))
		}
		text.WriteString(part.Text)
		parts++
		if cursor = part.NextCursor; cursor == "" {
			part.Text = text.String()
			return part, parts
		}
	}
}

// recordIDs are the ids of everything in the catalogue, with the Markdown file of each.
func recordIDs(tools *Tools) map[string]string {
	c := tools.catalog
	ids := map[string]string{
		"trust": catalog.MarkdownPath(catalog.TrustPath), "support": "/support.md", "protocol-facts": catalog.ProtocolsMarkdownPath,
		"categories": catalog.MarkdownPath(catalog.LibraryPath), "articles": "/articles.md", "changes": "/changes.md",
	}
	for _, e := range c.Entries() {
		ids[e.ID] = catalog.MarkdownPath(catalog.EntryPath(e.ID))
		ids["library:"+e.ID] = catalog.MarkdownPath(catalog.EntryPath(e.ID))
	}
	for _, p := range c.Protocols().Protocols {
		ids["protocol:"+p.ID] = catalog.MarkdownPath(catalog.ProtocolPath(p.ID))
		ids[c.Site().URL(catalog.ProtocolPath(p.ID))] = catalog.MarkdownPath(catalog.ProtocolPath(p.ID))
		ids["library://protocol/"+p.ID] = catalog.MarkdownPath(catalog.ProtocolPath(p.ID))
	}
	for _, a := range c.Articles() {
		ids["article:"+a.ID] = catalog.MarkdownPath(catalog.ArticlePath(a.ID))
		ids[c.Site().URL(catalog.MarkdownPath(catalog.ArticlePath(a.ID)))] = catalog.MarkdownPath(catalog.ArticlePath(a.ID))
	}
	for _, d := range c.Datasets() {
		ids["dataset:"+d.ID] = catalog.DatasetReadmePath(d.ID)
	}
	for _, k := range c.Categories() {
		ids["category:"+k.ID] = catalog.MarkdownPath(catalog.CategoryPath(k.ID))
	}
	for _, tag := range c.Tags() {
		ids["tag:"+tag.ID] = catalog.MarkdownPath(catalog.TagPath(tag.ID))
	}
	for _, day := range c.ChangeDays() {
		ids[string(day)] = catalog.ChangesMarkdownPath(day)
	}
	return ids
}

// continued finds how a part of a text says that it continues another.
var continued = regexp.MustCompile(`\([^()]*, continued\) `)

// TestFetchReturnsTheMirror: every id in the catalogue, fetched in parts, is the Markdown file of the mirror, but for the links to its other forms, entries and
// protocols, which are leaner; the answer has the canonical id, and each section can be fetched.
func TestFetchReturnsTheMirror(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	tools := over(t)
	plain := func(s string) string { return strings.Join(strings.Fields(continued.ReplaceAllString(s, "")), "") }
	for id, path := range recordIDs(tools) {
		f, ok := tools.documents.File(path)
		if !ok || f.Type != file.Markdown {
			t.Errorf("%s: the mirror has no %s", id, path)
			continue
		}
		body := f.Body
		got, _ := fetchAll(t, tools, id, 1_000)
		lean := got.Metadata.Kind == kindEntry || got.Metadata.Kind == kindProtocol
		if !lean && plain(got.Text) != plain(furniture.ReplaceAllString(string(body), "")) {
			t.Errorf("%s is not %s", id, path)
		}
		if lean && len(got.Text) > len(body) {
			t.Errorf("%s has %d bytes, and its file %d", id, len(got.Text), len(body))
		}
		if again, _ := fetchAll(t, tools, got.ID, 1_000); again.ID != got.ID || again.Text != got.Text || got.Title == "" || got.URL == "" {
			t.Errorf("%s is answered as %s, which is %s", id, got.ID, again.ID)
		}
		for _, name := range got.Metadata.Sections {
			if part, _ := fetchAll(t, tools, id+"#"+name, 8_000); name != "rows" && (part.Metadata.Section != name || part.Text == "") {
				t.Errorf("%s has no section %s", id, name)
			}
		}
	}
	for _, c := range tools.catalog.Changes(tools.latest()).Entries {
		if _, err := tools.locate(c.ID); err != nil {
			t.Errorf("the id %s of the change feed cannot be fetched: %v", c.ID, err)
		}
	}
}

// TestPagesKeepSources: whatever the length of a page, each value of a protocol is on a page with its own source, and an answer has no
// more tokens than were asked for, but for what surrounds the text.
func TestPagesKeepSources(t *testing.T) {
	tools := over(t)
	mark, note := regexp.MustCompile(`(?m) \[(\d+)\]$`), regexp.MustCompile(`(?m)^\[(\d+)\] http`)
	for i := range tools.protocols.list {
		p := &tools.protocols.list[i]
		for _, tokens := range []int{minTokens, 100, 250, 1_000, 8_000} {
			cited := make(map[string]bool)
			for cursor := ""; ; {
				a := tools.CallFree(t.Context(), "fetch", fmt.Appendf(nil, `{"id":"protocol:%s","max_tokens":%d,"cursor":"%s"}`, p.id, tokens, cursor))
				var page fetched
				if err := json.Unmarshal(a.structured, &page); err != nil || a.Failed {
					t.Fatalf("%s: %v %s", p.id, err, a.text)
				}
				if size := len(a.structured); tokens >= 250 && size > tokens*tokenBytes || size > tokens*tokenBytes+900 {
					t.Errorf("%s: %d bytes for %d tokens", p.id, size, tokens)
				}
				if marks, notes := mark.FindAllStringSubmatch(page.Text, -1), note.FindAllStringSubmatch(page.Text, -1); len(marks) > 0 {
					for _, m := range marks {
						if !slices.ContainsFunc(notes, func(n []string) bool { return n[1] == m[1] }) {
							t.Fatalf("%s with %d tokens: [%s] is not on its page:\n%s", p.id, tokens, m[1], page.Text)
						}
					}
				}
				for _, line := range strings.Split(page.Text, "\n") {
					if names, ok := strings.CutPrefix(line, notStated); ok {
						for name := range strings.SplitSeq(names, ", ") {
							cited[name] = true
						}
					}
					if name, _, ok := strings.Cut(strings.TrimPrefix(line, "- "), ": "); ok && strings.HasPrefix(line, "- ") {
						cited[strings.TrimSuffix(name, ":")] = true
					} else if name, ok := strings.CutSuffix(strings.TrimPrefix(line, "- "), ":"); ok {
						cited[strings.TrimSpace(name)] = true
					}
				}
				if cursor = page.NextCursor; cursor == "" {
					break
				}
			}
			for name := range p.values {
				if !cited[name] {
					t.Errorf("%s with %d tokens: no page has %s", p.id, tokens, name)
				}
			}
		}
	}
}

// TestFetchSections: a fact is a section, and so are the rows of a dataset.
func TestFetchSections(t *testing.T) {
	tools := over(t)
	networks, _ := fetchAll(t, tools, "protocol:x402#networks", 8_000)
	if !strings.HasPrefix(networks.Text, "- networks:") || !strings.Contains(networks.Text, "eip155:8453") || strings.Contains(networks.Text, "- facilitators:") {
		t.Errorf("the networks of x402 are %s", networks.Text)
	}
	for _, d := range tools.catalog.Datasets() {
		rows, _ := fetchAll(t, tools, "dataset:"+d.ID+"#rows", 8_000)
		n := 0
		for line := range strings.Lines(rows.Text) {
			if !json.Valid([]byte(line)) {
				t.Fatalf("%s: row %s", d.ID, line)
			}
			n++
		}
		if n != d.RowCount() {
			t.Errorf("%s has %d rows, want %d", d.ID, n, d.RowCount())
		}
	}
}

// TestFetchRefuses: what cannot be fetched is refused with what could.
func TestFetchRefuses(t *testing.T) {
	tools := over(t)
	for arguments, want := range map[string]string{
		`{"id":"mcp-go-skd"}`:                       `did you mean "mcp-go-sdk"?`,
		`{"id":"protocol:x40"}`:                     "protocol:x402",
		`{"id":"nothing:at-all"}`:                   "There is no record",
		`{"id":"protocol:x402#netwroks"}`:           `did you mean "networks"?`,
		`{"id":"protocol:x402","section":"nope"}`:   "Its sections are: ",
		`{"id":"trust","max_tokens":"few"}`:         "must be a whole number",
		`{"id":"library://entry/no-such"}`:          "There is no record",
		`{"id":"http://localhost:8402/no/such.md"}`: "not a document of this library",
		`{"id":"https://example.org/x"}`:            "There is no record",
		`{"id":"trust","cursor":"x"}`:               "call again without cursor",
		`{"id":"` + strings.Repeat("x", 161) + `"}`: "at most 160 characters",
		`{"id":"2099-01-01"}`:                       "There is no record",
		`{"id":"http://localhost:8402/robots.txt"}`: "not a document",
	} {
		a, err := tools.call(context.Background(), "fetch", json.RawMessage(arguments))
		if err != nil || !a.Failed || !strings.Contains(strings.ReplaceAll(a.text, `\"`, `"`), want) {
			t.Errorf("%s: %v %s, want %q", arguments, err, a.text, want)
		}
	}
}

// TestFetchByOtherNames: a record is found by what models write for its id: without its kind, by the address of its source, and
// a section by the words of its name; the answer has the id.
func TestFetchByOtherNames(t *testing.T) {
	tools := over(t)
	entry := tools.catalog.Entries()[0]
	for written, want := range map[string]struct{ id, section string }{
		"l402":                       {"protocol:l402", ""},
		"protocol:L402":              {"protocol:l402", ""},
		"l402#pay flow":              {"protocol:l402", "pay_flow"},
		"protocol:x402#HTTP headers": {"protocol:x402", "http_headers"},
		"reading-a-bolt12-offer":     {"article:reading-a-bolt12-offer", ""},
		"payment-networks#rows":      {"dataset:payment-networks", "rows"},
		"lightning":                  {"tag:lightning", ""},
		"payments":                   {"category:payments", ""},
		entry.URL:                    {entry.ID, ""},
	} {
		got, _ := fetchAll(t, tools, written, 8_000)
		id := want.id
		if want.section != "" {
			id += "#" + want.section
		}
		expected, _ := fetchAll(t, tools, id, 8_000)
		if got.ID != want.id || got.Text != expected.Text || got.Text == "" {
			t.Errorf("%s is %s with %d bytes, want %s", written, got.ID, len(got.Text), id)
		}
	}
	for _, id := range tools.ids { // an entry goes before a record of another kind
		if got, _ := fetchAll(t, tools, id, 8_000); got.ID != id || got.Metadata.Kind != "entry" {
			t.Errorf("%s is %s of kind %s", id, got.ID, got.Metadata.Kind)
		}
	}
}

// TestSpellings: a record is found by other spellings of its addresses, and each entry by the address of its source, however long.
func TestSpellings(t *testing.T) {
	tools := over(t)
	page := tools.catalog.Site().URL("/protocols/x402")
	for _, id := range []string{page, page + "/", strings.ToUpper(page[:9]) + page[9:], "/protocols/x402/", "LIBRARY://protocol/%78402", "library://protocol/x402/", "`protocol:x402`", "protocol:x402"} {
		if rec, err := tools.locate(id); err != nil || !strings.Contains(rec.body, "x402") {
			t.Errorf("%s: %v", id, err)
		}
	}
	for _, id := range []string{"entry:mqtt%2D5", "library://entry/mqtt-5?x=1", page + "/?x=1", strings.Repeat("x", maxName+1)} {
		if _, err := tools.locate(id); err == nil {
			t.Errorf("%s is found", id)
		}
	}
	for _, e := range tools.catalog.Entries() {
		if found := tools.entryAt(strings.TrimSuffix(strings.Replace(e.URL, "https://", "http://", 1), "/") + "/"); found == nil || found.URL != e.URL {
			t.Errorf("%s is not found by its address", e.ID)
		}
		if _, err := tools.locate(e.URL); err != nil {
			t.Errorf("%s: %v", e.ID, err)
		}
	}
}
