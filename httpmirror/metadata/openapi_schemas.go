package metadata

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/wirejson"
)

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

// allSchemas returns the published schemas as components. A schema file refers to a definition as #/$defs/name, an OpenAPI
// document as #/components/schemas/name; a definition that several files share appears once.
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
