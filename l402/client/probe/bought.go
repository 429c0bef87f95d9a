package probe

import (
	"net/http"
	"strings"

	"almanac/l402/client"
)

// Bought adds what a paid request came back with. which says which one it was.
func (r *Report) Bought(which string, status int, h http.Header, err error) {
	switch {
	case err != nil:
		r.add(Fault, "paid", "", "the %s paid request: %v", which, err)
		return
	case status/100 != 2:
		r.add(Note, "paid", "", "the %s paid request is answered with status %d", which, status)
		return
	}
	r.add(OK, "paid", "", "the %s paid request is answered with status %d", which, status)
	cache := strings.ToLower(h.Get("Cache-Control"))
	r.expect(strings.Contains(cache, "private") || strings.Contains(cache, "no-store"), Warn, "paid.cache", refCaching, "what was paid for is not stored by shared caches",
		"what was paid for has Cache-Control %q, so that shared caches may give it away", cache)
	left := client.LeftOf(h)
	r.expect(left.Known, Note, "paid.left", "", "the answer says how many requests are left", "the answer does not say how many requests are left")
}

// Payments adds how often it had to be paid for two requests.
func (r *Report) Payments(n int) {
	r.add(Note, "paid.count", "", "payments for two requests: %d", n)
}
