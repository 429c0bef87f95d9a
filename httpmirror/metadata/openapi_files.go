package metadata

import (
	"strings"

	"almanac/httpmirror/file"
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

// A Parameter is what stands in braces in the path of a Route.
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
		paths = paths.with(route.Path, object{{"get", r.fileOperation(route)}})
	}
	return paths
}

func (r *Renderer) fileOperation(route Route) object {
	var content object
	for _, t := range append([]string{route.MediaType}, route.Alternates...) {
		content = content.with(t, object{{"schema", route.schemaFor(t)}, {"examples", published(r.site.URL(route.Examples[t]))}})
	}
	op := object{{"operationId", route.Operation}, {"summary", route.Summary}, {"tags", []string{route.Tag}}}
	if len(route.Parameters) > 0 {
		parameters := make([]object, len(route.Parameters))
		for i, p := range route.Parameters {
			parameters[i] = parameter(p.Name, "path", "The "+p.Name+".", true, p.schema(), p.Example)
		}
		op = op.with("parameters", parameters)
	}
	return op.with("responses", responses(object{{"description", route.Summary + "."}, {"content", content}}, "304", "NotModified", "404", "Problem"))
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
