package httpmirror

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"testing"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/file"
)

// Every page has a Markdown and a JSON form, links to them in its head and its header, and answers with them when Accept asks for
// them.
func TestEveryPageHasBothForms(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	for name, m := range map[string]*Mirror{"real": realMirror(t), "small": smallMirror(t), "modest": modestMirror(t)} {
		pages := 0
		for f := range m.Files() {
			if f.Type != file.HTML || f.Path == catalog.NotFoundPath {
				continue
			}
			pages++
			for _, mediaType := range []string{file.JSON, file.Markdown} {
				i := slices.IndexFunc(f.Alternates, func(a file.Alternate) bool { return a.Type == file.BareType(mediaType) })
				if i < 0 {
					t.Errorf("%s: %s has no form in %s", name, f.Path, mediaType)
					continue
				}
				path := f.Alternates[i].Path
				form, ok := m.File(path)
				if !ok || form.Type != mediaType {
					t.Errorf("%s: %s is not a file in %s", name, path, mediaType)
					continue
				}
				if !bytes.Contains(f.Body, []byte(`href="`+path+`"`)) {
					t.Errorf("%s: %s does not link to %s", name, f.Path, path)
				}
				res := ask(t, m, "GET", f.Path, "Accept", file.BareType(mediaType))
				if got := res.Header.Get("Content-Location"); got != path || bodyOf(t, res) != string(form.Body) {
					t.Errorf("%s: %s with Accept: %s answers with %q, want %s", name, f.Path, mediaType, got, path)
				}
			}
		}
		if pages < 40 {
			t.Errorf("%s: only %d pages", name, pages)
		}
	}
}

// TestAlternates: each form that a page names has a type without parameters, as readers of feeds look for it in <link>, and is the
// answer to those who accept that type alone.
func TestAlternates(t *testing.T) {
	m, seen := smallMirror(t), map[string]int{}
	for f := range m.Files() {
		for _, a := range f.Alternates {
			first := f.Alternates[slices.IndexFunc(f.Alternates, func(b file.Alternate) bool { return a.Type == b.Type })]
			res := ask(t, m, "GET", f.Path, "Accept", a.Type)
			if got := res.Header.Get("Content-Location"); got != first.Path || a.Type != file.BareType(a.Type) || file.BareType(res.Header.Get("Content-Type")) != a.Type {
				t.Errorf("%s with Accept: %s answers with %s, %s, want %s", f.Path, a.Type, got, res.Header.Get("Content-Type"), first.Path)
			}
			seen[a.Type]++
		}
	}
	if seen[file.BareType(file.Atom)] == 0 || seen[file.JSONFeed] == 0 || len(seen) < 5 {
		t.Errorf("the alternates are of %v", seen)
	}
}

// Every document of every kind is served at its addresses in its forms.
func TestKinds(t *testing.T) {
	m := realMirror(t)
	for _, k := range m.renderer.kinds {
		ids := k.list(m.cat)
		if len(ids) == 0 {
			t.Errorf("%s: no documents", k.name)
		}
		for _, f := range k.forms {
			for _, id := range ids {
				res := ask(t, m, "GET", f.pathOf(id), "Accept", file.BareType(f.mediaType))
				if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != f.mediaType {
					t.Errorf("%s: %s answers with %d %s", k.name, f.pathOf(id), res.StatusCode, res.Header.Get("Content-Type"))
				}
			}
		}
	}
}

// Every resource that is listed can be read, and its bytes are those of a file.
func TestResources(t *testing.T) {
	m := realMirror(t)
	newest := string(m.cat.ChangeDays()[0])
	for _, r := range m.Resources() {
		ids := r.IDs
		if ids == nil {
			ids = []string{""}
		}
		for _, id := range ids {
			uri := r.URITemplate
			if before, variable, after := expression(uri); variable != "" {
				uri = before + id + after
			}
			f, ok := m.Resource(uri)
			if !ok || file.BareType(f.Type) != r.MIME || r.Name == "" || r.Title == "" || !strings.HasSuffix(r.Description, ".") {
				t.Errorf("%s: %+v", uri, r)
			}
			if f, ok := m.Resource(uri + ".md"); ok == (r.Name == "evidence") || ok && f.Type != file.Markdown {
				t.Errorf("%s has no Markdown, or evidence has", uri)
			}
		}
	}
	for uri, path := range map[string]string{
		"library://categories":            catalog.LibraryJSONPath,
		"library://protocol-facts.md":     catalog.ProtocolsMarkdownPath,
		"library://protocol/l402":         "/api/protocols/l402.json",
		"library://entry/mcp-go-sdk.md":   "/library/entry/mcp-go-sdk.md",
		"dataset://card/payment-http.md":  "/datasets/payment-http/README.md",
		"library://changes/latest":        "/api/changes/" + newest + ".json",
		"library://changes/latest.md":     "/changes/" + newest + ".md",
		"library://changes/2001-01-01.md": "/changes/2001-01-01.md",
		"library://support":               catalog.SupportJSONPath,
	} {
		if f, ok := m.Resource(uri); !ok || f.Path != path {
			t.Errorf("%s is not the file %s", uri, path)
		}
	}
	for _, uri := range []string{"", "library://", "library://entry/", "library://entry/no-such", "library://entry/../tags", "library://entry/mcp%2Dgo-sdk",
		"library://changes/2026-02-30", "library://category/payments/2", "https://example.org/", "/trust.json", "library://protocol/latest"} {
		if f, ok := m.Resource(uri); ok {
			t.Errorf("%q is the file %s", uri, f.Path)
		}
	}
}

// TestKindsKnowTheirDocuments: where a kind looks an id up, it publishes those that it lists, and no other.
func TestKindsKnowTheirDocuments(t *testing.T) {
	m := realMirror(t)
	looked := 0
	for _, k := range m.renderer.kinds {
		if k.has == nil {
			continue
		}
		looked++
		for _, id := range k.list(m.cat) {
			if !k.has(m.cat, id) {
				t.Errorf("%s: %s is listed, and not found", k.name, id)
			}
		}
		for _, id := range []string{"", "nothing", "protocol:l402", "protocol.nothing", "l402-page-2"} {
			if k.has(m.cat, id) != slices.Contains(k.list(m.cat), id) {
				t.Errorf("%s: %q is found, and not listed", k.name, id)
			}
		}
	}
	if looked == 0 {
		t.Error("no kind looks ids up")
	}
}
