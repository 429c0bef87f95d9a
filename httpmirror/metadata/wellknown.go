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
		r.contact, expires, r.site.URL(catalog.SecurityPath))
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
