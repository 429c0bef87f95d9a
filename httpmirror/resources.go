package httpmirror

import (
	"slices"
	"strings"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/file"
)

// A Resource is a document, or a family of documents, that the tool server offers by the address of its own scheme.
type Resource struct {
	URITemplate string // RFC 6570; the URI itself when it has no expression
	Name        string
	Title       string
	Description string
	MIME        string
	IDs         []string // values of the expression, sorted; nil without one
}

// Resources returns every resource in the order of the kinds, in its JSON form. The URI of its Markdown form, which most
// have, has ".md" at the end. Mirror.Resource returns the content of both.
func (m *Mirror) Resources() []Resource {
	var list []Resource
	for _, k := range m.renderer.kinds {
		if k.resource != "" {
			list = append(list, Resource{k.resource, k.name, k.title, k.description, file.JSON, k.resourceIDs(m.cat)})
		}
	}
	return list
}

// resourceIDs returns the values of the expression in the URI of the kind's resource.
func (k *kind) resourceIDs(c *catalog.Catalog) []string {
	if k.ids == nil {
		return nil
	}
	ids := slices.Clone(k.ids(c))
	if k.latest != nil {
		ids = append(ids, "latest")
	}
	slices.Sort(ids)
	return ids
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
		if !ok {
			continue
		}
		if id == "latest" && k.latest != nil {
			id = k.latest(m.cat)
		}
		if f, ok := k.form(mediaType); ok {
			found, err := m.find(f.pathOf(id))
			return found, err == nil
		}
	}
	return nil, false
}
