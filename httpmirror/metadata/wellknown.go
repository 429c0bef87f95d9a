package metadata

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"almanac/catalog"
	"almanac/httpmirror/file"
)

// Robots returns robots.txt (RFC 9309). It keeps crawlers from the paid interface, where each request without a
// credential would ask the Lightning node for an invoice.
func (r *Renderer) Robots() []byte {
	return fmt.Appendf(nil, "# The files are free to read and to copy. Interfaces: %s\nUser-agent: *\nDisallow: %s\nAllow: /\n\nSitemap: %s\n",
		r.site.URL(catalog.APICatalogPath), catalog.SearchPath, r.site.URL(catalog.SitemapPath))
}

// securityValidity is how long security.txt may be relied on. RFC 9116, section 2.5.5, advises
// less than a year.
const securityValidity = 180 * 24 * time.Hour

// Security returns security.txt.
func (r *Renderer) Security() []byte {
	expires := r.cat.Modified().Add(securityValidity).Format(time.RFC3339)
	return fmt.Appendf(nil, "Contact: %s\nExpires: %s\nPreferred-Languages: en\nCanonical: %s\n",
		r.o.Contact, expires, r.site.URL(catalog.SecurityPath))
}

// CheckContact returns the fault of a contact for security reports (RFC 9116, section 2.5.3). "" is none.
func CheckContact(contact string) error {
	if contact == "" {
		return nil
	}
	u, err := url.Parse(contact)
	if err != nil || (u.Scheme != "mailto" && u.Scheme != "https" && u.Scheme != "tel") ||
		strings.ContainsAny(contact, " \r\n\t") {
		return fmt.Errorf("the security contact %q is not an address: use one that begins with mailto:, https:// or tel:", contact)
	}
	return nil
}

// AICatalog returns the list of servers for agents: the card of the tool server.
func (r *Renderer) AICatalog() any {
	host := r.site.MCP
	if u, err := url.Parse(r.site.MCP); err == nil {
		host = u.Hostname()
	}
	return object{
		{"specVersion", "1.0"},
		{"entries", []object{{
			{"identifier", "urn:air:" + host + ":mcp:" + catalog.MCPName},
			{"type", catalog.ServerCardType},
			{"url", r.site.ServerCardURL()},
		}}},
	}
}

// APICatalog returns the interfaces as a link set (RFC 9727 and RFC 9264).
func (r *Renderer) APICatalog() any {
	type link struct {
		Href string `json:"href"`
		Type string `json:"type,omitempty"`
	}
	const page = "text/html"
	own, files := r.site.URL(catalog.APICatalogPath), r.site.URL(catalog.HomePath)
	items := []link{{Href: r.site.MCPURL()}, {Href: files}}
	contexts := []object{
		{
			{"anchor", r.site.MCPURL()},
			{"service-desc", []link{{r.site.ServerCardURL(), catalog.ServerCardType},
				{r.site.URL(catalog.OpenAPIPath), file.JSON}}},
		},
		{
			{"anchor", files},
			{"service-desc", []link{{r.site.URL(catalog.OpenAPIFilesPath), file.JSON}}},
			{"service-doc", []link{{r.site.URL(catalog.TrustPath), page}}},
			{"service-meta", []link{{r.site.URL(catalog.ManifestPath), file.JSON}}},
		},
	}
	if r.cat.Payments() != catalog.PaymentsOff {
		items = append(items, link{Href: r.site.SearchURL()})
		contexts = append(contexts, object{
			{"anchor", r.site.SearchURL()},
			{"service-desc", []link{{r.site.URL(catalog.OpenAPIPath), file.JSON}}},
			{"service-doc", []link{{r.site.URL(catalog.TrustPath), page}}},
			{"service-meta", []link{{r.site.URL(catalog.L402Path), file.JSON}}},
		})
	}
	return object{{"linkset", append([]object{{{"anchor", own}, {"item", items}}}, contexts...)}}
}

// termsText returns the terms of the paid interface in a few sentences.
func (r *Renderer) termsText() string {
	o := r.cat.Terms()
	return fmt.Sprintf("Search over the library, the protocol facts, the articles and the datasets. %d satoshis buy %d requests for "+
		"%d days; the files themselves are free.", o.PriceSats, o.Credits, o.ValidDays) + o.DemoNote() + " " +
		catalog.X402Note
}

// L402Manifest returns the discovery manifest of the paid interface, as the steward's draft has it
// (github.com/lightninglabs/L402/pull/27, discovery-spec.md, section 5). Prices are fixed, so there is no quote
// endpoint.
func (r *Renderer) L402Manifest() any {
	return object{
		{"version", "1.0"},
		{"provider", object{{"name", r.identity.Name}, {"uri", r.site.API}}},
		{"currencies", []string{"msat"}},
		{"macaroon_versions", []int{0}},
		{"payment_methods", []string{"bolt11"}},
		{"openapi", r.site.URL(catalog.OpenAPIPath)},
		{"services", []object{{
			{"name", catalog.L402Service}, {"description", r.termsText()}, {"tiers", l402Tiers},
			{"resources", []object{{{"path", catalog.SearchPath}, {"method", "GET"}, {"pricing", r.l402Pricing()}}}},
		}}},
		{"caveats", l402Caveats},
	}
}

// l402Tiers is the only tier of the paid interface.
var l402Tiers = []object{{{"tier", 0}, {"name", "base"}}}

// l402Pricing returns the price of one payment.
func (r *Renderer) l402Pricing() object {
	return object{{"model", "fixed"}, {"price_msat", r.cat.Terms().PriceSats * 1000}}
}

// l402Caveats are the conditions in the macaroons of the paid interface.
var l402Caveats = object{
	{"services", object{{"type", "service_list"}, {"attenuation", "subset"}}},
	{"almanac_valid_until", object{
		{"type", "timestamp"}, {"description", "The macaroon is valid before this moment."}, {"attenuation", "earlier"},
	}},
	{"almanac_credits", object{
		{"type", "integer"}, {"description", "Requests that the macaroon may use of its account."},
		{"attenuation", "decreasing"},
	}},
	{"almanac_budget", object{{"type", "string"},
		{"description", "A branch of the account with requests of its own: <branch>:<credits>."}}},
	{"almanac_sold", object{{"type", "string"}, {"description", "The terms of the sale. It is no limit."}}},
}

// L402 returns the description of the paid interface. The members are those that the readers in use look for, each
// under the names it knows.
func (r *Renderer) L402() any {
	o := r.cat.Terms()
	seconds := o.ValidDays * 24 * 60 * 60
	return object{
		{"schema_version", catalog.SchemaVersion},
		{"generated_at", r.cat.Timestamp(r.cat.TrustDay())},
		{"version", "1"},
		{"demo", o.Demo},
		{"name", r.identity.Name},
		{"description", r.termsText()},
		{"homepage", r.site.URL(catalog.HomePath)},
		{"protocol", "L402"},
		{"protocols", []string{"L402", "MPP"}},
		{"not_accepted", []object{{{"protocol", "x402"}, {"reason", catalog.X402Note}}}},
		{"payment_network", "lightning"},
		// Readers check that the host of the provider is that of the file they read.
		{"provider", object{{"name", r.identity.Name}, {"url", r.site.API}, {"description", r.identity.Description}}},
		{"endpoints", []object{{
			{"path", catalog.SearchPath}, {"url", r.site.SearchURL()}, {"method", "GET"}, {"category", "search"},
			{"description", "Search by words, with filters. The parameter q holds the query."},
			{"price_sats", o.PriceSats}, {"credits", o.Credits}, {"credits_per_request", 1}, {"validity_seconds", seconds},
		}}},
		{"price_sats", o.PriceSats},
		{"pricing", object{
			{"unit", "request"}, {"currency", "SAT"}, {"price_sats", o.PriceSats}, {"credits", o.Credits},
			{"validity_seconds", seconds},
		}},
		{"payment", object{
			{"methods", []string{"lightning"}},
			{"tiers", []object{{{"amountSats", o.PriceSats}, {"creditSats", o.PriceSats}}}},
		}},
		{"authentication", object{
			{"protocols_supported", []string{"L402", "MPP"}},
			{"l402", object{
				{"challenge_header", "WWW-Authenticate"},
				{"challenge_format", `L402 macaroon="<base64>", invoice="<bolt11>", version="0", token="<base64>"`},
				{"authorization_header", "Authorization: L402 <macaroon>:<preimage>"},
				{"balance_header", "X-Credit-Balance"},
				{"status_url", r.site.CreditsURL()},
			}},
			{"mpp", object{
				{"challenge_header", "WWW-Authenticate"},
				{"challenge_format", `Payment id="…", realm="…", method="lightning", intent="charge", request="<base64url>", expires="…"`},
				{"prefer_header", "Accept-Payment: lightning/charge"},
				{"authorization_header", "Authorization: Payment <base64url>"},
				{"receipt_header", "Payment-Receipt"},
				{"requests_per_charge", o.Credits},
			}},
		}},
		{"routes", []object{{
			{"path", catalog.SearchPath},
			{"price", object{{"type", "fixed"}, {"amount_msat", o.PriceSats * 1000}}},
			{"caveats_required", []string{"services", "almanac_valid_until", "almanac_credits"}},
			{"macaroon_timeout_secs", seconds},
			{"quota", o.Credits},
		}}},
		{"docs", r.site.URL(catalog.TrustPath)},
		{"docs_url", r.site.URL(catalog.TrustPath)},
		{"openapi_url", r.site.URL(catalog.OpenAPIPath)},
		{"llms_txt_url", r.site.URL(catalog.LLMsPath)},
		{"error_codes_url", r.site.URL(catalog.TrustJSONPath)},
		{"updated", r.cat.Timestamp(r.cat.TrustDay())},
	}
}
