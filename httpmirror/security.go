package httpmirror

import (
	"net/http"

	"almanac/catalog"
)

// contentSecurityPolicy returns the policy of every answer: pages use the stylesheet, scripts, pictures and files of their own
// site, search with its form, and call the paid interface, which may be at another host. Nothing else.
func contentSecurityPolicy(site catalog.Site) string {
	connect := "'self'"
	if site.API != site.Base {
		connect += " " + site.API
	}
	return "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; connect-src " + connect +
		"; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
}

// The values of the headers of every answer, which must not be written to.
var (
	nosniffValue   = []string{"nosniff"}
	referrerValue  = []string{"no-referrer"}
	openerValue    = []string{"same-origin"}
	anyOriginValue = []string{"*"}
)

// SetSecurityHeaders sets what every answer of the site carries: what a page may do, and who may read it.
func SetSecurityHeaders(h http.Header, site catalog.Site) {
	setSecurityHeaders(h, []string{contentSecurityPolicy(site)})
}

func setSecurityHeaders(h http.Header, policy []string) {
	h["Content-Security-Policy"] = policy
	h["X-Content-Type-Options"] = nosniffValue
	h["Referrer-Policy"] = referrerValue
	h["Cross-Origin-Opener-Policy"] = openerValue
	h["Access-Control-Allow-Origin"] = anyOriginValue
}
