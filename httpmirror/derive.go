package httpmirror

import (
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/httpmirror/file"
	"almanac/httpmirror/metadata"
)

// What follows from the kinds.

// routes returns the addresses as the OpenAPI document describes them: one for each form of each kind.
func (r *renderer) routes() []metadata.Route {
	var routes []metadata.Route
	for _, k := range r.kinds {
		if k.tag == "" {
			continue
		}
		ids := k.list(r.cat)
		for _, f := range k.forms {
			routes = append(routes, k.route(f, ids))
		}
		if k.paged(ids) {
			for _, f := range k.forms {
				routes = append(routes, k.partRoute(f, ids))
			}
		}
	}
	return routes
}

// paged reports whether some lists of the kind are spread over several documents.
func (k *kind) paged(ids []string) bool {
	for _, id := range ids {
		if strings.Contains(id, "/") {
			return true
		}
	}
	return false
}

// route returns the address of a form.
func (k *kind) route(f form, ids []string) metadata.Route {
	route := metadata.Route{
		Operation: f.operation, Tag: k.tag, Path: f.path, Summary: k.summary + f.suffix, MediaType: file.BareType(f.mediaType), Schema: f.schema,
	}
	if f.summary != "" {
		route.Summary = f.summary
	}
	if f.page != nil {
		for _, a := range k.alternates("") {
			route.Alternates = append(route.Alternates, a.Type)
		}
		if document, ok := k.form(file.JSON); ok {
			route.Schema = document.schema
		}
	}
	_, variable, _ := expression(f.path)
	if variable == "" || len(ids) == 0 {
		return route
	}
	p := metadata.Parameter{Name: variable, Format: k.format, Example: ids[0]}
	if !k.open {
		for _, id := range ids {
			if !strings.Contains(id, "/") {
				p.Values = append(p.Values, id)
			}
		}
	}
	route.Parameters = []metadata.Parameter{p}
	return route
}

// partRoute returns the address of the further parts of a list in a form.
func (k *kind) partRoute(f form, ids []string) metadata.Route {
	route := k.route(f, ids)
	route.Operation += "Part"
	route.Summary += ", continued"
	before, variable, after := expression(f.path)
	route.Path = before + "{" + variable + "}/{page}" + after
	route.Parameters = append(route.Parameters, metadata.Parameter{Name: "page", Example: "2"})
	return route
}

// A Resource is a document, or a family of documents, that the tool server offers by the address of its own scheme.
type Resource struct {
	URITemplate string // RFC 6570; the URI itself when it has no expression
	Name        string
	Title       string
	Description string
	MIME        string
	IDs         []string // what may stand for the expression, sorted; nil when there is none
}

// Resources returns every resource in the order of the kinds: of each kind its JSON form, then its Markdown form, whose
// URI ends in ".md". Mirror.Resource returns their content.
func (m *Mirror) Resources() []Resource {
	var list []Resource
	for _, k := range m.renderer.kinds {
		if k.resource == "" {
			continue
		}
		ids := k.resourceIDs(m.cat)
		for _, form := range resourceForms {
			if f, ok := k.form(form.mediaType); ok {
				list = append(list, Resource{k.resource + form.uriSuffix, k.name + form.nameSuffix, k.title + form.titleSuffix, k.description, file.BareType(f.mediaType), ids})
			}
		}
	}
	return list
}

// resourceIDs returns what may stand for the expression in the URI of the kind's resource.
func (k *kind) resourceIDs(c *catalog.Catalog) []string {
	if k.ids == nil {
		return nil
	}
	ids := slices.DeleteFunc(slices.Clone(k.ids(c)), func(id string) bool { return strings.Contains(id, "/") })
	if k.latest != nil {
		ids = append(ids, "latest")
	}
	slices.Sort(ids)
	return ids
}

// resourceForms are the forms in which documents are resources.
var resourceForms = [...]struct{ mediaType, uriSuffix, nameSuffix, titleSuffix string }{
	{file.JSON, "", "", ""},
	{file.Markdown, ".md", "-markdown", " in Markdown"},
}

// Resource returns the file whose bytes are the content of a resource. In the place of a day, "latest" stands for the
// newest day with changes. URIs must be written as the templates have them: nothing is decoded.
func (m *Mirror) Resource(uri string) (*file.File, bool) {
	mediaType := file.JSON
	if bare, ok := strings.CutSuffix(uri, ".md"); ok {
		uri, mediaType = bare, file.Markdown
	}
	for _, k := range m.renderer.kinds {
		if k.resource == "" {
			continue
		}
		id, ok := match(k.resource, uri)
		if !ok || strings.Contains(id, "/") {
			continue
		}
		if id == "latest" && k.latest != nil {
			id = k.latest(m.cat)
		}
		if f, ok := k.form(mediaType); ok {
			found, err := m.find(f.at(id))
			return found, err == nil
		}
	}
	return nil, false
}

// countPages returns the number of pages of some kinds.
func countPages(c *catalog.Catalog, kinds []*kind) int {
	n := 0
	for _, k := range kinds {
		if _, ok := k.form(file.HTML); ok {
			n += len(k.list(c))
		}
	}
	return n
}
