package tools

import (
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The resource templates (RFC 6570).
const (
	entryTemplate    = "library://entry/{id}"
	categoryTemplate = "library://category/{category}{?cursor,limit}"
	protocolTemplate = "library://protocol/{id}"
	changesTemplate  = "library://changes/{date}"
	datasetTemplate  = "dataset://card/{slug}"
)

// list returns the resources to list: where to start, not every entry.
func (r *resources) list() []*mcp.Resource {
	rs := []*mcp.Resource{
		r.describe("library://categories", "categories", "Categories", "The categories of the library with counts and addresses.", 0.8),
		r.describe("library://categories.md", "categories-markdown", "Categories in Markdown", "The same as Markdown.", 0.3),
		r.describe("library://protocol-facts", "protocol-facts", "Protocol facts", "Every checked fact about every payment protocol, each with its source.", 0.9),
		r.describe("library://protocol-facts.md", "protocol-facts-markdown", "Protocol facts in Markdown", "The same as Markdown.", 0.4),
		r.describe("library://support", "support", "Support document", "Voluntary ways to tip this service. Nothing depends on a tip.", 0.1),
		r.describe("library://changes/latest", "changes-latest", "Latest changes", "What was verified on the newest day with changes. Add .md for Markdown.", 0.6),
	}
	for _, k := range r.catalog.Categories() {
		rs = append(rs, r.describe("library://category/"+k.ID, "category-"+k.ID, k.Label,
			fmt.Sprintf("%s on %s, in pages. Add .md for Markdown.", countOf(k.Count, "whole entry", "whole entries"), k.Label), 0.5))
	}
	return rs
}

func (r *resources) describe(uri, name, title, about string, priority float64) *mcp.Resource {
	c, _ := r.read(uri)
	return &mcp.Resource{
		URI: uri, Name: name, Title: title, Description: about, MIMEType: c.MIME, Size: int64(len(c.Text())),
		Annotations: &mcp.Annotations{Audience: []mcp.Role{"assistant", "user"}, LastModified: r.catalog.GeneratedAt(), Priority: priority},
	}
}

func resourceTemplates() []*mcp.ResourceTemplate {
	template := func(uri, name, title, about string) *mcp.ResourceTemplate {
		return &mcp.ResourceTemplate{URITemplate: uri, Name: name, Title: title, Description: about, MIMEType: jsonType}
	}
	return []*mcp.ResourceTemplate{
		template(entryTemplate, "entry", "Library entry", "One whole entry by id. Add .md to the id for Markdown."),
		template(categoryTemplate, "category", "Category list", "A page of whole entries of a category; limit is 1 to 50, cursor is next_cursor of the previous page."),
		template(protocolTemplate, "protocol", "Protocol facts", "The facts of one protocol by id. Add .md to the id for Markdown."),
		template(changesTemplate, "changes", "Changes of a day", "What was verified on a UTC day, YYYY-MM-DD, or latest. Add .md for Markdown."),
		template(datasetTemplate, "dataset", "Dataset card", "The card of a dataset by slug. Add .md to the slug for its README."),
	}
}
