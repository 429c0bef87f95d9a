package server

import (
	"encoding/json"
	"net/http"
	"strings"
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

// TestAddressesAsBrowsersSendThem: an address is the same in every encoding, and a query may hold what browsers leave as it is.
func TestAddressesAsBrowsersSendThem(t *testing.T) {
	c := newService(t, testConfig(t))
	for path, same := range map[string]string{
		"/library%2F": "/library/", "/%6cibrary/": "/library/", "/.well-known%2Fl402": "/.well-known/l402", "/mcp%2fserver-card": "/mcp/server-card",
	} {
		res, body := c.Do("GET", path, "")
		want, wantBody := c.Do("GET", same, "")
		if res.StatusCode != http.StatusOK || res.StatusCode != want.StatusCode || string(body) != string(wantBody) {
			t.Errorf("%s: status %d; %s: status %d", path, res.StatusCode, same, want.StatusCode)
		}
	}
	if res, body := c.Do("GET", "/v1%2Fsearch?q=x", ""); res.StatusCode != http.StatusPaymentRequired {
		t.Errorf("/v1%%2Fsearch: status %d: %s", res.StatusCode, body)
	}
	credential := c.Buy()
	for query, want := range map[string]string{"a;b": "a;b", "100%": "100%", "%": "%", "a%2": "a%2", "a%zz": "a%zz", "{a|b}^`": "{a|b}^`", "a%3Bb": "a;b", "a%25": "a%"} {
		req, err := http.NewRequest("GET", c.URL+"/v1/search", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.URL.RawQuery = "q=" + query
		req.Header.Set("Authorization", credential)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		var found struct{ Query, Detail string }
		err = json.NewDecoder(res.Body).Decode(&found)
		res.Body.Close()
		if err != nil || found.Query != want && !strings.Contains(found.Detail, "no words") {
			t.Errorf("q=%s: status %d, %+v, %v", query, res.StatusCode, found, err)
		}
	}
}
