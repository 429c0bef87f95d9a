package httpmirror

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"almanac/catalog"
	"almanac/httpmirror/file"
)

// openapi adds the description of every address in OpenAPI 3.1.
func (b *builder) openapi() error {
	schemas, err := b.openapiSchemas()
	if err != nil {
		return err
	}
	o := b.cat.Terms()
	doc := object{
		{"openapi", "3.1.0"},
		{"info", object{
			{"title", siteName},
			{"version", b.o.Version},
			{"summary", "Reference data about machine payments and agent protocols"},
			{"description", siteDescription + " All files are free and need no credential."},
			{"license", object{{"name", "CC0 1.0 for the links and summaries"}, {"url", licenseURL}}},
		}},
		{"x-service-info", object{
			{"categories", []string{"data", "search", "developer-tools"}},
			{"docs", object{
				{"apiReference", b.site.URL(catalog.OpenAPIPath)}, {"homepage", b.site.URL(catalog.HomePath)}, {"llms", b.site.URL(catalog.LLMsPath)},
			}},
		}},
		{"servers", []object{{{"url", b.site.Base}, {"description", "The files"}}}},
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
		{"paths", b.openapiPaths()},
		{"components", object{
			{"schemas", schemas},
			{"responses", object{
				{"NotModified", object{{"description", "The caller has these bytes already, as If-None-Match or If-Modified-Since told."}}},
				{"Problem", problemResponse("What went wrong and what to do (RFC 9457).")},
			}},
			{"securitySchemes", object{{"L402", object{
				{"type", "http"}, {"scheme", "L402"},
				{"description", "Authorization: L402 <macaroon in base64>:<preimage in hex>. The macaroon and the invoice that reveals the preimage come with status 402."},
			}}}},
		}},
	}
	return b.addJSON(catalog.OpenAPIPath, doc)
}

// openapiSchemas gives the published schemas as components. In a schema file a definition is
// reached as #/$defs/name, here as #/components/schemas/name, and one that several files share
// stands once.
func (b *builder) openapiSchemas() (map[string]any, error) {
	schemas := make(map[string]any)
	text := make(map[string]string)
	put := func(name string, value any) error {
		data, err := json.Marshal(value)
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
		body, _ := b.cat.Schema(name)
		var schema map[string]any
		if err := json.Unmarshal(body, &schema); err != nil {
			return nil, fmt.Errorf("schema %s: %w", name, err)
		}
		moveRefs(schema)
		defs, _ := schema["$defs"].(map[string]any)
		for _, def := range slices.Sorted(maps.Keys(defs)) {
			if err := put(def, defs[def]); err != nil {
				return nil, err
			}
		}
		for _, key := range []string{"$defs", "$id", "$schema"} {
			delete(schema, key)
		}
		if err := put(documentSchema(name), schema); err != nil {
			return nil, err
		}
	}
	return schemas, nil
}

// documentSchema names the component of a document's schema apart from the definitions: the
// document "library" is LibraryDocument.
func documentSchema(name string) string {
	var s strings.Builder
	for part := range strings.SplitSeq(name, "-") {
		s.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return s.String() + "Document"
}

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

func problemResponse(description string) object {
	return object{
		{"description", description},
		{"content", object{{"application/problem+json", object{{"schema", schemaRef("problem")}}}}},
	}
}

func schemaRef(name string) object {
	return object{{"$ref", "#/components/schemas/" + documentSchema(name)}}
}

// responses gives the responses of an operation: 200 first, then the references by status.
func responses(ok object, refs ...string) object {
	list := object{{"200", ok}}
	for i := 0; i < len(refs); i += 2 {
		list = list.with(refs[i], object{{"$ref", "#/components/responses/" + refs[i+1]}})
	}
	return list
}

func parameter(name, in, description string, required bool, schema object, example any) object {
	return object{
		{"name", name}, {"in", in}, {"description", description}, {"required", required}, {"schema", schema}, {"example", example},
	}
}

func stringSchema() object { return object{{"type", "string"}} }

func enumSchema(values []string) object { return object{{"type", "string"}, {"enum", values}} }

func dateSchema() object { return object{{"type", "string"}, {"format", "date"}} }

// searchOperation is the paid search with what it costs.
func (b *builder) searchOperation() object {
	o := b.cat.Terms()
	query := func(name, description string, required bool, schema object, example any) object {
		return parameter(name, "query", description, required, schema, example)
	}
	challenge := problemResponse("Pay the Lightning invoice, then repeat the request with Authorization: L402 <macaroon>:<preimage>. " +
		"The body holds the same macaroon and invoice as the header.")
	challenge = challenge.with("headers", object{{"WWW-Authenticate", object{
		{"description", `L402 macaroon="<base64>", invoice="<bolt11>", version="0", token="<base64>"`}, {"required", true}, {"schema", stringSchema()},
	}}})
	return object{
		{"operationId", "search"},
		{"summary", "Search the library, the protocol facts, the articles and the datasets"},
		{"description", fmt.Sprintf("%d satoshis buy %d requests for %d days. Only an answer with status 200 costs a credit.", o.PriceSats, o.Credits, o.ValidDays)},
		{"tags", []string{"search"}},
		{"security", []object{{{"L402", []string{}}}}},
		{"x-payment-info", object{{"offers", []object{{
			{"intent", "charge"}, {"method", "lightning"}, {"amount", strconv.FormatInt(o.PriceSats, 10)}, {"currency", "sat"},
			{"description", fmt.Sprintf("One payment over L402 buys %d requests for %d days.", o.Credits, o.ValidDays)},
		}}}}},
		{"parameters", []object{
			query("q", "What to look for: words, phrases in quotes, and filters such as tag:lightning.", true,
				object{{"type", "string"}, {"minLength", 1}, {"maxLength", 256}}, "macaroon"),
			query("category", "Only entries of a category.", false, enumSchema(b.categoryIDs()), "payments"),
			query("tag", "Only entries with a tag.", false, stringSchema(), b.anyTag()),
			query("type", "Only entries of a type.", false, enumSchema(catalog.EntryTypes), "spec"),
			query("kind", "Only records of a kind.", false, enumSchema([]string{"library", "protocol", "article", "dataset"}), "library"),
			query("from", "Only records published on this day or later.", false, dateSchema(), "2025-01-01"),
			query("to", "Only records published on this day or earlier.", false, dateSchema(), "2026-12-31"),
			query("limit", "Hits in one answer.", false, object{{"type", "integer"}, {"minimum", 1}, {"maximum", 50}, {"default", 10}}, 10),
			query("cursor", "next_cursor of the answer before.", false, stringSchema(), "…"),
			parameter("Idempotency-Key", "header", "Names the request. Repeated with the same key within a minute, because no answer came, it costs one credit in all.",
				false, stringSchema(), "8e03978e-40d5-43dd-bc93-6894a57f9324"),
		}},
		{"responses", append(object{
			{"200", object{
				{"description", "The hits, best first."},
				{"headers", object{{"X-Credit-Balance", object{{"description", "Credits left."}, {"schema", object{{"type", "integer"}}}}}}},
				{"content", object{{file.JSON, object{{"schema", schemaRef("search")}}}}},
			}},
			{"402", challenge},
		}, responses(nil, "400", "Problem", "429", "Problem", "503", "Problem")[1:]...)},
	}
}

func (b *builder) creditsOperation() object {
	return object{
		{"operationId", "credits"},
		{"summary", "What is left of a credential"},
		{"description", "Costs nothing."},
		{"tags", []string{"search"}},
		{"security", []object{{{"L402", []string{}}}}},
		{"responses", responses(object{
			{"description", "The balance."}, {"content", object{{file.JSON, object{{"schema", schemaRef("credits")}}}}},
		}, "400", "Problem", "402", "Problem", "503", "Problem")},
	}
}

// toolsOperation is the tool server, whose messages MCP defines.
func toolsOperation() object {
	message := object{{"type", "object"}, {"required", []string{"jsonrpc"}}, {"properties", object{
		{"jsonrpc", object{{"const", "2.0"}}}, {"id", object{{"type", []string{"string", "integer"}}}}, {"method", stringSchema()}, {"params", object{{"type", "object"}}},
	}}}
	return object{
		{"operationId", "mcp"},
		{"summary", "A message to the tool server"},
		{"description", "The Model Context Protocol over streamable HTTP, without sessions, answered in JSON. The server card tells the versions."},
		{"tags", []string{"tools"}},
		{"requestBody", object{{"required", true}, {"content", object{{file.JSON, object{
			{"schema", message}, {"example", object{{"jsonrpc", "2.0"}, {"id", 1}, {"method", "tools/list"}}},
		}}}}}},
		{"responses", append(responses(object{
			{"description", "The answer to a request."},
			{"content", object{{file.JSON, object{{"schema", object{{"type", "object"}, {"required", []string{"jsonrpc"}},
				{"properties", object{{"jsonrpc", object{{"const", "2.0"}}}}}}}}}}},
		}), member{"202", object{{"description", "A notification was taken."}}}, member{"400", object{{"description", "No message of the protocol; the body is a JSON-RPC error."}}})},
	}
}

func (b *builder) categoryIDs() []string {
	var ids []string
	for _, k := range b.cat.Categories() {
		ids = append(ids, k.ID)
	}
	return ids
}

func (b *builder) anyTag() string {
	for _, t := range b.cat.Tags() {
		return t.ID
	}
	return ""
}
