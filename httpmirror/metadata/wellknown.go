package metadata

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"almanac/catalog"
)

// Robots returns robots.txt (RFC 9309). It keeps crawlers from the paid interface, where each request without a
// credential would ask the Lightning node for an invoice.
func (r *Renderer) Robots() []byte {
	return fmt.Appendf(nil, "# The files are free to read and to copy. Interfaces: %s\nUser-agent: *\nDisallow: %s\nAllow: /\n\nSitemap: %s\n",
		r.site.URL(catalog.APICatalogPath), catalog.Root(r.site.SearchURL()), r.site.URL(catalog.SitemapPath))
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
func (r *Renderer) AICatalog() (any, error) {
	host := r.site.MCP
	if u, err := url.Parse(r.site.MCP); err == nil {
		host = u.Hostname()
	}
	return r.document("ai-catalog", host)
}

// APICatalog returns the interfaces as a link set (RFC 9727 and RFC 9264).
func (r *Renderer) APICatalog() (any, error) { return r.document("api-catalog", nil) }

// L402Manifest returns the discovery manifest of the paid interface.
func (r *Renderer) L402Manifest() (any, error) { return r.document("l402-manifest", nil) }

// L402 returns the description of the paid interface.
func (r *Renderer) L402() (any, error) { return r.document("l402", nil) }

// DCAT returns the description of all datasets for data portals, in DCAT 3 (www.w3.org/TR/vocab-dcat-3).
func (r *Renderer) DCAT() (any, error) { return r.document("dcat", nil) }

// Croissant returns the description of a dataset for machine-learning tools, in Croissant 1.1.
func (r *Renderer) Croissant(d *catalog.Dataset) (any, error) { return r.document("croissant", d) }
