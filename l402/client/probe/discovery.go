package probe

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"almanac/l402/client/challenge"
)

// x402 recognises the header of x402, which needs no Lightning.
func (s *site) x402(a *answer) {
	text := a.header.Get("Payment-Required")
	if text == "" {
		return
	}
	var required struct {
		X402Version int
		Resource    struct{ URL string }
		Accepts     []struct{ Scheme, Network, Amount string }
	}
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil || json.Unmarshal(b, &required) != nil {
		s.report.add(Fault, "x402", refX402, "PAYMENT-REQUIRED is not JSON in standard base64")
		return
	}
	var ways []string
	for _, w := range required.Accepts {
		ways = append(ways, w.Scheme+" on "+w.Network)
	}
	s.report.add(Note, "x402", "", "x402 version %d is offered, too: %s", required.X402Version, strings.Join(ways, ", "))
	if required.Resource.URL != "" && required.Resource.URL != s.url.String() {
		s.report.add(Fault, "x402.resource", refX402, "PAYMENT-REQUIRED is for %s, not for the address that was asked", required.Resource.URL)
	}
}

// fetch returns a document of the same host, and reports under the name of a check why there is none.
func (s *site) fetch(ctx context.Context, path, check, ref string) (*answer, bool) {
	u := url.URL{Scheme: s.url.Scheme, Host: s.url.Host, Path: path}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		s.report.add(Note, check, ref, "%s cannot be asked for: %v", path, err)
		return nil, false
	}
	a, err := s.do(req)
	switch {
	case err != nil:
		s.report.add(Note, check, ref, "%s could not be read: %v", path, err)
	case a.status != http.StatusOK:
		s.report.add(Note, check, ref, "there is no %s: it answered %d", path, a.status)
	default:
		return a, true
	}
	return nil, false
}

// discovery compares the announced terms with the challenge.
func (s *site) discovery(ctx context.Context) {
	if a, ok := s.fetch(ctx, "/.well-known/l402", "discovery.l402", ""); ok {
		s.wellKnown(a)
	}
	if a, ok := s.fetch(ctx, "/openapi.json", "discovery.openapi", refDiscovery); ok {
		s.openAPI(a)
	}
}

func (s *site) wellKnown(a *answer) {
	var doc struct {
		Pricing struct {
			PriceSats json.Number `json:"price_sats"`
		}
		Endpoints []struct {
			URL       string
			Path      string
			PriceSats json.Number `json:"price_sats"`
		}
	}
	if json.Unmarshal(a.body, &doc) != nil {
		s.report.add(Fault, "discovery.l402", "", "/.well-known/l402 is not readable JSON")
		return
	}
	price, _ := doc.Pricing.PriceSats.Int64()
	for _, e := range doc.Endpoints {
		if n, err := e.PriceSats.Int64(); err == nil && e.Path == s.url.Path {
			price = n
		}
	}
	if price == 0 || s.price == 0 {
		s.report.add(Note, "discovery.l402", "", "/.well-known/l402 states no price for this address")
		return
	}
	s.report.expect(price*1000 == s.price, Fault, "discovery.l402", "", "/.well-known/l402 states the price of the invoice", "/.well-known/l402 says %d sat, the invoice %d msat", price, s.price)
}

// openAPI looks for x-payment-info (draft-payment-discovery).
func (s *site) openAPI(a *answer) {
	var doc struct {
		OpenAPI string
		Paths   map[string]map[string]json.RawMessage
	}
	if json.Unmarshal(a.body, &doc) != nil || !strings.HasPrefix(doc.OpenAPI, "3.") {
		s.report.add(Fault, "discovery.openapi", refDiscovery, "/openapi.json is not a document of OpenAPI 3")
		return
	}
	method := s.Method
	if method == "" {
		method = http.MethodGet
	}
	var op struct {
		Info *struct {
			Offers []struct {
				Intent, Method string
				Amount         *string
			}
		} `json:"x-payment-info"`
		Responses map[string]json.RawMessage
	}
	raw, ok := doc.Paths[s.url.Path][strings.ToLower(method)]
	if !ok || json.Unmarshal(raw, &op) != nil {
		s.report.add(Note, "discovery.openapi", refDiscovery, "/openapi.json does not describe %s %s", method, s.url.Path)
		return
	}
	_, lists402 := op.Responses["402"]
	s.report.expect(lists402, Fault, "discovery.openapi.402", refDiscovery, "/openapi.json lists the 402", "/openapi.json does not list the answer 402 of %s %s", method, s.url.Path)
	if op.Info == nil {
		return
	}
	payment := false
	for _, c := range s.found {
		payment = payment || c.Scheme == challenge.Payment
	}
	for _, o := range op.Info.Offers {
		if o.Method == "lightning" && !payment {
			s.report.add(Fault, "discovery.openapi.offer", refDiscovery, "/openapi.json offers Payment by lightning, and no challenge asks for it")
		}
		if o.Method == "lightning" && o.Amount != nil && s.price > 0 {
			n, err := strconv.ParseInt(*o.Amount, 10, 64)
			s.report.expect(err == nil && n*1000 == s.price, Fault, "discovery.openapi.amount", refDiscovery, "/openapi.json states the price of the invoice",
				"/openapi.json offers %s sat, the invoice is for %d msat", *o.Amount, s.price)
		}
	}
}
