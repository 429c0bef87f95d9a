package metadata

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"go.almanac.example/catalog"
	"go.almanac.example/internal/wirejson"
)

// OpenAPI returns the description of the interfaces that are not files in OpenAPI 3.1, with the schemas that it refers to.
func (r *Renderer) OpenAPI() json.RawMessage {
	document := r.Document("openapi", nil)
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
