package tools

import (
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror"
	"go.almanac.example/httpmirror/file"
)

// ResourceFiles are the published documents that are resources too. A *httpmirror.Mirror has them.
type ResourceFiles interface {
	// Resources returns every resource and every family of resources.
	Resources() []httpmirror.Resource
	// Resource returns the file whose bytes are the content of a resource.
	Resource(uri string) (*file.File, bool)
	// File returns the file at a path.
	File(path string) (*file.File, bool)
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
}

// A family is a resource, or those of one URI template. Their Markdown forms are at the same URIs with .md.
type family struct {
	httpmirror.Resource
	prefix string // of the URIs, before the expression
	member string // the name of the expression; "" when there is none
}

func newResources(d *data, documents ResourceFiles) *resources {
	r := &resources{data: d, documents: documents}
	for _, res := range documents.Resources() {
		prefix, member, ok := strings.Cut(strings.TrimSuffix(res.URITemplate, "}"), "{")
		if ok {
			res.Description += " Add .md for Markdown."
		}
		r.families = append(r.families, &family{res, prefix, member})
	}
	return r
}

// Read returns the content of the resource at a canonical address, if there is one. A day to come is not one, although
// the mirror has a document for any day: a model would take an empty one for news.
func (r *resources) Read(uri string) (*mcp.ResourceContents, bool) {
	if day, ok := strings.CutPrefix(uri, changesPrefix); ok && day != "" && day[0] <= '9' && catalog.Date(strings.TrimSuffix(day, ".md")) > r.today() {
		return nil, false
	}
	f, ok := r.documents.Resource(uri)
	if !ok {
		return nil, false
	}
	return &mcp.ResourceContents{URI: uri, MIMEType: file.BareType(f.Type), Text: string(f.Body)}, true
}

// unlisted are resources that can be read and are not listed: tools give the parts of what would fill a context.
var unlisted = []string{"protocolChoices", "protocolChooser", "clients", "history", "changeDays"}

// maxQuiet is the most bytes of a resource whose description does not say how long it is.
const maxQuiet = 20 << 10

// ListResources returns the resources to list: where to start, in one form each, and not every entry; with their sizes.
// Those are known when the documents are rendered, which takes a while for a large library, so that it is done when
// somebody asks.
func (t *Tools) ListResources() (list []*mcp.Resource) {
	for _, f := range t.families {
		if f.member != "" || slices.Contains(unlisted, f.Name) {
			continue
		}
		res := &mcp.Resource{
			URI: f.URITemplate + ".md", Name: f.Name, Title: f.Title, Description: f.Description, MIMEType: file.BareType(file.Markdown),
		}
		if doc, ok := t.documents.Resource(res.URI); ok {
			if res.Size = int64(len(doc.Body)); res.Size > maxQuiet {
				res.Description += fmt.Sprintf(" Long: about %d,000 tokens; search and fetch give parts.", res.Size/tokenBytes/1000)
			}
		}
		list = append(list, res)
	}
	return list
}
