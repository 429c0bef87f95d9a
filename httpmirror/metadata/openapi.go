package metadata

import (
	"fmt"
	"strconv"
	"strings"

	"almanac/catalog"
	"almanac/httpmirror/file"
)

// OpenAPI returns the description of the interfaces that are not files in OpenAPI 3.1: paid search and the tool server.
// Crawlers that list what can be bought read no more than 64 KiB of it (draft-payment-discovery), so the files have a
// description of their own.
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
		p.info = object{{"x-l402-version", "1.0"},
			{"x-l402-provider", object{{"name", r.identity.Name}, {"uri", r.site.API}}}}
		p.more = p.more.add("x-l402-caveats", l402Caveats)
		p.tags = append(p.tags, object{{"name", "search"}, {"description",
			fmt.Sprintf("Paid search: %d satoshis buy %d requests for %d days", o.PriceSats, o.Credits, o.ValidDays)},
			{"externalDocs", object{{"description", "The terms"}, {"url", r.site.URL(catalog.L402JSONPath)}}}})
	}
	return r.openapiDocument(p)
}

// OpenAPIFiles returns the description of the files at routes in OpenAPI 3.1.
func (r *Renderer) OpenAPIFiles(routes []Route) (any, error) {
	return r.openapiDocument(openapiPart{
		title: r.identity.Name + ": the files", summary: "Reference data about machine payments and agent protocols",
		description: r.identity.Description + " All files are free and need no credential. " +
			r.site.URL(catalog.OpenAPIPath) + " describes search and tools.",
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

// An openapiPart is the part of an OpenAPI document that the other does not have.
type openapiPart struct {
	title, summary, description string
	tags                        []object
	paths                       object
	security                    object // the ways to show a payment; nil: nothing is sold
	info, more                  object // members at the end of info and of the document
}

// openapiDocument returns a document with the schemas that its operations name.
func (r *Renderer) openapiDocument(p openapiPart) (any, error) {
	notFound := object{
		{"type", r.site.ProblemBase() + "not_found"}, {"title", "Not found"}, {"status", 404},
		{"detail", "Nothing is published at this address. " + r.site.URL(catalog.ManifestPath) + " lists every file."},
		{"code", "not_found"},
	}
	shared := object{
		{"NotModified", object{{"description",
			"The client has the current bytes already, according to If-None-Match or If-Modified-Since."}}},
		{"Problem", problemResponse("What went wrong and what to do (RFC 9457).", notFound)},
	}
	schemas, err := r.openapiSchemas(p.paths, shared)
	if err != nil {
		return nil, err
	}
	components := object{{"schemas", schemas}, {"responses", shared}}
	if p.security != nil {
		components = components.add("securitySchemes", p.security)
	}
	return append(object{
		{"openapi", "3.1.0"},
		{"info", append(object{
			{"title", p.title}, {"version", r.o.Version}, {"summary", p.summary}, {"description", p.description},
			{"license", object{{"name", r.identity.License.Name + " for the links and summaries"},
				{"url", r.identity.License.URL}}},
		}, p.info...)},
		{"x-service-info", object{
			{"categories", []string{"data", "search", "developer-tools"}},
			{"docs", object{
				{"apiReference", r.site.URL(catalog.OpenAPIPath)}, {"homepage", r.site.URL(catalog.HomePath)},
				{"llms", r.site.URL(catalog.LLMsPath)},
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
		list = list.add(refs[i], object{{"$ref", "#/components/responses/" + refs[i+1]}})
	}
	return list
}

func parameter(name, in, description string, required bool, schema object, example any) object {
	return object{
		{"name", name}, {"in", in}, {"description", description}, {"required", required}, {"schema", schema},
		{"example", example},
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

// interfacePaths returns the operations of search and of the tool server by path.
func (r *Renderer) interfacePaths() object {
	var paths object
	if r.cat.Payments() != catalog.PaymentsOff {
		api := []object{{{"url", r.site.API}}}
		paths = paths.add(catalog.SearchPath, object{{"servers", api}, {"get", r.searchOperation()}})
		paths = paths.add(catalog.CreditsPath, object{{"servers", api}, {"get", r.creditsOperation()}})
		if r.cat.Terms().Demo {
			paths = paths.add(catalog.DemoWalletPath, object{{"servers", api}, {"post", demoOperation()}})
		}
	}
	mcp := []object{{{"url", r.site.MCP}}}
	paths = paths.add(catalog.MCPPath, object{{"servers", mcp}, {"post", toolsOperation()}})
	return paths.add(catalog.ServerCardPath, object{{"servers", mcp}, {"get", object{
		{"operationId", "serverCard"}, {"summary", "The card of the tool server"}, {"tags", []string{"tools"}},
		{"responses", responses(object{
			{"description", "The card."},
			{"content", object{{catalog.ServerCardType, object{
				{"schema", object{{"type", "object"}}}, {"examples", published(r.site.ServerCardURL())},
			}}}},
		}, "304", "NotModified", "404", "Problem")},
	}}})
}

// searchOperation returns the paid search with its price.
func (r *Renderer) searchOperation() object {
	o := r.cat.Terms()
	query := func(name, description string, required bool, schema object, example any) object {
		return parameter(name, "query", description, required, schema, example)
	}
	challenge := problemResponse("Pay the Lightning invoice, then repeat the request with Authorization: L402 <macaroon>:<preimage>. "+
		"The body holds the same macaroon and invoice as the header.", r.challengeExample())
	challenge = challenge.add("headers", object{{"WWW-Authenticate", object{
		{"description", `L402 macaroon="<base64>", invoice="<bolt11>", version="0", token="<base64>", and in a second field Payment id="…", realm="…", method="lightning", intent="charge", ` +
			`request="<base64url>", expires="…", which comes first if Accept-Payment allows lightning/charge`}, {
			"required", true}, {"schema", stringSchema()},
	}}})
	return object{
		{"operationId", "search"},
		{"summary", "Search the library, the protocol facts, the articles and the datasets"},
		{"description", fmt.Sprintf("%d satoshis buy %d requests for %d days. Only an answer with status 200 that has hits costs a credit.", o.PriceSats, o.Credits, o.ValidDays) + o.DemoNote() + " " + catalog.X402Note},
		{"tags", []string{"search"}},
		{"security", []object{{{"L402", []string{}}}, {{"Payment", []string{}}}}},
		{"x-payment-info", object{{"offers", []object{{
			{"intent", "charge"}, {"method", "lightning"}, {"amount", strconv.FormatInt(o.PriceSats, 10)}, {"currency", "sat"},
			{"description", fmt.Sprintf("One payment, by L402 or Payment, buys %d requests for %d days.",
				o.Credits, o.ValidDays)},
		}}}}},
		{"x-l402-service", catalog.L402Service},
		{"x-l402-tiers", l402Tiers},
		{"x-l402-pricing", r.l402Pricing()},
		{"parameters", []object{
			query("q", `Words, phrases in quotes, and filters such as tag:lightning; -word, -"a phrase" and -tag:lightning exclude. It may be left out if there is a filter.`, false,
				object{{"type", "string"}, {"minLength", 1}, {"maxLength", 256}}, "macaroon"),
			query("category", "Only entries of a category; repeated, of any of them.",
				false, listSchema(enumSchema(r.categoryIDs())), []string{"payments"}),
			query("tag", "Only records with a tag; repeated, with any of them.",
				false, listSchema(stringSchema()), []string{r.anyTag()}),
			query("type", "Only entries of a type; repeated, of any of them.",
				false, listSchema(enumSchema(catalog.EntryTypes)), []string{"spec"}),
			query("kind", "Only records of a kind; repeated, of any of them.", false,
				listSchema(enumSchema([]string{"library", "protocol", "article", "dataset"})), []string{"library"}),
			query("from", "Only records published on this day or later. Records without a date are left out and counted in undated.", false, dateSchema(), "2025-01-01"),
			query("to", "Only records published on this day or earlier. Records without a date are left out and counted in undated.", false, dateSchema(), "2026-12-31"),
			query("verified_since", "Only records whose source was last read on this day or later.",
				false, dateSchema(), "2026-11-01"),
			query("sort", "The order. Orders other than relevance list only the records that miss the fewest words of q.", false,
				append(enumSchema([]string{"relevance", "newest", "verified"}), object{{"default", "relevance"}}...), "relevance"),
			query("limit", "Hits in one answer.", false, object{{"type", "integer"}, {"minimum", 1}, {"maximum", 50},
				{"default", 10}}, 10),
			query("cursor", "next_cursor of the previous answer.", false, stringSchema(), "…"),
			parameter("Idempotency-Key", "header",
				"Names the request. A request repeated with the same key within a minute, because no answer came, costs one credit in all.",
				false, stringSchema(), "8e03978e-40d5-43dd-bc93-6894a57f9324"),
		}},
		{"responses", append(object{
			{"200", object{
				{"description", "The hits, best first."},
				{"headers", object{
					{"X-Credit-Balance", object{{"description", "Credits left."}, {"schema", object{{"type", "integer"}}}}},
					{"Payment-Receipt", object{{"description",
						"The receipt for a credential of the scheme Payment, in base64url."}, {"schema", stringSchema()}}},
				}},
				{"content", jsonContent(schemaRef("search"), r.searchExample())},
			}},
			{"402", challenge},
		}, responses(nil, "400", "Problem", "429", "Problem", "503", "Problem")[1:]...)},
	}
}

// creditsOperation returns the balance of a credential.
func (r *Renderer) creditsOperation() object {
	return object{
		{"operationId", "credits"},
		{"summary", "What is left of a credential"},
		{"description", "Costs nothing."},
		{"tags", []string{"search"}},
		{"security", []object{{{"L402", []string{}}}, {{"Payment", []string{}}}}},
		{"responses", responses(object{
			{"description", "The balance."}, {"content", jsonContent(schemaRef("credits"), r.creditsExample())},
		}, "400", "Problem", "402", "Problem", "503", "Problem")},
	}
}

// toolsOperation returns the tool server, whose messages MCP defines.
func toolsOperation() object {
	message := object{{"type", "object"}, {"required", []string{"jsonrpc"}}, {"properties", object{
		{"jsonrpc", object{{"const", "2.0"}}}, {"id", object{{"type", []string{"string", "integer"}}}},
		{"method", stringSchema()}, {"params", object{{"type", "object"}}},
	}}}
	return object{
		{"operationId", "mcp"},
		{"summary", "A message to the tool server"},
		{"description", "The Model Context Protocol over streamable HTTP, without sessions, answered in JSON. The server card lists the versions."},
		{"tags", []string{"tools"}},
		{"requestBody", object{{"required", true}, {"content", object{{file.JSON, object{
			{"schema", message}, {"examples", object{
				{"ping", object{{"summary", "Whether the server is there"},
					{"value", object{{"jsonrpc", "2.0"}, {"id", 1}, {"method", "ping"}}}}},
				{"tools", object{{"summary", "What can be called"},
					{"value", object{{"jsonrpc", "2.0"}, {"id", 2}, {"method", "tools/list"}}}}},
			}},
		}}}}}},
		{"responses", append(responses(object{
			{"description", "The answer to a request."},
			{"content", object{{file.JSON, object{
				{"schema", object{{"type", "object"}, {"required", []string{"jsonrpc"}},
					{"properties", object{{"jsonrpc", object{{"const", "2.0"}}}}}}},
				{"examples", object{{"ping", object{{"summary", "The answer to ping"},
					{"value", object{{"jsonrpc", "2.0"}, {"id", 1}, {"result", object{}}}}}}}},
			}}}},
		}), member{"202", object{{"description", "A notification was accepted."}}}, member{"400",
			object{{"description", "The body is not a message of the protocol; the answer is a JSON-RPC error."}}})},
	}
}

func (r *Renderer) categoryIDs() []string {
	var ids []string
	for _, k := range r.cat.Categories() {
		ids = append(ids, k.ID)
	}
	return ids
}

func (r *Renderer) anyTag() string {
	for _, t := range r.cat.Tags() {
		return t.ID
	}
	return ""
}
