package metadata

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/wirejson"
)

// OpenAPI returns the description of every address in OpenAPI 3.1: the files at routes and the interfaces that are not
// files.
func (r *Renderer) OpenAPI(routes []Route) (any, error) {
	schemas, err := r.openapiSchemas()
	if err != nil {
		return nil, err
	}
	o := r.cat.Terms()
	return object{
		{"openapi", "3.1.0"},
		{"info", object{
			{"title", r.identity.Name},
			{"version", r.o.Version},
			{"summary", "Reference data about machine payments and agent protocols"},
			{"description", r.identity.Description + " All files are free and need no credential."},
			{"license", object{{"name", r.identity.License.Name + " for the links and summaries"}, {"url", r.identity.License.URL}}},
		}},
		{"x-service-info", object{
			{"categories", []string{"data", "search", "developer-tools"}},
			{"docs", object{
				{"apiReference", r.site.URL(catalog.OpenAPIPath)}, {"homepage", r.site.URL(catalog.HomePath)}, {"llms", r.site.URL(catalog.LLMsPath)},
			}},
		}},
		{"servers", []object{{{"url", r.site.Base}, {"description", "The files"}}}},
		{"tags", []object{
			{{"name", "library"}, {"description", "Curated sources by category and tag"}},
			{{"name", "facts"}, {"description", "Protocol facts, changes and the trust checklist"}},
			{{"name", "texts"}, {"description", "Articles and datasets"}},
			{{"name", "support"}, {"description", "Voluntary tips"}},
			{{"name", "discovery"}, {"description", "Files that describe the others"}},
			{{"name", "search"}, {"description", fmt.Sprintf("Paid search: %d satoshis buy %d requests for %d days", o.PriceSats, o.Credits, o.ValidDays)}},
			{{"name", "tools"}, {"description", "The tool server for agents"}},
		}},
		{"security", []object{{}}},
		{"paths", r.openapiPaths(routes)},
		{"components", object{
			{"schemas", schemas},
			{"responses", object{
				{"NotModified", object{{"description", "The client has the current bytes already, according to If-None-Match or If-Modified-Since."}}},
				{"Problem", problemResponse("What went wrong and what to do (RFC 9457).", object{
					{"type", r.site.ProblemBase() + "not_found"}, {"title", "Not found"}, {"status", 404},
					{"detail", "Nothing is published at this address. " + r.site.URL(catalog.ManifestPath) + " lists every file."}, {"code", "not_found"},
				})},
			}},
			{"securitySchemes", object{{"L402", object{
				{"type", "http"}, {"scheme", "L402"},
				{"description", "Authorization: L402 <macaroon in base64>:<preimage in hex>. The macaroon and the invoice that reveals the preimage come with status 402."},
			}}, {"Payment", object{
				{"type", "http"}, {"scheme", "Payment"},
				{"description", "Authorization: Payment <credential in base64url>, for method lightning and intent charge (draft-httpauth-payment). It comes with the same status 402 and the same invoice."},
			}}}},
		}},
	}, nil
}

// openapiSchemas returns the published schemas as components. A schema file refers to a definition as #/$defs/name, this
// document as #/components/schemas/name; a definition that several files share appears once.
func (r *Renderer) openapiSchemas() (map[string]any, error) {
	schemas := make(map[string]any)
	text := make(map[string]string)
	add := func(name string, value any) error {
		data, err := wirejson.Compact(value)
		if err != nil {
			return fmt.Errorf("schema %s: %w", name, err)
		}
		if old, ok := text[name]; ok && old != string(data) {
			return fmt.Errorf("two schemas define %q differently", name)
		}
		schemas[name], text[name] = value, string(data)
		return nil
	}
	for _, name := range catalog.SchemaNames() {
		body, _ := r.cat.Schema(name)
		var schema map[string]any
		if err := json.Unmarshal(body, &schema); err != nil {
			return nil, fmt.Errorf("schema %s: %w", name, err)
		}
		moveRefs(schema)
		defs, _ := schema["$defs"].(map[string]any)
		for _, def := range slices.Sorted(maps.Keys(defs)) {
			if err := add(def, defs[def]); err != nil {
				return nil, err
			}
		}
		for _, key := range []string{"$defs", "$id", "$schema"} {
			delete(schema, key)
		}
		if err := add(documentSchema(name), schema); err != nil {
			return nil, err
		}
	}
	return schemas, nil
}

// moveRefs rewrites the references of a schema.
func moveRefs(v any) {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if ref, ok := value.(string); ok && key == "$ref" {
				v[key] = strings.Replace(ref, "#/$defs/", "#/components/schemas/", 1)
				continue
			}
			moveRefs(value)
		}
	case []any:
		for _, item := range v {
			moveRefs(item)
		}
	}
}
