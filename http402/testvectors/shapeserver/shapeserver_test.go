package shapeserver_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.almanac.example/http402/testvectors"
	"go.almanac.example/http402/testvectors/shapeserver"
)

// TestServer: the server answers with the shape until a proof is right, its wallet pays what a wallet on mainnet would,
// and both are in the log.
func TestServer(t *testing.T) {
	shapes := testvectors.Shapes()
	server := shapeserver.New(shapes)
	srv := httptest.NewServer(server)
	defer srv.Close()
	get := func(credential string) *http.Response {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL+"/http/l402", nil)
		if err != nil {
			t.Fatal(err)
		}
		if credential != "" {
			req.Header.Set("Authorization", credential)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		return res
	}
	pay := func(invoice string) (preimage string) {
		res, err := http.Post(srv.URL+"/demo/pay", "application/json", strings.NewReader(`{"invoice":"`+invoice+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		var paid struct{ Preimage string }
		if err := json.NewDecoder(res.Body).Decode(&paid); err != nil {
			t.Fatal(err)
		}
		return paid.Preimage
	}
	parts := strings.Split(get("").Header.Get("WWW-Authenticate"), `"`)
	macaroon, preimage := parts[1], pay(parts[3])
	for credential, want := range map[string]int{
		"": 402, "L402 " + macaroon + ":" + preimage: 200, "LSAT " + macaroon + ":" + preimage: 200,
		"L402 " + macaroon + ":" + strings.Repeat("0", 64): 402, "L402 :" + preimage: 402, "Bearer " + macaroon + ":" + preimage: 402,
	} {
		if got := get(credential).StatusCode; got != want {
			t.Errorf("%.20s…: status %d, want %d", credential, got, want)
		}
	}
	for _, s := range shapes {
		for _, trap := range []string{"l402-expired", "l402-regtest", "l402-open-amount"} {
			if s.ID == trap && pay(strings.Split(s.Headers[0][1], `"`)[3]) != "" {
				t.Errorf("the wallet paid %s", trap)
			}
		}
	}
	kinds := map[string]int{}
	for _, e := range server.Events("l402") {
		kinds[e.Kind]++
	}
	if kinds["paid"] != 1 || kinds["served"] != 2 || kinds["refused"] != 3 || kinds["challenged"] != 2 {
		t.Errorf("the log has %v", kinds)
	}
}
