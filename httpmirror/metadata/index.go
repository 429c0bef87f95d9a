package metadata

import "almanac/catalog"

// An IndexItem is a document of the index with its forms.
type IndexItem struct {
	Name        string      `json:"name"`
	Title       string      `json:"title"`
	Description string      `json:"description"`
	Forms       []IndexForm `json:"forms"`
}

// An IndexForm is one form of a document.
type IndexForm struct {
	MediaType string `json:"media_type"`
	URL       string `json:"url"`
}

// Index returns the document of the home page: what the service is, its interfaces and its documents.
func (r *Renderer) Index(documents []IndexItem) any {
	doc := object{
		{"schema_version", catalog.SchemaVersion},
		{"generated_at", r.cat.Timestamp(r.cat.CountsDay())},
		{"$schema", r.site.URL(catalog.SchemaPath("index"))},
		{"name", r.identity.Name},
		{"description", r.identity.Description},
		{"verified_by", r.identity.Verifier},
		{"contact", orNull(r.identity.Contact)},
		{"license_url", r.identity.License.URL},
		{"mcp_url", r.site.MCPURL()},
	}
	if r.cat.Payments() != catalog.PaymentsOff {
		doc = doc.with("search_url", r.site.SearchURL())
	}
	return append(doc, object{
		{"openapi_url", r.site.URL(catalog.OpenAPIPath)},
		{"manifest_url", r.site.URL(catalog.ManifestPath)},
		{"entries", len(r.cat.Entries())},
		{"documents", documents},
	}...)
}
