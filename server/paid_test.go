package server

import (
	"encoding/base64"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/chaincfg"
	"github.com/lightningnetwork/lnd/zpay32"
	"gopkg.in/macaroon.v2"

	"go.almanac.example/catalog"
	"go.almanac.example/server/servertest"
)

// TestFreeAnswers: an answer other than 200 costs nothing, and asking for the balance neither.
func TestFreeAnswers(t *testing.T) {
	s := newService(t, testConfig(t))
	credential := s.Buy()
	for _, path := range []string{
		"/v1/search", "/v1/search?q=", "/v1/search?q=a&limit=0",
		"/v1/search?q=a&category=nope", "/v1/search?q=a&surprise=1", "/v1/search?q=a&from=2026-02-30", "/v1/search?q=a&cursor=zz", "/v1/search?q=%ff",
	} {
		res, body := s.Do(http.MethodGet, path, "", "Authorization", credential)
		if res.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: status %d, want 400: %s", path, res.StatusCode, body)
		}
	}
	res, body := s.Do(http.MethodGet, "/v1/credits", "", "Authorization", credential)
	if doc := servertest.Decode[struct{ Remaining int }](t, body); res.StatusCode != http.StatusOK || doc.Remaining != 100 {
		t.Errorf("balance: status %d, remaining %d, want 100", res.StatusCode, doc.Remaining)
	}
}

// TestRefusalsNameTheSale: the balance without a credential is refused without a challenge, and says where GET returns
// one.
func TestRefusalsNameTheSale(t *testing.T) {
	s := newService(t, testConfig(t))
	for _, request := range [][2]string{{http.MethodGet, "/v1/credits"}, {http.MethodHead, "/v1/credits"}} {
		res, body := s.Do(request[0], request[1], "")
		address, ok := strings.CutSuffix(strings.TrimPrefix(res.Header.Get("Link"), "<"), `>; rel="payment"`)
		if res.StatusCode != http.StatusPaymentRequired || res.Header.Get("Www-Authenticate") != "" || !ok {
			t.Fatalf("%v: status %d, %v", request, res.StatusCode, res.Header)
		}
		if request[0] == http.MethodGet && !strings.Contains(string(body), "GET "+address+" returns one") {
			t.Errorf("%v: %s", request, body)
		}
		_, path, _ := strings.Cut(strings.TrimPrefix(address, "http://"), "/")
		if res, _ := s.Do(http.MethodGet, "/"+path, ""); res.Header.Get("Www-Authenticate") == "" {
			t.Errorf("%v names %s, which is answered with status %d and no challenge", request, address, res.StatusCode)
		}
	}
}

// TestPriceEverywhere: price, credits and days are one value wherever they
// are told, also when the operator sets others.
func TestPriceEverywhere(t *testing.T) {
	for _, tt := range []struct {
		name string
		want catalog.Terms
	}{
		{"as specified", catalog.Terms{PriceSats: 100, Credits: 100, ValidDays: 30}},
		{"as set", catalog.Terms{PriceSats: 21, Credits: 7, ValidDays: 3}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg := testConfig(t)
			cfg.Source.Terms = tt.want
			s := newService(t, cfg)
			_, body := s.Do(http.MethodGet, "/v1/search?q=x", "")
			c := servertest.Decode[servertest.Challenge](t, body)
			if got := (catalog.Terms{PriceSats: c.PriceSats, Credits: c.Credits, ValidDays: c.ValidDays}); got != tt.want {
				t.Errorf("402 says %+v, want %+v", got, tt.want)
			}
			inv, err := zpay32.Decode(c.Invoice, &chaincfg.RegressionNetParams)
			if err != nil || inv.MilliSat == nil || int64(*inv.MilliSat) != 1000*tt.want.PriceSats {
				t.Errorf("invoice of %v msat (%v), want %d sat", inv.MilliSat, err, tt.want.PriceSats)
			}
			_, body = s.Do(http.MethodGet, catalog.TrustJSONPath, "")
			trust := servertest.Decode[catalog.Trust](t, body).Credits
			if got := (catalog.Terms{PriceSats: trust.PriceSats, Credits: trust.Credits, ValidDays: trust.ValidDays}); got != tt.want {
				t.Errorf("trust.json says %+v, want %+v", got, tt.want)
			}
			_, body = s.Do(http.MethodGet, catalog.L402Path, "")
			manifest := servertest.Decode[struct {
				Pricing struct {
					PriceSats       int64 `json:"price_sats"`
					Credits         int
					ValiditySeconds int `json:"validity_seconds"`
				}
			}](t, body).Pricing
			if got := (catalog.Terms{PriceSats: manifest.PriceSats, Credits: manifest.Credits, ValidDays: manifest.ValiditySeconds / 86400}); got != tt.want {
				t.Errorf("/.well-known/l402 says %+v, want %+v", got, tt.want)
			}
			wantTexts(s, tt.want)
		})
	}
}

// TestL402Manifest: the discovery manifest of the steward's draft names the service and the caveats of the macaroons that
// are sold, at the price of the invoice, as the terms and the OpenAPI document do.
func TestL402Manifest(t *testing.T) {
	cfg := testConfig(t)
	cfg.Source.Terms = catalog.Terms{PriceSats: 271, Credits: 828, ValidDays: 17}
	s := newService(t, cfg)
	res, body := s.Do(http.MethodGet, catalog.L402JSONPath, "")
	if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "application/json" || res.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("status %d, headers %v", res.StatusCode, res.Header)
	}
	type pricing struct {
		Model string
		Price int64 `json:"price_msat"`
	}
	manifest := servertest.Decode[struct {
		Version    string
		Provider   struct{ Name, URI string }
		Currencies []string
		OpenAPI    string
		Services   []struct {
			Name      string
			Resources []struct {
				Path    string
				Pricing pricing
			}
		}
		Caveats map[string]struct{ Type string }
	}](t, body)
	price := pricing{"fixed", 271_000}
	if manifest.Version != "1.0" || manifest.Provider.URI == "" || !slices.Contains(manifest.Currencies, "msat") || len(manifest.Services) != 1 ||
		manifest.Services[0].Resources[0].Path != catalog.SearchPath || manifest.Services[0].Resources[0].Pricing != price {
		t.Fatalf("%s", body)
	}
	_, body = s.Do(http.MethodGet, "/v1/search?q=x", "")
	c := servertest.Decode[servertest.Challenge](t, body)
	raw, err := base64.StdEncoding.DecodeString(c.Macaroon)
	if err != nil {
		t.Fatal(err)
	}
	var mac macaroon.Macaroon
	if err := mac.UnmarshalBinary(raw); err != nil {
		t.Fatal(err)
	}
	for _, caveat := range mac.Caveats() {
		condition, value, _ := strings.Cut(string(caveat.Id), "=")
		if _, ok := manifest.Caveats[condition]; !ok {
			t.Errorf("the manifest does not name the caveat %s", condition)
		}
		if condition == "services" && value != manifest.Services[0].Name+":0" {
			t.Errorf("the macaroon is for %s, the manifest for %s", value, manifest.Services[0].Name)
		}
	}
	_, body = s.Do(http.MethodGet, catalog.OpenAPIPath, "")
	described := servertest.Decode[struct {
		Info struct {
			Version string `json:"x-l402-version"`
		}
		Caveats map[string]struct{ Type string } `json:"x-l402-caveats"`
		Paths   map[string]struct {
			Get struct {
				Service string  `json:"x-l402-service"`
				Pricing pricing `json:"x-l402-pricing"`
			}
		}
	}](t, body)
	search := described.Paths[catalog.SearchPath].Get
	if described.Info.Version != manifest.Version || search.Service != manifest.Services[0].Name || search.Pricing != price ||
		!maps.Equal(described.Caveats, manifest.Caveats) || manifest.OpenAPI != s.URL+catalog.OpenAPIPath {
		t.Errorf("the OpenAPI document has %+v, the manifest %+v", described, manifest)
	}
	for _, path := range []string{catalog.OpenAPIPath, catalog.TrustJSONPath, catalog.ManifestPath} {
		if _, body := s.Do(http.MethodGet, path, ""); !strings.Contains(string(body), catalog.L402JSONPath) {
			t.Errorf("%s does not name %s", path, catalog.L402JSONPath)
		}
	}
}

// TestX402IsNotAccepted: a client that looks for x402 where searches are sold is told that it does not work, and why; no
// header of x402 is sent.
func TestX402IsNotAccepted(t *testing.T) {
	s := newService(t, testConfig(t))
	for _, path := range []string{catalog.L402Path, catalog.L402JSONPath, catalog.LLMsPath, catalog.OpenAPIPath, catalog.MarkdownPath(catalog.FindPath)} {
		if _, body := s.Do(http.MethodGet, path, ""); !strings.Contains(string(body), catalog.X402Note) {
			t.Errorf("%s does not say so", path)
		}
	}
	if _, body := s.Do(http.MethodGet, catalog.HomePath, "", "Accept", "text/html"); !strings.Contains(string(body), "x402 isn't supported") {
		t.Error("the home page does not say so")
	}
	res, _ := s.Do(http.MethodGet, "/v1/search?q=x", "", "Payment-Signature", "e30=")
	if res.StatusCode != http.StatusPaymentRequired || res.Header.Get("Payment-Required") != "" {
		t.Errorf("status %d, Payment-Required %q", res.StatusCode, res.Header.Get("Payment-Required"))
	}
}

// wantTexts looks at the places that tell the offer in words.
func wantTexts(s *servertest.Client, o catalog.Terms) {
	s.T.Helper()
	price, credits, days := strconv.FormatInt(o.PriceSats, 10), strconv.Itoa(o.Credits), strconv.Itoa(o.ValidDays)
	_, support := s.Do(http.MethodGet, catalog.SupportJSONPath, "")
	paid := servertest.Decode[struct {
		PaidAPI *catalog.PaidAPI `json:"paid_api"`
	}](s.T, support).PaidAPI
	if paid == nil {
		s.T.Fatal("support.json has no paid_api while payments are live")
	}
	_, llms := s.Do(http.MethodGet, catalog.LLMsPath, "")
	_, openapi := s.Do(http.MethodGet, catalog.OpenAPIPath, "")
	for name, text := range map[string]string{"support.json": paid.Note, "llms.txt": string(llms), "openapi.json": string(openapi)} {
		for _, phrase := range []string{price + " sat", credits + " requests", days + " days"} {
			if !strings.Contains(text, phrase) {
				s.T.Errorf("%s does not say %q", name, phrase)
			}
		}
	}
}

// TestMemoFitsEveryNode: the longest description of an invoice is one that every kind of node takes.
func TestMemoFitsEveryNode(t *testing.T) {
	if memo := memoOf(catalog.Terms{Credits: math.MaxInt, ValidDays: math.MaxInt, Demo: true}); len(memo) > 128 {
		t.Errorf("%q has %d bytes", memo, len(memo))
	}
}
