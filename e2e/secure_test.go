package e2e

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"go.almanac.example/server/servertest"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// TestSecure: with a certificate of its own the service sends cleartext requests on to HTTPS, to addresses that it
// publishes and no others, tells browsers to use HTTPS alone, and says when the certificate ends.
func TestSecure(t *testing.T) {
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	pool := x509.NewCertPool()
	leaf := servertest.WriteCertificate(t, cert, key)
	pool.AddCert(leaf)
	p := startServe(t, "-tls-cert", cert, "-tls-key", key, "-redirect", "localhost:0", "-hsts", "1h", "-payments", "off",
		"-base-url", "https://example.org", "-api-url", "https://api.example.org", "-mcp-url", "https://example.org:8443")
	clear := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for host, want := range map[string]string{
		"example.org:80": "https://example.org", "api.example.org": "https://api.example.org", "evil.example": "https://example.org",
	} {
		req, err := http.NewRequest(http.MethodGet, "http://"+p.serving["redirect"].(string)+"/v1/search?q=a%20b", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		res, err := clear.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if got := res.Header.Get("Location"); res.StatusCode != http.StatusPermanentRedirect || got != want+"/v1/search?q=a%20b" {
			t.Errorf("host %q: status %d, Location %q, want %s", host, res.StatusCode, got, want)
		}
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
	defer client.CloseIdleConnections()
	at := "https://" + strings.Replace(p.serving["http"].(string), "127.0.0.1", "localhost", 1)
	for _, path := range []string{"/support.json", "/nothing", "/v1/search?q=x"} {
		res, err := client.Get(at + path)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if got := res.Header.Get("Strict-Transport-Security"); got != "max-age=3600" {
			t.Errorf("%s: Strict-Transport-Security %q", path, got)
		}
	}
	if want := fmt.Sprintf("almanac_certificate_expiry_timestamp_seconds %v\n", float64(leaf.NotAfter.Unix())); !strings.Contains(p.metrics(), want) {
		t.Errorf("the metrics lack %s", want)
	}
}
