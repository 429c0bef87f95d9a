package metadata

import (
	"fmt"

	"almanac/catalog"
)

// OpenAPI returns the description of the interfaces that are not files in OpenAPI 3.1: paid search and the tool server. Crawlers that list
// what can be bought read no more than 64 KiB of it (draft-payment-discovery), so the files have a description of their own.
func (r *Renderer) OpenAPI() (any, error) {
	files := r.site.URL(catalog.OpenAPIFilesPath)
	p := openapiPart{
		title: r.identity.Name, summary: "Paid search and tools for agents over reference data about machine payments and agent protocols",
		description: r.identity.Description + " All files are free and need no credential; " + files + " describes them.",
		tags:        []object{{{"name", "tools"}, {"description", "The tool server for agents"}}},
		paths:       r.interfacePaths(),
		more:        object{{"externalDocs", object{{"description", "The files, in OpenAPI"}, {"url", files}}}},
	}
	if r.cat.Payments() != catalog.PaymentsOff {
		o := r.cat.Terms()
		p.security = securitySchemes()
		p.tags = append(p.tags, object{{"name", "search"}, {"description", fmt.Sprintf("Paid search: %d satoshis buy %d requests for %d days", o.PriceSats, o.Credits, o.ValidDays)},
			{"externalDocs", object{{"description", "The terms"}, {"url", r.site.URL(catalog.L402JSONPath)}}}})
	}
	return r.openapiDocument(p)
}

// OpenAPIFiles returns the description of the files at routes in OpenAPI 3.1.
func (r *Renderer) OpenAPIFiles(routes []Route) (any, error) {
	return r.openapiDocument(openapiPart{
		title: r.identity.Name + ": the files", summary: "Reference data about machine payments and agent protocols",
		description: r.identity.Description + " All files are free and need no credential. " + r.site.URL(catalog.OpenAPIPath) + " describes search and tools.",
		tags: []object{
			{{"name", "library"}, {"description", "Curated sources by category and tag"}},
			{{"name", "facts"}, {"description", "Protocol facts, changes and the trust checklist"}},
			{{"name", "texts"}, {"description", "Articles and datasets"}},
			{{"name", "support"}, {"description", "Voluntary tips"}},
			{{"name", "discovery"}, {"description", "Files that describe the others"}},
		},
		paths: r.filePaths(routes),
	})
}

// An openapiPart is what one of the OpenAPI documents has for itself.
type openapiPart struct {
	title, summary, description string
	tags                        []object
	paths                       object
	security                    object // the ways to show a payment; nil: nothing is sold
	more                        object // members at the end
}

// openapiDocument returns a document with the schemas that its operations name.
func (r *Renderer) openapiDocument(p openapiPart) (any, error) {
	notFound := object{
		{"type", r.site.ProblemBase() + "not_found"}, {"title", "Not found"}, {"status", 404},
		{"detail", "Nothing is published at this address. " + r.site.URL(catalog.ManifestPath) + " lists every file."}, {"code", "not_found"},
	}
	shared := object{
		{"NotModified", object{{"description", "The client has the current bytes already, according to If-None-Match or If-Modified-Since."}}},
		{"Problem", problemResponse("What went wrong and what to do (RFC 9457).", notFound)},
	}
	schemas, err := r.openapiSchemas(p.paths, shared)
	if err != nil {
		return nil, err
	}
	components := object{{"schemas", schemas}, {"responses", shared}}
	if p.security != nil {
		components = components.with("securitySchemes", p.security)
	}
	return append(object{
		{"openapi", "3.1.0"},
		{"info", object{
			{"title", p.title}, {"version", r.o.Version}, {"summary", p.summary}, {"description", p.description},
			{"license", object{{"name", r.identity.License.Name + " for the links and summaries"}, {"url", r.identity.License.URL}}},
		}},
		{"x-service-info", object{
			{"categories", []string{"data", "search", "developer-tools"}},
			{"docs", object{
				{"apiReference", r.site.URL(catalog.OpenAPIPath)}, {"homepage", r.site.URL(catalog.HomePath)}, {"llms", r.site.URL(catalog.LLMsPath)},
			}},
		}},
		{"servers", []object{{{"url", r.site.Base}, {"description", "The files"}}}},
		{"tags", p.tags},
		{"security", []object{{}}},
		{"paths", p.paths},
		{"components", components},
	}, p.more...), nil
}

// securitySchemes returns the two ways to show a payment.
func securitySchemes() object {
	return object{{"L402", object{
		{"type", "http"}, {"scheme", "L402"},
		{"description", "Authorization: L402 <macaroon in base64>:<preimage in hex>. The macaroon and the invoice that reveals the preimage come with status 402."},
	}}, {"Payment", object{
		{"type", "http"}, {"scheme", "Payment"},
		{"description", "Authorization: Payment <credential in base64url>, for method lightning and intent charge (draft-httpauth-payment). It comes with the same status 402 and the same invoice."},
	}}}
}
