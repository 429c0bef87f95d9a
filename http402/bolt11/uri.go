package bolt11

import (
	"net/url"
	"strings"
)

// FromURI returns the invoice, the offer, the LNURL or the request of Cashu that a URI asks to pay. It reads lightning: and
// cashu:, the parameters of bitcoin: (BIP 21, BIP 321), and those of a web address that people open without a wallet
// (LUD-01). Any other text is returned as it is.
func FromURI(text string) string {
	scheme, rest, _ := strings.Cut(text, ":")
	switch strings.ToLower(scheme) {
	case "lightning", "cashu":
		return strings.TrimPrefix(rest, "//")
	case "bitcoin", "https", "http":
		rest, _, _ = strings.Cut(rest, "#")
		_, query, _ := strings.Cut(rest, "?")
		params, _ := url.ParseQuery(query) // whatever is well formed
		for _, name := range []string{"lightning", "lno", "creq"} {
			for key, values := range params {
				if strings.EqualFold(key, name) && values[0] != "" {
					return values[0]
				}
			}
		}
	}
	return text
}
