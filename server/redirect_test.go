package server

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"go.almanac.example/catalog"
)

// TestUncleanPaths: an answer that leads from an unclean path to its clean form carries the security headers of the
// site, and leads to the same host.
func TestUncleanPaths(t *testing.T) {
	c := newService(t, testConfig(t))
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	get := func(path string) *http.Response {
		res, err := client.Get(c.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		return res
	}
	names := []string{"Content-Security-Policy", "X-Content-Type-Options", "Referrer-Policy", "Cross-Origin-Opener-Policy"}
	page := get(catalog.LibraryPath)
	for path, location := range map[string]string{
		"//": "/", "//library/": "/library/", "/library//": "/library/", "/./library/": "/library/", "/x/../library/": "/library/",
		"//v1/search?q=x": "/v1/search?q=x", "//example.org/": "/example.org/",
	} {
		res := get(path)
		if res.StatusCode != http.StatusTemporaryRedirect || res.Header.Get("Location") != location {
			t.Errorf("%s: status %d to %q, want 307 to %q", path, res.StatusCode, res.Header.Get("Location"), location)
		}
		for _, name := range names {
			if diff := cmp.Diff(page.Header[name], res.Header[name]); diff != "" {
				t.Errorf("%s: %s differs from that of a page: %s", path, name, diff)
			}
		}
	}
}
