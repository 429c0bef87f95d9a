package httpmirror

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/load"
	"go.almanac.example/httpmirror/file"
)

// smallMirror is the site of a few records, at another address than the default.
func smallMirror(tb testing.TB, change ...func(*catalog.Options)) *Mirror {
	tb.Helper()
	o := catalog.Options{
		Site:        catalog.Site{Base: "https://almanac.example", API: "https://api.almanac.example", MCP: "https://mcp.almanac.example"},
		GeneratedAt: testTime, Payments: catalog.PaymentsLive,
	}
	for _, f := range change {
		f(&o)
	}
	c, err := load.Load(os.DirFS("testdata/small"), o)
	if err != nil {
		tb.Fatal(err)
	}
	m, err := Build(c, Options{Version: "1.2.3", Contact: "mailto:security@almanac.example"})
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// foreign are the JSON files whose form others have defined, so that they carry no envelope.
var foreign = regexp.MustCompile(`^(/openapi(-files)?\.json|/changes/feed\.json|/news/.*\.json|/(tags|protocols)/.*/feed\.json|/schemas/.*|/datasets/.*/croissant\.json|/\.well-known/(ai-catalog|ard|l402|agent-skills/index)\.json)$`)

// countedList returns the list that count is the length of, which is the last one of a document, with its name.
func countedList(t *testing.T, doc []byte) (name string, list []json.RawMessage) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(doc))
	if _, err := dec.Token(); err != nil { // the opening brace
		t.Fatal(err)
	}
	for dec.More() {
		member, err := dec.Token()
		if err != nil {
			t.Fatal(err)
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			t.Fatal(err)
		}
		if value[0] == '[' && member != "fields" { // those of the free search are counted nowhere
			name, list = member.(string), nil
			if err := json.Unmarshal(value, &list); err != nil {
				t.Fatal(err)
			}
		}
	}
	return name, list
}

func TestEnvelope(t *testing.T) {
	for f := range realMirror(t).Files() {
		if path.Ext(f.Path) != ".json" || foreign.MatchString(f.Path) {
			continue
		}
		var doc map[string]json.RawMessage
		if err := json.Unmarshal(f.Body, &doc); err != nil {
			t.Errorf("%s: %v", f.Path, err)
			continue
		}
		if f.Path == catalog.SupportJSONPath { // an object with no additional properties (docs/contract.md, "Documents")
			continue
		}
		if got := string(doc["schema_version"]); got != `"1"` {
			t.Errorf("%s: schema_version = %s", f.Path, got)
		}
		if got, want := string(doc["generated_at"]), `"2026-11-21T12:00:00Z"`; got != want {
			t.Errorf("%s: generated_at = %s, want %s", f.Path, got, want)
		}
		count, counted := doc["count"]
		if !counted {
			continue
		}
		name, list := countedList(t, f.Body)
		if got := string(count); got != fmt.Sprint(len(list)) {
			t.Errorf("%s: count = %s, and there are %d %s", f.Path, got, len(list), name)
		}
	}
}

// TestDocumentsAgainstPublishedSchemas: every JSON file of the mirror names its schema in Link and in the manifest, and
// satisfies it.
func TestDocumentsAgainstPublishedSchemas(t *testing.T) {
	for name, m := range map[string]*Mirror{"real": realMirror(t), "small": smallMirror(t)} {
		if n := describe(t, m); n < 30 {
			t.Errorf("%s: only %d documents have a schema", name, n)
		}
	}
}

// describe checks the schema of every JSON file of a mirror, and returns their number.
func describe(t *testing.T, m *Mirror) (documents int) {
	t.Helper()
	schemas := make(map[string]*jsonschema.Resolved) // by path
	for _, name := range catalog.SchemaNames() {
		f, ok := m.File(catalog.SchemaPath(name))
		if !ok {
			continue // of documents that this mirror has none of
		}
		var s jsonschema.Schema
		if err := json.Unmarshal(f.Body, &s); err != nil {
			t.Fatalf("%s: %v", f.Path, err)
		}
		resolved, err := s.Resolve(nil)
		if err != nil {
			t.Fatalf("%s: %v", f.Path, err)
		}
		schemas[f.Path] = resolved
	}
	f, _ := m.File(catalog.ManifestPath)
	var manifest file.Manifest
	if err := json.Unmarshal(f.Body, &manifest); err != nil {
		t.Fatal(err)
	}
	listed := map[string]string{catalog.ManifestPath: f.Schema}
	for _, l := range manifest.Files {
		listed[l.Path] = l.Schema
	}
	for f := range m.Files() {
		if path.Ext(f.Path) != ".json" && f.Type != file.JSON {
			continue
		}
		var doc map[string]any
		if err := json.Unmarshal(f.Body, &doc); err != nil {
			t.Errorf("%s: %v", f.Path, err)
		}
		if f.Type == file.Schema {
			if doc["$schema"] != "https://json-schema.org/draft/2020-12/schema" {
				t.Errorf("%s: $schema is %v", f.Path, doc["$schema"])
			}
			continue
		}
		documents++
		if _, ok := listed[f.Schema]; !ok || listed[f.Path] != f.Schema || schemas[f.Schema] == nil {
			t.Errorf("%s: its schema is %q, and %q in the manifest", f.Path, f.Schema, listed[f.Path])
			continue
		}
		if got, want := ask(t, m, "GET", f.Path).Header.Get("Link"), file.SchemaLink(f.Schema); !strings.HasPrefix(got, want) {
			t.Errorf("%s: Link %q, want %q", f.Path, got, want)
		}
		if named, ok := doc["$schema"]; ok && f.Path != catalog.SkillsPath && named != m.cat.Site().URL(f.Schema) {
			t.Errorf("%s: names the schema %v, and Link %s", f.Path, named, f.Schema)
		}
		if err := schemas[f.Schema].Validate(doc); err != nil {
			t.Errorf("%s against %s: %v", f.Path, f.Schema, err)
		}
	}
	return documents
}

// What the manifest says of each file is what is served.
func TestManifestTellsTheTruth(t *testing.T) {
	m := realMirror(t)
	f, _ := m.File(catalog.ManifestPath)
	var doc file.Manifest
	if err := json.Unmarshal(f.Body, &doc); err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, l := range doc.Files {
		listed = append(listed, l.Path)
	}
	others := slices.DeleteFunc(slices.Collect(m.paths()), func(path string) bool { return path == catalog.ManifestPath })
	if diff := cmp.Diff(others, listed); diff != "" {
		t.Errorf("other files are listed (-published +listed):\n%s", diff)
	}
	for _, l := range doc.Files {
		res := ask(t, m, "GET", l.Path)
		body := bodyOf(t, res)
		sum := file.New(l.Path, l.MediaType, []byte(body)).SHA256()
		if len(body) != l.Bytes || sum != l.SHA256 || res.Header.Get("Content-Type") != l.MediaType {
			t.Errorf("%s: served %d bytes %s %s, listed %d %s %s", l.Path, len(body), sum, res.Header.Get("Content-Type"), l.Bytes, l.SHA256, l.MediaType)
		}
	}
}

// What one payment buys is one value wherever it is stated.
func TestOfferIsTheSameEverywhere(t *testing.T) {
	offer := catalog.Terms{PriceSats: 271, Credits: 828, ValidDays: 17}
	m := smallMirror(t, func(o *catalog.Options) { o.Terms = offer })
	for _, p := range []string{catalog.L402Path, catalog.OpenAPIPath, catalog.SupportJSONPath, catalog.LLMsPath, catalog.TrustJSONPath, catalog.MarkdownPath(catalog.TrustPath)} {
		f, ok := m.File(p)
		if !ok {
			t.Errorf("%s is not published", p)
			continue
		}
		for _, n := range []string{"271", "828", "17"} {
			if !bytes.Contains(f.Body, []byte(n)) {
				t.Errorf("%s does not say %s", p, n)
			}
		}
		for _, old := range []string{"100 sat", "100 requests", "30 days"} {
			if bytes.Contains(f.Body, []byte(old)) {
				t.Errorf("%s says %q", p, old)
			}
		}
	}
}

func TestPaymentsOffLeavesNoTrace(t *testing.T) {
	m := smallMirror(t, func(o *catalog.Options) { o.Payments = catalog.PaymentsOff })
	if _, ok := m.File(catalog.L402Path); ok {
		t.Errorf("%s is published", catalog.L402Path)
	}
	for _, p := range []string{catalog.OpenAPIPath, catalog.LLMsPath, catalog.SupportJSONPath, catalog.DCATPath} {
		f, _ := m.File(p)
		if bytes.Contains(f.Body, []byte(catalog.SearchPath)) {
			t.Errorf("%s speaks of %s", p, catalog.SearchPath)
		}
	}
}
