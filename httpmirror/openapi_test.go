package httpmirror

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/file"
)

// An openapiDocument is what TestOpenAPIExamples reads of an OpenAPI document.
type openapiDocument struct {
	Paths      map[string]map[string]json.RawMessage
	Components struct {
		Schemas   map[string]json.RawMessage
		Responses map[string]openapiResponse
	}
}

type openapiOperation struct {
	OperationID string           `json:"operationId"`
	RequestBody *openapiResponse `json:"requestBody"`
	Responses   map[string]openapiResponse
}

type openapiResponse struct {
	Content map[string]openapiContent
}

type openapiContent struct {
	Schema   json.RawMessage
	Example  json.RawMessage
	Examples map[string]struct {
		Value         json.RawMessage
		ExternalValue string `json:"externalValue"`
	}
}

// readOpenAPI reads an OpenAPI document.
func readOpenAPI(t *testing.T, m *Mirror, path string) openapiDocument {
	t.Helper()
	f, _ := m.File(path)
	var doc openapiDocument
	if err := json.Unmarshal(f.Body, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// demoMirror is the mirror of a demonstration, in whose OpenAPI documents stands everything that there can be.
func demoMirror(t *testing.T) *Mirror {
	return smallMirror(t, func(o *catalog.Options) {
		o.Terms = catalog.DefaultTerms
		o.Terms.Demo = true
	})
}

// schema returns a schema of the document with the components that it refers to.
func (d openapiDocument) schema(t *testing.T, schema json.RawMessage) *jsonschema.Resolved {
	t.Helper()
	defs, err := json.Marshal(d.Components.Schemas)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(`{"$defs":`+string(defs)+`,"allOf":[`+string(schema)+`]}`, "#/components/schemas/", "#/$defs/")
	var s jsonschema.Schema
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return resolved
}

// TestOpenAPIExamples: every body that an operation takes or answers with has an example, and every example satisfies the schema beside
// it. An example that is a published file is there, and of the media type.
func TestOpenAPIExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	m := demoMirror(t)
	doc := readOpenAPI(t, m, catalog.OpenAPIPath)
	check := func(at, mediaType string, c openapiContent) {
		t.Helper()
		var values []json.RawMessage
		if c.Example != nil {
			values = append(values, c.Example)
		}
		for _, e := range c.Examples {
			value := e.Value
			if e.ExternalValue != "" {
				path, here := strings.CutPrefix(e.ExternalValue, m.cat.Site().Base)
				f, ok := m.File(path)
				if e.ExternalValue == m.cat.Site().ServerCardURL() {
					return // not a file of the mirror; package mcpserver tests it
				}
				if !here || !ok || file.BareType(f.Type) != mediaType {
					t.Errorf("%s: %s is not a file of type %s", at, e.ExternalValue, mediaType)
					return
				}
				value = f.Body
			}
			values = append(values, value)
		}
		if len(values) == 0 {
			t.Errorf("%s has no example", at)
		}
		for _, value := range values {
			if !strings.HasSuffix(mediaType, "json") {
				continue
			}
			var v any
			if err := json.Unmarshal(value, &v); err != nil {
				t.Errorf("%s: the example: %v", at, err)
			} else if err := doc.schema(t, c.Schema).Validate(v); err != nil {
				t.Errorf("%s: the example: %v", at, err)
			}
		}
	}
	for path, operations := range doc.Paths {
		for method, raw := range operations {
			if method == "servers" {
				continue
			}
			var op openapiOperation
			if err := json.Unmarshal(raw, &op); err != nil {
				t.Fatalf("%s %s: %v", method, path, err)
			}
			if op.RequestBody != nil {
				for mediaType, c := range op.RequestBody.Content {
					check(op.OperationID+", body", mediaType, c)
				}
			}
			if len(op.Responses["200"].Content) == 0 {
				t.Errorf("%s %s has no answer", method, path)
			}
			for status, r := range op.Responses {
				for mediaType, c := range r.Content {
					check(op.OperationID+", "+status, mediaType, c)
				}
			}
		}
	}
	for name, r := range doc.Components.Responses {
		for mediaType, c := range r.Content {
			check(name, mediaType, c)
		}
	}
}

// TestOpenAPIOfInterfaces: /openapi.json describes what can be called and bought, and is as short as crawlers of payment discovery
// want it (draft-payment-discovery: 64 KiB), also for the library as it is published.
func TestOpenAPIOfInterfaces(t *testing.T) {
	doc := readOpenAPI(t, demoMirror(t), catalog.OpenAPIPath)
	want := []string{catalog.ServerCardPath, catalog.DemoWalletPath, catalog.MCPPath, catalog.CreditsPath, catalog.ExplainAPIPath, catalog.SearchPath}
	slices.Sort(want)
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(doc.Paths))); diff != "" {
		t.Error(diff)
	}
	free := readOpenAPI(t, smallMirror(t, func(o *catalog.Options) { o.Payments = catalog.PaymentsOff }), catalog.OpenAPIPath)
	if _, ok := free.Paths[catalog.SearchPath]; ok || len(free.Paths) != 3 {
		t.Errorf("what sells nothing describes %v", slices.Sorted(maps.Keys(free.Paths)))
	}
	if f, _ := realMirror(t).File(catalog.OpenAPIPath); len(f.Body) > 64<<10 {
		t.Errorf("the document has %d bytes", len(f.Body))
	}
}
