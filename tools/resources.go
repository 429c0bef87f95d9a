package tools

import (
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/catalog"
	"almanac/httpmirror"
	"almanac/httpmirror/file"
)

// ResourceFiles are the published documents that are resources too. A *httpmirror.Mirror has them.
type ResourceFiles interface {
	// Resources returns every resource and every family of resources.
	Resources() []httpmirror.Resource
	// Resource returns the file whose bytes are the content of a resource.
	Resource(uri string) (*file.File, bool)
	// File returns the file at a path.
	File(path string) (*file.File, bool)
	// Payments returns the state of payments that the documents describe. It may change between two calls, and the
	// documents with it.
	Payments() catalog.Payments
}

// CacheMillis is how long a client may keep lists and resources, in milliseconds. The data
// changes about once a day, so an hour keeps it fresh enough.
const CacheMillis = 3_600_000

const changesPrefix = "library://changes/" // of the documents of days

// resources are the documents that agents read by address.
type resources struct {
	*data
	documents ResourceFiles
	families  []*family
	skills    []ownResource
	own       []ownResource // the skills and the views
}

// An ownResource is a resource that no document of the mirror has.
type ownResource struct {
	*mcp.Resource
	body string
}

// findOwn returns the resource at an address among some.
func findOwn(list []ownResource, uri string) (ownResource, bool) {
	for _, o := range list {
		if o.URI == uri {
			return o, true
		}
	}
	return ownResource{}, false
}

// A family is a resource, or those of one URI template.
type family struct {
	httpmirror.Resource
	prefix string // of the URIs, before the expression
	member string // the name of the expression; "" when there is none
}

// isMarkdown reports whether the resources are the Markdown form of others.
func (f *family) isMarkdown() bool { return strings.HasSuffix(f.URITemplate, ".md") }

func newResources(d *data, documents ResourceFiles) *resources {
	r := &resources{data: d, documents: documents}
	same := d.entries.ids
	for _, res := range documents.Resources() {
		if !slices.Equal(same, res.IDs) { // of entries, and of the Markdown form after the JSON form
			same = res.IDs
		}
		res.IDs = same
		f := &family{Resource: res}
		prefix, rest, ok := strings.Cut(res.URITemplate, "{")
		if f.prefix = prefix; ok {
			f.member, _, _ = strings.Cut(rest, "}")
		}
		r.families = append(r.families, f)
	}
	return r
}

// Read returns the content of a resource, if there is one. A day to come is not one, although the mirror has a
// document for any day: a model would take an empty one for news.
func (r *resources) Read(uri string) (*mcp.ResourceContents, bool) {
	if day, ok := strings.CutPrefix(uri, changesPrefix); ok && day != "" && day[0] <= '9' &&
		catalog.Date(strings.TrimSuffix(day, ".md")) > r.today() {
		return nil, false
	}
	if o, ok := findOwn(r.own, uri); ok {
		return &mcp.ResourceContents{URI: uri, MIMEType: o.MIMEType, Text: o.body, Meta: o.Meta}, true
	}
	f, ok := r.documents.Resource(uri)
	if !ok {
		return nil, false
	}
	return &mcp.ResourceContents{URI: uri, MIMEType: file.BareType(f.Type), Text: string(f.Body)}, true
}

// nearest returns the addresses of resources that someone who wrote uri may have meant.
func (r *resources) nearest(uri string) []string {
	bare, markdown := strings.CutSuffix(uri, ".md")
	for _, f := range r.families {
		if f.member == "" || f.isMarkdown() != markdown {
			continue
		}
		id, ok := strings.CutPrefix(bare, f.prefix)
		if !ok {
			continue
		}
		var near []string
		for _, found := range nearestIDs(id, f.IDs) {
			near = append(near, strings.Replace(f.URITemplate, "{"+f.member+"}", found, 1))
		}
		return near
	}
	return nil
}

// priorities are those of resources by name, from 0 to 1 (MCP, "Annotations"); of the others it is
// defaultPriority. They are hints for clients that choose what to show to a model.
var priorities = map[string]float64{"home": 0.9, "protocolFacts": 0.9, "categories": 0.8, "changes": 0.6,
	"support": 0.1}

const defaultPriority = 0.5

// list returns the resources to list: where to start, and not every entry.
func (r *resources) list() []*mcp.Resource {
	var rs []*mcp.Resource
	for _, f := range r.families {
		if f.member == "" {
			rs = append(rs, r.describe(f, f.URITemplate, f.Name, f.Title))
		}
	}
	for _, f := range r.families {
		switch f.Name {
		case "category":
			for _, k := range r.catalog.Categories() {
				rs = append(rs, r.describe(f, f.prefix+k.ID, "category-"+k.ID, k.Label))
			}
		case "changes":
			rs = append(rs, r.describe(f, f.prefix+"latest", "changes-latest", "Latest changes"))
		}
	}
	for _, o := range r.own {
		rs = append(rs, o.Resource)
	}
	return rs
}

// describe describes a resource, without its size; see sized.
func (r *resources) describe(f *family, uri, name, title string) *mcp.Resource {
	priority, ok := priorities[strings.TrimSuffix(f.Name, "-markdown")]
	if !ok {
		priority = defaultPriority
	}
	return &mcp.Resource{
		URI: uri, Name: name, Title: title, Description: f.description(), MIMEType: f.MIME,
		Annotations: &mcp.Annotations{Audience: []mcp.Role{"assistant", "user"}, LastModified: r.catalog.GeneratedAt(),
			Priority: priority},
	}
}

// AddSizes states how long the listed resources are. That is known when they are rendered, and those of a large library
// take a while, so that it is found out when somebody asks. Skills have their sizes.
func (t *Tools) AddSizes(list *mcp.ListResourcesResult) {
	list.Resources = slices.Clone(list.Resources)
	for i, described := range list.Resources {
		if f, ok := t.documents.Resource(described.URI); ok {
			sized := *described // which the server keeps
			sized.Size = int64(len(f.Body))
			list.Resources[i] = &sized
		}
	}
}

// templates returns one template for each family; its Markdown form needs none of its own.
func (r *resources) templates() []*mcp.ResourceTemplate {
	var ts []*mcp.ResourceTemplate
	for _, f := range r.families {
		if f.member != "" && !f.isMarkdown() {
			ts = append(ts, &mcp.ResourceTemplate{URITemplate: f.URITemplate, Name: f.Name, Title: f.Title,
				Description: f.description(), MIMEType: f.MIME})
		}
	}
	return ts
}

// description returns the description of a family, which mentions its Markdown form if that has no entry of its own.
func (f *family) description() string {
	if f.member != "" {
		return f.Description + " Add .md for Markdown."
	}
	return f.Description
}
