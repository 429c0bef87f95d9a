package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"go.almanac.example/server/servertest"
)

// TestChallengeFlags holds that the flags bound the challenges: of four that may be outstanding, strangers have half,
// and the last one is for a newcomer that comes back as it was told; the other half is for who proves to have paid.
func TestChallengeFlags(t *testing.T) {
	p := startServe(t, "-credits", "1", "-trusted-proxy", "127.0.0.0/8,::1",
		"-challenge-rate", "1000", "-challenge-outstanding", "4", "-challenge-proven", "50")
	ask := func(from, credential string, want int, code string) {
		t.Helper()
		status, body := p.get("/v1/search?q=macaroon", "X-Forwarded-For", from, "Authorization", credential)
		if status != want || !strings.Contains(body, code) {
			t.Errorf("%s: status %d, want %d and %s: %s", from, status, want, code, body)
		}
	}
	credential := (&servertest.Client{T: t, URL: p.base}).Buy() // the first of the strangers' two
	ask("203.0.113.1", "", http.StatusTooManyRequests, "rate_limited")
	time.Sleep(time.Second) // Retry-After
	ask("203.0.113.1", "", http.StatusPaymentRequired, "payment_required")
	ask("203.0.113.2", "", http.StatusTooManyRequests, "rate_limited")
	ask("198.51.100.1", "", http.StatusTooManyRequests, "rate_limited")
	ask("203.0.113.1", credential, http.StatusOK, "credits")
	ask("203.0.113.1", credential, http.StatusPaymentRequired, "credits_exhausted")
	ask("203.0.113.1", credential, http.StatusTooManyRequests, "credits_exhausted") // leaves the other one to others
}
