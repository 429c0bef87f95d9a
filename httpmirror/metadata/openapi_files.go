package metadata

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/httpmirror/file"
	"almanac/wirejson"
)

// A Route is the address of a file, or a template of such addresses.
type Route struct {
	Operation  string // the operationId
	Tag        string
	Path       string // with its parameters in braces
	Summary    string
	MediaType  string
	Schema     string            // of the JSON form, see catalog.SchemaNames; "" for none
	Alternates []string          // further media types in which the address answers
	Examples   map[string]string // by media type: the path of a file that is published
	Parameters []Parameter
}

// A Parameter is a variable in the path of a Route.
type Parameter struct {
	Name    string
	Values  []string // all it can be, if that is a closed list
	Format  string   // of the JSON Schema, such as date; "" for none
	Example string
}

// filePaths returns the operations of the files by path.
func (r *Renderer) filePaths(routes []Route) object {
	var paths object
	for _, route := range routes {
		paths = paths.add(route.Path, object{{"get", r.fileOperation(route)}})
	}
	return paths
}

func (r *Renderer) fileOperation(route Route) object {
	var content object
	for _, t := range append([]string{route.MediaType}, route.Alternates...) {
		content = content.add(t, object{{"schema", route.schemaFor(t)},
			{"examples", published(r.site.URL(route.Examples[t]))}})
	}
	op := object{{"operationId", route.Operation}, {"summary", route.Summary}, {"tags", []string{route.Tag}}}
	if len(route.Parameters) > 0 {
		parameters := make([]object, len(route.Parameters))
		for i, p := range route.Parameters {
			parameters[i] = parameter(p.Name, "path", "The "+p.Name+".", true, p.schema(), p.Example)
		}
		op = op.add("parameters", parameters)
	}
	return op.add("responses", responses(object{{"description", route.Summary + "."}, {"content", content}}, "304",
		"NotModified", "404", "Problem"))
}

func (p Parameter) schema() object {
	switch {
	case p.Format != "":
		return object{{"type", "string"}, {"format", p.Format}}
	case len(p.Values) > 0:
		return enumSchema(p.Values)
	}
	return stringSchema()
}

func (route Route) schemaFor(mediaType string) object {
	if mediaType == file.JSON && route.Schema != "" {
		return schemaRef(route.Schema)
	}
	if strings.HasSuffix(mediaType, "json") {
		return object{{"type", "object"}}
	}
	return stringSchema()
}

// reference is a reference to a schema among the components.
var reference = regexp.MustCompile(`"#/components/schemas/([^"]+)"`)

// openapiSchemas returns the published schemas that parts of a document refer to, and those that these refer to.
func (r *Renderer) openapiSchemas(parts ...object) (map[string]any, error) {
	all, err := r.allSchemas()
	if err != nil {
		return nil, err
	}
	used := make(map[string]any)
	var use func(value any) error
	use = func(value any) error {
		data, err := wirejson.Compact(value)
		if err != nil {
			return fmt.Errorf("describe the interfaces in OpenAPI: %w", err)
		}
		for _, found := range reference.FindAllSubmatch(data, -1) {
			name := string(found[1])
			if _, ok := used[name]; ok {
				continue
			}
			used[name] = all[name]
			if err := use(all[name]); err != nil {
				return err
			}
		}
		return nil
	}
	for _, part := range parts {
		if err := use(part); err != nil {
			return nil, err
		}
	}
	return used, nil
}

// allSchemas returns the published schemas as components. A schema file refers to a definition as #/$defs/name, an
// OpenAPI document as #/components/schemas/name; a definition that several files share appears once.
func (r *Renderer) allSchemas() (map[string]any, error) {
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

// published returns the examples of an answer that is a published file: the file itself, by its address. So an example
// is never out of date, and a change of a record changes no description.
func published(address string) object {
	return object{{"published", object{{"summary", "As it is published"}, {"externalValue", address}}}}
}

// The values that examples of the paid interface have in common. The macaroon and the invoice are cut short.
const (
	exampleTime     = "2026-11-21T12:00:00Z"
	exampleExpiry   = "2026-12-21T12:00:00Z"
	exampleMacaroon = "AgEHYWxtYW5hYw=="
	exampleInvoice  = "lnbc1u1p5example"
)

var exampleHash = strings.Repeat("0a", 32)

// challengeExample is the body of a 402.
func (r *Renderer) challengeExample() object {
	o := r.cat.Terms()
	return object{
		{"type", r.site.ProblemBase() + "payment_required"}, {"title", "Payment required"}, {"status", 402},
		{"detail", "Pay the invoice, then repeat the request with the header Authorization: L402 <macaroon>:<preimage>."}, {"code", "payment_required"},
		{"macaroon", exampleMacaroon}, {"invoice", exampleInvoice}, {"payment_hash", exampleHash},
		{"price_sats", o.PriceSats}, {"credits", o.Credits}, {"valid_days", o.ValidDays},
		{"expires_at", "2026-11-21T12:15:00Z"},
	}
}

// searchExample is an answer with one hit.
func (r *Renderer) searchExample() object {
	page := r.site.URL(catalog.ProtocolPath("l402"))
	const source, day = "https://github.com/lightninglabs/L402/blob/master/protocol-specification.md", "2026-11-21"
	return object{
		{"schema_version", catalog.SchemaVersion}, {"generated_at", exampleTime}, {"query", "macaroon"}, {"total", 1},
		{"count", 1},
		{"entries", []object{{
			{"id", "protocol:l402"}, {"kind", "protocol"}, {"title", "L402"}, {"url", page}, {"date_published", nil},
			{"verified_at", day}, {"score", 7.25},
			{"matched", []object{{{"term", "macaroon"}, {"in", []string{"text"}}}}}, {"highlights", object{}},
			{"passages", []object{{
				{"kind", "fact"}, {"title", "HTTP headers"},
				{"text", "Authorization: the macaroon and the preimage of the paid invoice"}, {"url", page + "#http_headers"},
				{"source", source}, {"verified_at", day}, {"highlights", [][]int{{19, 27}}},
			}}},
		}}},
		{"facets", object{
			{"category", []object{}}, {"tag", []object{}}, {"type", []object{}},
			{"kind", []object{{{"value", "protocol"}, {"count", 1}}}},
		}},
		{"credits", object{{"remaining", 99}, {"valid_until", exampleExpiry}}},
	}
}

// creditsExample is a balance.
func (r *Renderer) creditsExample() object {
	return object{
		{"schema_version", catalog.SchemaVersion}, {"generated_at", exampleTime}, {"payment_hash", exampleHash},
		{"credits", r.cat.Terms().Credits}, {"remaining", 99}, {"valid_until", exampleExpiry},
	}
}

// demoOperation returns the wallet of a demonstration.
func demoOperation() object {
	invoice := object{{"type", "object"}, {"required", []string{"invoice"}},
		{"properties", object{{"invoice", stringSchema()}}}}
	preimage := object{{"type", "object"}, {"required", []string{"preimage"}}, {"properties", object{
		{"preimage", object{{"type", "string"}, {"pattern", "^[0-9a-f]{64}$"}}},
	}}}
	return object{
		{"operationId", "demoPay"},
		{"summary", "Pay an invoice of this demonstration"},
		{"description", "The wallet of the demonstration. It pays the invoices that the service made, and no money moves."},
		{"tags", []string{"search"}},
		{"requestBody", object{{"required", true}, {"content", jsonContent(invoice, object{{"invoice", exampleInvoice}})}}},
		{"responses", responses(object{
			{"description", "The proof of the payment."}, {"content", jsonContent(preimage, object{{"preimage", exampleHash}})},
		}, "400", "Problem", "404", "Problem", "410", "Problem")},
	}
}
