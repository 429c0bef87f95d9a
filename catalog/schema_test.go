package catalog_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"go.almanac.example/catalog"
	"go.almanac.example/internal/wirejson"
)

func TestDocumentsSatisfyTheirSchemas(t *testing.T) {
	c := realCatalog(t)
	schemas := resolvedSchemas(t, c)
	seen := make(map[string]bool)
	for _, d := range testDocuments(t, c) {
		if schemas[d.schema] == nil {
			t.Errorf("%s: there is no catalog/schemas/%s.schema.json", d.name, d.schema)
			continue
		}
		if err := schemas[d.schema].Validate(plainJSON(t, d.value)); err != nil {
			t.Errorf("%s (%s): %v", d.schema, d.name, err)
		}
		seen[d.schema] = true
	}
	for _, name := range catalog.SchemaNames() {
		if !seen[name] {
			t.Errorf("no document of schema %q is tested", name)
		}
	}
}

// Every member that a schema knows is wanted, and no other: leaving one out and adding one are refused.
func TestSchemasAreStrict(t *testing.T) {
	c := realCatalog(t)
	schemas := resolvedSchemas(t, c)
	times := make(map[string]int)
	optional := map[string]bool{"support/$schema": true, "support/paid_api": true, "search/next_cursor": true, "search/suggestion": true, "index/search_url": true,
		"l402-manifest/macaroon_versions": true, "l402-manifest/payment_methods": true, "l402-manifest/openapi": true, "l402-manifest/caveats": true,
		"vector/message": true, "vector/held_out": true}
	for _, d := range testDocuments(t, c) {
		if times[d.schema]++; times[d.schema] > 3 {
			continue // the documents of one schema are alike
		}
		doc := plainJSON(t, d.value).(map[string]any)
		for _, key := range sortedKeys(doc) {
			without := plainJSON(t, doc).(map[string]any)
			delete(without, key)
			err := schemas[d.schema].Validate(without)
			if isOptional := optional[d.schema+"/"+key]; (err == nil) != isOptional {
				t.Errorf("%s (%s) without %s: %v", d.schema, d.name, key, err)
			}
		}
		if slices.Contains([]string{"problem", "l402", "l402-manifest", "l402-services", "openapi", "ai-catalog", "agent-skills"}, d.schema) {
			continue // readers of RFC 9457 and of discovery files ignore members they do not know
		}
		doc["another"] = "member"
		if schemas[d.schema].Validate(doc) == nil {
			t.Errorf("%s (%s): takes a member it does not know", d.schema, d.name)
		}
	}
}

// Break one thing: each document is refused.
func TestSchemasRefuse(t *testing.T) {
	c := realCatalog(t)
	schemas := resolvedSchemas(t, c)
	first := make(map[string]any)
	for _, d := range slices.Backward(testDocuments(t, c)) {
		if d.name != "before the first round" { // which has no entries to break
			first[d.schema] = d.value
		}
	}
	for _, tt := range []struct {
		schema, path string
		value        any
	}{
		{"library", "schema_version", 1},
		{"library", "generated_at", "2026-11-21"},
		{"library", "generated_at", "2026-11-21T25:00:00Z"},
		{"library", "category", "ponies"},
		{"library", "count", -1},
		{"library", "count", 1.5},
		{"library", "$schema", "https://elsewhere.example/schema.json"},
		{"library", "categories.0.featured", "true"},
		{"library", "categories.0.another", 1},
		{"library", "entries.0.id", "Not-A-Slug"},
		{"library", "entries.0.date_published", "2026-13-01"},
		{"library", "entries.0.date_published", ""},
		{"library", "entries.0.type", "blog"},
		{"library", "entries.0.http_status", 42},
		{"library", "entries.0.http_status", "200"},
		{"library", "entries.0.url", "ftp://example.org/"},
		{"library", "entries.0.title", ""},
		{"library", "entries.0.title", "two\nlines"},
		{"library", "entries.0.tags", []any{}},
		{"library", "entries.0.tags", []any{"http", "http"}},
		{"library", "entries.0.featured", false},
		{"library", "entries.0.another", 1},
		{"category-index", "categories", []any{}},
		{"entry", "entry.summary", strings.Repeat("x", 401)},
		{"entry", "entry.authors", nil},
		{"entry", "entry.featured", false}, // true, or not at all
		{"tag-list", "tag", "two words"},
		{"tag-list", "entries.0.kind", "library"},
		{"tag-index", "tags.0.count", 0},
		{"protocol-facts", "count", 8},
		{"protocol-facts", "protocols.0.example", nil},
		{"protocol-facts", "protocols.0.http_headers.value.0.direction", "sideways"},
		{"protocol-facts", "protocols.0.http_status_codes.value", []any{}},
		{"protocol-facts", "protocols.0.http_status_codes.value.0", "402"},
		{"protocol-facts", "protocols.0.notes.source", "a book"},
		{"protocol-facts", "protocols.0.notes.by", "me"},
		{"protocol-facts", "protocols.4.networks.value.0.caip2", "base"},
		{"protocol-facts", "protocols.4.example", map[string]any{"value": "x", "source": "https://example.org", "verified_at": "2026-11-21"}},
		{"change-list", "field", "last_checked"},
		{"change-list", "date", "yesterday"},
		{"change-index", "days.0.count", -1},
		{"support", "voluntary", false},
		{"support", "access_conditional_on_payment", true},
		{"support", "warning", "send anything"},
		{"support", "methods", []any{}},
		{"support", "suggested_amounts_sats.0", 0},
		{"support", "methods.0.address", "1BoatSLRHtKNngkdXEeobR76b53LETtpyT"},
		{"support", "methods.0.network", "testnet"},
		{"support", "methods.1.offer", "lnr1qqq"},
		{"support", "methods.2.chain_id", 1}, // of another network
		{"support", "methods.2.primary", false},
		{"support", "methods.2.qr_error_correction", "X"},
		{"support", "methods.5.mint", "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGkZwyTDt1v"},
		{"support", "methods.5.another", 1},
		{"dataset-card", "columns.0.type", "blob"},
		{"dataset-card", "files.0.sha256", "0"},
		{"dataset-card", "files", []any{}},
		{"dataset-index", "datasets.0.row_count", -1},
		{"article-index", "articles.0.protocols", []any{"nosuch"}},
		{"article", "article.protocols", []any{"nosuch"}},
		{"article", "body", ""},
		{"protocol", "protocol.id", "nosuch"},
		{"protocol", "protocol.spec_url.source", "ftp://example.org/"},
		{"bot", "checked", -1},
		{"calendar", "entries.0.kind", "published"},
		{"calendar", "entries.0.date", "2 August 2026"},
		{"calendar", "entries.0.reading.class", "rumour"},
		{"connect", "hosts.0.config", ""},
		{"connect", "hosts.0.config", ""},
		{"bot", "bot.id", "Not a slug"},
		{"index", "contact", "curator@example.org"},
		{"index", "documents.0.name", "Two words"},
		{"index", "documents.0.forms", []any{}},
		{"index", "documents.0.forms.0.url", "/tags/"},
		{"trust", "error_codes.0.status", 200},
		{"trust", "credit_limits.credits_per_request", 2},
		{"trust", "checks.0.test", ""},
		{"manifest", "files.0.path", "trust.md"},
		{"manifest", "files.0.bytes", -2},
		{"problem", "code", "Not A Code"},
		{"problem", "status", 200},
		{"problem", "macaroon", "AgEEbHNhdA=="}, // without the rest of a challenge
		{"credits", "remaining", -1},
		{"credits", "payment_hash", "0x00"},
		{"search", "entries.0.kind", "article"},
		{"search", "entries.0.score", "high"},
		{"search", "entries.1.id", "bolt12"},
		{"search", "entries.1.tags", []any{"lightning"}},
		{"search", "query", strings.Repeat("x", 257)},
		{"search", "entries.0.passages.0.kind", "margin"},
		{"search", "next_cursor", nil},
		{"links", "entries.0.kind", "gone"},
		{"l402", "protocol", "x402"},
		{"l402", "pricing.price_sats", 0},
		{"l402", "endpoints.0.credits_per_request", 2},
		{"l402", "endpoints", []any{}},
		{"l402", "routes.0.price.amount_msat", "100000"},
	} {
		t.Run(tt.schema+"/"+tt.path, func(t *testing.T) {
			doc := plainJSON(t, first[tt.schema])
			if err := schemas[tt.schema].Validate(doc); err != nil {
				t.Fatalf("refused before it was broken: %v", err)
			}
			if err := set(doc, tt.path, tt.value); err != nil {
				t.Fatal(err)
			}
			if schemas[tt.schema].Validate(doc) == nil {
				t.Errorf("takes %s = %v", tt.path, tt.value)
			}
		})
	}
}

// Change records of each kind have the members of that kind and no others.
func TestChangeSchemaByKind(t *testing.T) {
	c := realCatalog(t)
	schema := resolvedSchemas(t, c)["change-list"]
	kinds := map[string]struct{ must, mustNot []string }{
		"article": {must: []string{"md_url"}, mustNot: []string{"category", "note"}},
		"bot":     {must: []string{"note"}, mustNot: []string{"category", "md_url"}},
		"dataset": {must: []string{"md_url", "note"}, mustNot: []string{"category"}},
		"support": {must: []string{"note"}, mustNot: []string{"category"}},
		"library": {must: []string{"category"}, mustNot: []string{"md_url", "note"}},
	}
	for _, kind := range []string{"article", "bot", "dataset", "support", "library"} {
		isOfKind := func(ch catalog.Change) bool { return ch.Kind == kind }
		day := slices.IndexFunc(c.ChangeDays(), func(d catalog.Date) bool { return slices.ContainsFunc(c.Changes(d).Entries, isOfKind) })
		list := *c.Changes(c.ChangeDays()[day])
		i := slices.IndexFunc(list.Entries, isOfKind)
		list.Entries, list.Count = list.Entries[i:i+1], 1
		broken := func(change func(record map[string]any)) error {
			doc := plainJSON(t, list).(map[string]any)
			change(doc["entries"].([]any)[0].(map[string]any))
			return schema.Validate(doc)
		}
		for _, member := range kinds[kind].must {
			if broken(func(r map[string]any) { delete(r, member) }) == nil {
				t.Errorf("%s: does without %s", kind, member)
			}
		}
		values := map[string]string{"md_url": "https://almanac.example/x.md", "category": "iot", "note": "x"}
		for _, member := range kinds[kind].mustNot {
			if broken(func(r map[string]any) { r[member] = values[member] }) == nil {
				t.Errorf("%s: takes %s", kind, member)
			}
		}
		if broken(func(r map[string]any) { r["id"] = "other:x" }) == nil {
			t.Errorf("%s: takes the id of another kind", kind)
		}
	}
}

// Every published schema is a valid schema by the 2020-12 meta-schema, which the module of the
// validator brings along.
func TestSchemasSatisfyTheMetaSchema(t *testing.T) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/google/jsonschema-go").Output()
	if err != nil {
		t.Skipf("the go command does not tell where the meta-schema is: %v", err)
	}
	folder := filepath.Join(strings.TrimSpace(string(dir)), "jsonschema", "meta-schemas", "draft2020-12")
	read := func(name string) (*jsonschema.Schema, error) {
		data, err := os.ReadFile(filepath.Join(folder, name+".json"))
		if err != nil {
			return nil, err
		}
		var s jsonschema.Schema
		return &s, json.Unmarshal(data, &s)
	}
	root, err := read("schema")
	if err != nil {
		t.Fatal(err)
	}
	meta, err := root.Resolve(&jsonschema.ResolveOptions{Loader: func(u *url.URL) (*jsonschema.Schema, error) {
		return read(strings.TrimPrefix(u.Path, "/draft/2020-12/"))
	}})
	if err != nil {
		t.Fatal(err)
	}
	c := realCatalog(t)
	for _, name := range catalog.SchemaNames() {
		data, _ := c.Schema(name)
		if err := meta.Validate(plainJSON(t, json.RawMessage(data))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// resolvedSchemas returns every schema ready to validate.
func resolvedSchemas(t testing.TB, c *catalog.Catalog) map[string]*jsonschema.Resolved {
	t.Helper()
	schemas := make(map[string]*jsonschema.Resolved)
	for _, name := range catalog.SchemaNames() {
		data, _ := c.Schema(name)
		var s jsonschema.Schema
		if err := json.Unmarshal(data, &s); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		r, err := s.Resolve(nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		schemas[name] = r
	}
	return schemas
}

// plainJSON returns v as it reads back from its JSON form.
func plainJSON(t testing.TB, v any) any {
	t.Helper()
	var plain any
	if err := json.Unmarshal(wirejson.Must(wirejson.Compact(v)), &plain); err != nil {
		t.Fatal(err)
	}
	return plain
}

// set puts a value at a path of keys and indices separated by dots.
func set(doc any, path string, value any) error {
	first, rest, more := strings.Cut(path, ".")
	switch d := doc.(type) {
	case map[string]any:
		if !more {
			d[first] = value
			return nil
		}
		return set(d[first], rest, value)
	case []any:
		i, err := strconv.Atoi(first)
		if err != nil || i >= len(d) {
			return fmt.Errorf("no item %q", first)
		}
		if !more {
			d[i] = value
			return nil
		}
		return set(d[i], rest, value)
	}
	return fmt.Errorf("nothing at %q", path)
}

// keysInOrder returns the keys of a JSON object in their order.
func keysInOrder(t testing.TB, object []byte) []string {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(object))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		t.Fatalf("not an object: %.40s", object)
	}
	var keys []string
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, key.(string))
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			t.Fatal(err)
		}
	}
	return keys
}

// The members of a document come in the order of its schema.
func TestMembersInTheOrderOfTheirSchema(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	c := realCatalog(t)
	for _, d := range testDocuments(t, c) {
		data, _ := c.Schema(d.schema)
		var schema struct{ Properties json.RawMessage }
		if err := json.Unmarshal(data, &schema); err != nil {
			t.Fatal(err)
		}
		known := keysInOrder(t, schema.Properties)
		got := keysInOrder(t, wirejson.Must(wirejson.Compact(d.value)))
		want := slices.DeleteFunc(known, func(k string) bool { return !slices.Contains(got, k) })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (%s): order of members (-schema +document):\n%s", d.schema, d.name, diff)
		}
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
