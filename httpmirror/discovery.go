package httpmirror

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"almanac/catalog"
	"almanac/httpmirror/file"
)

// discovery adds the files by which machines find the others.
func (b *builder) discovery() error {
	for _, name := range catalog.SchemaNames() {
		body, _ := b.cat.Schema(name)
		if err := b.add(catalog.SchemaPath(name), file.Schema, body); err != nil {
			return err
		}
	}
	if err := b.add(catalog.RobotsPath, file.Text, b.robots()); err != nil {
		return err
	}
	if b.o.Contact != "" {
		if err := b.add(catalog.SecurityPath, file.Text, b.security()); err != nil {
			return err
		}
	}
	if b.cat.Payments() != catalog.PaymentsOff {
		if err := b.addJSON(catalog.L402Path, b.l402()); err != nil {
			return err
		}
	}
	return b.addJSONAs(catalog.AICatalogPath, file.AICatalog, b.aiCatalog())
}

// robots welcomes crawlers to the files (RFC 9309), and keeps them from the paid interface, where
// each request without a credential would ask the Lightning node for an invoice.
func (b *builder) robots() []byte {
	return fmt.Appendf(nil, "# The files are free to read and to copy.\nUser-agent: *\nDisallow: %s\nAllow: /\n\nSitemap: %s\n",
		catalog.SearchPath, b.site.URL(catalog.SitemapPath))
}

// securityValidity is how long security.txt may be relied on. RFC 9116, section 2.5.5, advises
// less than a year.
const securityValidity = 180 * 24 * time.Hour

func (b *builder) security() []byte {
	expires := b.cat.Options().GeneratedAt.UTC().Add(securityValidity).Format(time.RFC3339)
	return fmt.Appendf(nil, "Contact: %s\nExpires: %s\nPreferred-Languages: en\nCanonical: %s\n",
		b.o.Contact, expires, b.site.URL(catalog.SecurityPath))
}

// checkContact refuses what RFC 9116, section 2.5.3, does not allow as a contact.
func checkContact(contact string) error {
	if contact == "" {
		return nil
	}
	u, err := url.Parse(contact)
	if err != nil || (u.Scheme != "mailto" && u.Scheme != "https" && u.Scheme != "tel") || strings.ContainsAny(contact, " \r\n\t") {
		return fmt.Errorf("the security contact %q is no address; give one that begins with mailto:, https:// or tel:", contact)
	}
	return nil
}

// file.AICatalog leads agents to the tool server's card.
func (b *builder) aiCatalog() object {
	host := b.site.MCP
	if u, err := url.Parse(b.site.MCP); err == nil {
		host = u.Hostname()
	}
	return object{
		{"specVersion", "1.0"},
		{"entries", []object{{
			{"identifier", "urn:air:" + host + ":mcp:library"},
			{"type", "application/mcp-server-card+json"},
			{"url", b.site.ServerCardURL()},
		}}},
	}
}

// l402 describes the paid interface. There is no standard for this file; the members are those
// that the readers in use look for, each under the names it knows.
func (b *builder) l402() object {
	o := b.cat.Terms()
	seconds := o.ValidDays * 24 * 60 * 60
	description := fmt.Sprintf("Search over the library, the protocol facts, the articles and the datasets. %d satoshis buy %d requests for %d days; the files themselves are free.",
		o.PriceSats, o.Credits, o.ValidDays)
	return object{
		{"schema_version", catalog.SchemaVersion},
		{"version", "1"},
		{"name", siteName},
		{"description", description},
		{"homepage", b.site.URL(catalog.HomePath)},
		{"protocol", "L402"},
		{"protocols", []string{"L402"}},
		{"payment_network", "lightning"},
		// Readers want the host of the provider to be that of the file they read.
		{"provider", object{{"name", siteName}, {"url", b.site.API}, {"description", siteDescription}}},
		{"endpoints", []object{{
			{"path", catalog.SearchPath}, {"url", b.site.SearchURL()}, {"method", "GET"}, {"category", "search"},
			{"description", "Search by words, with filters. The parameter q holds the query."},
			{"price_sats", o.PriceSats}, {"credits", o.Credits}, {"credits_per_request", 1}, {"validity_seconds", seconds},
		}}},
		{"pricing", object{
			{"unit", "request"}, {"currency", "SAT"}, {"price_sats", o.PriceSats}, {"credits", o.Credits}, {"validity_seconds", seconds},
		}},
		{"payment", object{
			{"methods", []string{"lightning"}},
			{"tiers", []object{{{"amountSats", o.PriceSats}, {"creditSats", o.PriceSats}}}},
		}},
		{"authentication", object{
			{"protocols_supported", []string{"L402"}},
			{"l402", object{
				{"challenge_header", "WWW-Authenticate"},
				{"challenge_format", `L402 macaroon="<base64>", invoice="<bolt11>", version="0", token="<base64>"`},
				{"authorization_header", "Authorization: L402 <macaroon>:<preimage>"},
				{"balance_header", "X-Credit-Balance"},
				{"status_url", b.site.CreditsURL()},
			}},
		}},
		{"routes", []object{{
			{"path", catalog.SearchPath},
			{"price", object{{"type", "fixed"}, {"amount_msat", o.PriceSats * 1000}}},
			{"caveats_required", []string{"services", "almanac_valid_until", "almanac_credits"}},
			{"macaroon_timeout_secs", seconds},
			{"quota", o.Credits},
		}}},
		{"docs_url", b.site.URL(catalog.TrustPath)},
		{"openapi_url", b.site.URL(catalog.OpenAPIPath)},
		{"llms_txt_url", b.site.URL(catalog.LLMsPath)},
		{"error_codes_url", b.site.URL(catalog.TrustJSONPath)},
		{"updated", b.cat.GeneratedAt()},
	}
}
