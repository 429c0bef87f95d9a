package tools

import (
	"context"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"almanac/httpmirror/file"
)

// priorities are those of resources by name, from 0 to 1 (MCP, "Annotations"); of the others it is
// defaultPriority. They are hints for clients that choose what to show to a model.
var priorities = map[string]float64{"home": 0.9, "protocolFacts": 0.9, "categories": 0.8, "changes": 0.6, "support": 0.1}

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
	for _, s := range r.skills {
		rs = append(rs, &mcp.Resource{URI: s.uri, Name: s.meta.Name, Description: s.meta.Description, MIMEType: file.BareType(file.Markdown), Size: int64(len(s.body))})
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
		Annotations: &mcp.Annotations{Audience: []mcp.Role{"assistant", "user"}, LastModified: r.catalog.GeneratedAt(), Priority: priority},
	}
}

// WithSizes lets a server state how long the resources are that it lists. That is known when they are rendered, and those of a large library
// take a while, so that it is found out when somebody asks.
func (t *Tools) WithSizes(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, r)
		if list, ok := result.(*mcp.ListResourcesResult); ok && err == nil {
			list.Resources = t.sized(list.Resources)
		}
		return result, err
	}
}

// sized returns resources with their sizes. Skills have them.
func (r *resources) sized(list []*mcp.Resource) []*mcp.Resource {
	out := slices.Clone(list)
	for i, described := range out {
		if f, ok := r.documents.Resource(described.URI); ok {
			sized := *described // which the server keeps
			sized.Size = int64(len(f.Body))
			out[i] = &sized
		}
	}
	return out
}

// templates returns one template for each family; its Markdown form needs none of its own.
func (r *resources) templates() []*mcp.ResourceTemplate {
	var ts []*mcp.ResourceTemplate
	for _, f := range r.families {
		if f.member != "" && !f.isMarkdown() {
			ts = append(ts, &mcp.ResourceTemplate{URITemplate: f.URITemplate, Name: f.Name, Title: f.Title, Description: f.description(), MIMEType: f.MIME})
		}
	}
	return ts
}

// description returns what is said of a family, and how to read its Markdown form if that has no entry of its own.
func (f *family) description() string {
	if f.member != "" {
		return f.Description + " Add .md for Markdown."
	}
	return f.Description
}
