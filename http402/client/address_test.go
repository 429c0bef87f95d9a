package client_test

import (
	"testing"

	"go.almanac.example/http402/client"
)

// TestParseAddress: an address is read as people type it for curl; without a scheme only this machine is asked in cleartext.
func TestParseAddress(t *testing.T) {
	for text, want := range map[string]string{
		"https://example.com/paid": "https://example.com/paid",
		"http://example.com/paid":  "http://example.com/paid",
		"example.com/path":         "https://example.com/path",
		"example.com:8443/x":       "https://example.com:8443/x",
		"localhost:8402/x":         "http://localhost:8402/x",
		"localhost/x?q=a":          "http://localhost/x?q=a",
		"127.0.0.1:8402":           "http://127.0.0.1:8402",
		"[::1]:8402/x":             "http://[::1]:8402/x",
		"https://localhost:8402/x": "https://localhost:8402/x",
		"example.com/?next=a://b":  "https://example.com/?next=a://b",
		"ftp://example.com/x":      "",
		"/paid":                    "",
		"":                         "",
	} {
		u, err := client.ParseAddress(text)
		switch {
		case want == "" && err == nil:
			t.Errorf("%q is read as %s, want an error", text, u)
		case want != "" && (err != nil || u.String() != want):
			t.Errorf("%q is read as %v (%v), want %s", text, u, err, want)
		}
	}
}
