package metadata

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.almanac.example/catalog"
)

// A Language has the formats in which Types writes.
type Language struct {
	declaration, comment, object, list, dictionary string
	member, optional                               string // arguments: indent, name of a field, type, name in JSON
	words                                          map[string]string
	closed                                         bool // types can list values
}

// The languages of Types.
var (
	TypeScript = Language{
		declaration: "export type %s = %s;\n\n", comment: "%s/** %s */\n",
		object: "{\n%s%s}", list: "Array<%s>", dictionary: "Record<string, %s>",
		member: "%[1]s%[4]q: %[3]s;\n", optional: "%[1]s%[4]q?: %[3]s;\n", closed: true,
		words: map[string]string{"string": "string", "boolean": "boolean", "integer": "number", "number": "number",
			"null": "null", "": "unknown"},
	}
	Go = Language{
		declaration: "type %s %s\n\n", comment: "%s// %s\n",
		object: "struct {\n%s%s}", list: "[]%s", dictionary: "map[string]%s",
		member: "%[1]s%[2]s %[3]s `json:%[4]q`\n", optional: "%[1]s%[2]s *%[3]s `json:\"%[4]s,omitempty\"`\n",
		words: map[string]string{"string": "string", "boolean": "bool", "integer": "int", "number": "float64",
			"null": "null", "": "any"},
	}
)

// A schemaNode is an object of a JSON Schema.
type schemaNode map[string]any

func (s schemaNode) node(name string) schemaNode {
	n, _ := s[name].(map[string]any)
	return n
}

func (s schemaNode) list(name string) []any {
	l, _ := s[name].([]any)
	return l
}

// readSchema returns a published schema. It panics where that is not JSON, which a test of the schemas prevents.
func readSchema(c *catalog.Catalog, name string) (s schemaNode) {
	text, _ := c.Schema(name)
	if err := json.Unmarshal(text, &s); err != nil {
		panic(fmt.Sprintf("metadata: schema %s: %v", name, err))
	}
	return s
}

// A typeWriter writes the types of schemas in a language.
type typeWriter struct {
	Language
	defs schemaNode
}

// Types returns declarations of the documents that some schemas describe, and of the objects within them. They have the
// members of the schemas, and say less about their values.
func Types(c *catalog.Catalog, schemas []string, l Language) string {
	t := &typeWriter{l, make(schemaNode)}
	declared := make(map[string]schemaNode)
	for _, name := range schemas {
		document := readSchema(c, name)
		declared[DocumentType(name)] = document
		maps.Copy(t.defs, document.node("$defs"))
	}
	for name := range t.defs {
		if def := t.defs.node(name); def["properties"] != nil {
			declared[typeName(name)] = def
		}
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(declared)) {
		if text, ok := declared[name]["description"].(string); ok {
			fmt.Fprintf(&b, t.comment, "", name+": "+text)
		}
		fmt.Fprintf(&b, t.declaration, name, t.write(declared[name], ""))
	}
	return b.String()
}

// write returns the type of the values that a schema allows. indent is that of its line.
func (t *typeWriter) write(s schemaNode, indent string) string {
	ref, _ := s["$ref"].(string)
	name := strings.TrimPrefix(ref, "#/$defs/")
	def := t.defs.node(name)
	values := s.list("enum")
	if value, ok := s["const"]; ok {
		values = []any{value}
	}
	kind, _ := s["type"].(string)
	switch {
	case s["properties"] != nil:
		return t.writeObject(def, s, indent)
	case def["properties"] != nil:
		return typeName(name)
	case def != nil:
		return t.write(def, indent)
	case len(values) > 0:
		return t.writeValues(values)
	case kind == "array":
		return fmt.Sprintf(t.list, t.write(s.node("items"), indent))
	case kind == "object":
		return fmt.Sprintf(t.dictionary, t.write(s.node("additionalProperties"), indent))
	case kind != "":
		return t.words[kind]
	}
	return t.writeUnion(append(s.list("anyOf"), s.list("oneOf")...), indent)
}

// writeObject returns the type of an object with the members of a schema and of the one that it extends.
func (t *typeWriter) writeObject(base, s schemaNode, indent string) string {
	members := make(schemaNode)
	maps.Copy(members, base.node("properties"))
	maps.Copy(members, s.node("properties"))
	required := append(base.list("required"), s.list("required")...)
	format := make(map[string]string)
	var names []string // in the order of the documents
	for _, name := range required {
		names, format[name.(string)] = append(names, name.(string)), t.member
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if format[name] == "" && members[name] != false {
			names, format[name] = append(names, name), t.optional
		}
	}
	var b strings.Builder
	for _, name := range names {
		member, inner := members.node(name), indent+"\t"
		if text, ok := member["description"].(string); ok {
			fmt.Fprintf(&b, t.comment, inner, text)
		}
		fmt.Fprintf(&b, format[name], inner, typeName(name), t.write(member, inner), name)
	}
	return fmt.Sprintf(t.object, b.String(), indent)
}

// writeUnion returns the type of a value that satisfies one of several schemas. A language without unions has it if
// only null is the other.
func (t *typeWriter) writeUnion(options []any, indent string) string {
	var types []string
	for _, option := range options {
		types = append(types, t.write(option.(map[string]any), indent))
	}
	switch {
	case t.closed && len(types) > 0:
		return strings.Join(types, " | ")
	case len(types) == 2 && types[1] == "null":
		return "*" + types[0]
	}
	return t.words[""]
}

// writeValues returns the type of a closed list of values.
func (t *typeWriter) writeValues(values []any) string {
	if !t.closed {
		return map[string]string{"string": "string", "bool": "bool", "float64": "int"}[fmt.Sprintf("%T", values[0])]
	}
	list := make([]string, len(values))
	for i, v := range values {
		text, _ := json.Marshal(v) // a value of JSON
		list[i] = string(text)
	}
	return strings.Join(list, " | ")
}

// DocumentType returns the name of the type of the documents that a schema describes.
func DocumentType(schema string) string { return typeName(schema) + "Document" }

// typeName returns a name of the schemas as types have it: "category_id" is CategoryID.
func typeName(name string) string {
	var b strings.Builder
	for _, part := range strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune("_-:$@", r) }) {
		if part == "id" || part == "url" || part == "json" || part == "html" {
			part = strings.ToUpper(part)
		}
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}
