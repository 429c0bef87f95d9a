package metadata

import (
	"fmt"
	"strconv"

	"almanac/catalog"
	"almanac/httpmirror/file"
)

// interfacePaths returns the operations of search and of the tool server by path.
func (r *Renderer) interfacePaths() object {
	var paths object
	if r.cat.Payments() != catalog.PaymentsOff {
		api := []object{{{"url", r.site.API}}}
		paths = paths.with(catalog.SearchPath, object{{"servers", api}, {"get", r.searchOperation()}})
		paths = paths.with(catalog.CreditsPath, object{{"servers", api}, {"get", r.creditsOperation()}})
		if r.cat.Terms().Demo {
			paths = paths.with(catalog.DemoWalletPath, object{{"servers", api}, {"post", demoOperation()}})
		}
	}
	mcp := []object{{{"url", r.site.MCP}}}
	paths = paths.with(catalog.MCPPath, object{{"servers", mcp}, {"post", toolsOperation()}})
	return paths.with(catalog.ServerCardPath, object{{"servers", mcp}, {"get", object{
		{"operationId", "serverCard"}, {"summary", "The card of the tool server"}, {"tags", []string{"tools"}},
		{"responses", responses(object{
			{"description", "The card."},
			{"content", object{{"application/mcp-server-card+json", object{
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
	challenge = challenge.with("headers", object{{"WWW-Authenticate", object{
		{"description", `L402 macaroon="<base64>", invoice="<bolt11>", version="0", token="<base64>", and in a second field Payment id="…", realm="…", method="lightning", intent="charge", ` +
			`request="<base64url>", expires="…", which comes first if Accept-Payment allows lightning/charge`}, {"required", true}, {"schema", stringSchema()},
	}}})
	return object{
		{"operationId", "search"},
		{"summary", "Search the library, the protocol facts, the articles and the datasets"},
		{"description", fmt.Sprintf("%d satoshis buy %d requests for %d days. Only an answer with status 200 that has hits costs a credit.", o.PriceSats, o.Credits, o.ValidDays) + o.DemoNote() + " " + catalog.X402Note},
		{"tags", []string{"search"}},
		{"security", []object{{{"L402", []string{}}}, {{"Payment", []string{}}}}},
		{"x-payment-info", object{{"offers", []object{{
			{"intent", "charge"}, {"method", "lightning"}, {"amount", strconv.FormatInt(o.PriceSats, 10)}, {"currency", "sat"},
			{"description", fmt.Sprintf("One payment, by L402 or Payment, buys %d requests for %d days.", o.Credits, o.ValidDays)},
		}}}}},
		{"parameters", []object{
			query("q", `Words, phrases in quotes, and filters such as tag:lightning; -word, -"a phrase" and -tag:lightning exclude. It may be left out if there is a filter.`, false,
				object{{"type", "string"}, {"minLength", 1}, {"maxLength", 256}}, "macaroon"),
			query("category", "Only entries of a category; repeated, of any of them.", false, listSchema(enumSchema(r.categoryIDs())), []string{"payments"}),
			query("tag", "Only records with a tag; repeated, with any of them.", false, listSchema(stringSchema()), []string{r.anyTag()}),
			query("type", "Only entries of a type; repeated, of any of them.", false, listSchema(enumSchema(catalog.EntryTypes)), []string{"spec"}),
			query("kind", "Only records of a kind; repeated, of any of them.", false, listSchema(enumSchema([]string{"library", "protocol", "article", "dataset"})), []string{"library"}),
			query("from", "Only records published on this day or later. Records without a date are left out and counted in undated.", false, dateSchema(), "2025-01-01"),
			query("to", "Only records published on this day or earlier. Records without a date are left out and counted in undated.", false, dateSchema(), "2026-12-31"),
			query("verified_since", "Only records whose source was last read on this day or later.", false, dateSchema(), "2026-11-01"),
			query("sort", "The order. Orders other than relevance list only the records that miss the fewest words of q.", false,
				append(enumSchema([]string{"relevance", "newest", "verified"}), object{{"default", "relevance"}}...), "relevance"),
			query("limit", "Hits in one answer.", false, object{{"type", "integer"}, {"minimum", 1}, {"maximum", 50}, {"default", 10}}, 10),
			query("cursor", "next_cursor of the previous answer.", false, stringSchema(), "…"),
			parameter("Idempotency-Key", "header", "Names the request. A request repeated with the same key within a minute, because no answer came, costs one credit in all.",
				false, stringSchema(), "8e03978e-40d5-43dd-bc93-6894a57f9324"),
		}},
		{"responses", append(object{
			{"200", object{
				{"description", "The hits, best first."},
				{"headers", object{
					{"X-Credit-Balance", object{{"description", "Credits left."}, {"schema", object{{"type", "integer"}}}}},
					{"Payment-Receipt", object{{"description", "The receipt for a credential of the scheme Payment, in base64url."}, {"schema", stringSchema()}}},
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
		{"jsonrpc", object{{"const", "2.0"}}}, {"id", object{{"type", []string{"string", "integer"}}}}, {"method", stringSchema()}, {"params", object{{"type", "object"}}},
	}}}
	return object{
		{"operationId", "mcp"},
		{"summary", "A message to the tool server"},
		{"description", "The Model Context Protocol over streamable HTTP, without sessions, answered in JSON. The server card lists the versions."},
		{"tags", []string{"tools"}},
		{"requestBody", object{{"required", true}, {"content", object{{file.JSON, object{
			{"schema", message}, {"examples", object{
				{"ping", object{{"summary", "Whether the server is there"}, {"value", object{{"jsonrpc", "2.0"}, {"id", 1}, {"method", "ping"}}}}},
				{"tools", object{{"summary", "What can be called"}, {"value", object{{"jsonrpc", "2.0"}, {"id", 2}, {"method", "tools/list"}}}}},
			}},
		}}}}}},
		{"responses", append(responses(object{
			{"description", "The answer to a request."},
			{"content", object{{file.JSON, object{
				{"schema", object{{"type", "object"}, {"required", []string{"jsonrpc"}}, {"properties", object{{"jsonrpc", object{{"const", "2.0"}}}}}}},
				{"examples", object{{"ping", object{{"summary", "The answer to ping"}, {"value", object{{"jsonrpc", "2.0"}, {"id", 1}, {"result", object{}}}}}}}},
			}}}},
		}), member{"202", object{{"description", "A notification was accepted."}}}, member{"400", object{{"description", "The body is not a message of the protocol; the answer is a JSON-RPC error."}}})},
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
