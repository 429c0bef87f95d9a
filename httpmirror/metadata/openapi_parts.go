package metadata

import (
	"strings"

	"almanac/httpmirror/file"
)

// problemResponse returns a response with a problem document.
func problemResponse(description string, example object) object {
	return object{
		{"description", description},
		{"content", object{{"application/problem+json", object{{"schema", schemaRef("problem")}, {"example", example}}}}},
	}
}

// jsonContent returns a body in JSON with an example.
func jsonContent(schema, example object) object {
	return object{{file.JSON, object{{"schema", schema}, {"example", example}}}}
}

func schemaRef(name string) object {
	return object{{"$ref", "#/components/schemas/" + documentSchema(name)}}
}

// responses returns the responses of an operation: 200 first, then references by status.
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

// listSchema describes a parameter that may be repeated.
func listSchema(items object) object { return object{{"type", "array"}, {"items", items}} }

func dateSchema() object { return object{{"type", "string"}, {"format", "date"}} }

// documentSchema returns the name of the component of a document's schema, apart from those of the definitions: the
// document "library" is LibraryDocument.
func documentSchema(name string) string {
	var s strings.Builder
	for part := range strings.SplitSeq(name, "-") {
		s.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return s.String() + "Document"
}
