package metadata

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/file"
	"go.almanac.example/internal/wirejson"
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

// Types returns the media types in which the address answers.
func (r Route) Types() []string { return append([]string{r.MediaType}, r.Alternates...) }

// SchemaName returns the name of the schema of the answers in a media type, or "".
func (r Route) SchemaName(mediaType string) string {
	if mediaType != file.JSON {
		return ""
	}
	return r.Schema
}

// OpenAPI returns the description of the interfaces that are not files in OpenAPI 3.1.
func (r *Renderer) OpenAPI() json.RawMessage { return r.openapi("openapi", nil) }

// OpenAPIFiles returns the description of the files at routes in OpenAPI 3.1. An example is the published file itself,
// by its address, so that it is never out of date, and a change of a record changes no description.
func (r *Renderer) OpenAPIFiles(routes []Route) json.RawMessage {
	return r.openapi("openapi-files", routes)
}

// openapi returns an OpenAPI document with the schemas that it refers to.
func (r *Renderer) openapi(name string, item any) json.RawMessage {
	document := r.Document(name, item)
	used := make(map[string]json.RawMessage)
	use(document, r.allSchemas(), used)
	return bytes.Replace(document, []byte(`"@schemas"`), wirejson.Must(wirejson.Compact(used)), 1)
}

// reference is a reference to a schema among the components.
var reference = regexp.MustCompile(`"#/components/schemas/([^"]+)"`)

// use adds the schemas that a text refers to, and those that these refer to.
func use(text []byte, all, used map[string]json.RawMessage) {
	for _, found := range reference.FindAllSubmatch(text, -1) {
		if name := string(found[1]); used[name] == nil {
			used[name] = all[name]
			use(all[name], all, used)
		}
	}
}

// allSchemas returns the published schemas as components. A schema file refers to a definition as #/$defs/name, an
// OpenAPI document as #/components/schemas/name; a definition that several files share appears once.
func (r *Renderer) allSchemas() map[string]json.RawMessage {
	schemas := make(map[string]json.RawMessage)
	add := func(name string, schema any) {
		text := wirejson.Must(wirejson.Compact(schema))
		text = bytes.ReplaceAll(text, []byte(`"#/$defs/`), []byte(`"#/components/schemas/`))
		if old, ok := schemas[name]; ok && !bytes.Equal(old, text) {
			panic(fmt.Sprintf("metadata: two schemas define %q differently", name))
		}
		schemas[name] = text
	}
	for _, name := range catalog.SchemaNames() {
		text, _ := r.cat.Schema(name)
		var schema map[string]any
		if err := json.Unmarshal(text, &schema); err != nil {
			panic(fmt.Sprintf("metadata: schema %s: %v", name, err)) // a test of the schemas prevents it
		}
		defs, _ := schema["$defs"].(map[string]any)
		for def, value := range defs {
			add(def, value)
		}
		for _, key := range []string{"$defs", "$id", "$schema"} {
			delete(schema, key)
		}
		add(component(name), schema)
	}
	return schemas
}

// component returns the name of the component of a document's schema, apart from those of the definitions: the document
// "library" is LibraryDocument.
func component(name string) string {
	var s strings.Builder
	for part := range strings.SplitSeq(name, "-") {
		s.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return s.String() + "Document"
}
