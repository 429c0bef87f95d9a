package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	"go.almanac.example/catalog"
	"go.almanac.example/http402/challenge"
	"go.almanac.example/index/searchpb"
	"go.almanac.example/internal/problem"
	"go.almanac.example/l402/node/lnd/simnet"
	"go.almanac.example/server/servertest"
)

// buyByPayment buys by the scheme Payment with a real payment, and uses what was bought over HTTP, gRPC and MCP. The
// challenge has no word for this network: its draft knows none.
func buyByPayment(t *testing.T, s *servertest.Client, p *process, net *simnet.Network) {
	t.Helper()
	res, body := s.Do(http.MethodGet, "/v1/search?q=macaroon", "", "Accept-Payment", "lightning/charge")
	found, unusable := challenge.Parse(res.Header.Values("WWW-Authenticate"))
	if res.StatusCode != http.StatusPaymentRequired || len(found) != 2 || len(unusable) != 0 || found[0].Scheme != challenge.Payment || found[0].Charge.Network != "" || found[0].Invoice != found[1].Invoice {
		t.Fatalf("status %d, %+v, %v: %s", res.StatusCode, found, unusable, body)
	}
	text, err := net.Pay(t.Context(), found[0].Invoice)
	if err != nil {
		t.Fatal(err)
	}
	var preimage [32]byte
	if _, err := hex.Decode(preimage[:], []byte(text)); err != nil {
		t.Fatal(err)
	}
	if hash := sha256.Sum256(preimage[:]); !found[0].HasHash || hash != found[0].Hash {
		t.Errorf("the challenge names the payment %x, paid was %x", found[0].Hash, hash)
	}
	for i, c := range []challenge.Challenge{found[0], found[0], found[1]} { // twice by Payment, once by L402, from one account
		credential := c.Credential(preimage)
		res, body := s.Do(http.MethodGet, "/v1/search?q=macaroon", "", "Authorization", credential.Value)
		if res.StatusCode != http.StatusOK || res.Header.Get("X-Credit-Balance") != []string{"99", "98", "97"}[i] || (res.Header.Get("Payment-Receipt") != "") != (i < 2) {
			t.Errorf("%s: status %d, balance %s, receipt %q: %s", c.Scheme, res.StatusCode, res.Header.Get("X-Credit-Balance"), res.Header.Get("Payment-Receipt"), body)
		}
	}
	credential := found[0].Credential(preimage)
	conn, err := grpc.NewClient(p.grpc, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	answer, err := searchpb.NewSearchClient(conn).Search(metadata.AppendToOutgoingContext(t.Context(), "authorization", credential.Value), &searchpb.SearchRequest{Q: "macaroon"})
	if err != nil || answer.GetCredits().GetRemaining() != 96 {
		t.Errorf("over gRPC: %d left, %v", answer.GetCredits().GetRemaining(), err)
	}
	paid := s.Call("search_passages", map[string]any{"query": "macaroon", "l402": credential.Value})
	if left := servertest.Decode[struct{ Credits struct{ Left int } }](t, paid).Credits.Left; left != 95 {
		t.Errorf("over MCP: %d left, want 95", left)
	}
	if log := p.logged(); strings.Contains(log, text) {
		t.Error("the log holds the preimage")
	}
}

// receives checks the lines of doctor about the amount that the node can receive, about a price above it, and about a right
// that a macaroon lacks.
func receives(t *testing.T, net *simnet.Network) {
	t.Helper()
	state := t.TempDir()
	doctor := func(macaroon, price string) []string {
		return []string{"doctor", "-http", "localhost:0", "-admin", "off", "-state", state, "-payments", "lnd", "-lnd-url", net.Merchant.URL,
			"-lnd-cert", net.Merchant.CertFile, "-lnd-macaroon", macaroon, "-lnd-network", net.Merchant.Network, "-price", price}
	}
	operator, both := newShopper(t), net.Bake("/lnrpc.Lightning/AddInvoice", "/lnrpc.Lightning/ListChannels")
	operator.want(0, []string{"whether it can be paid is not known", "/lnrpc.Lightning/ListChannels"}, doctor(net.Merchant.MacaroonFile, "70")...)
	operator.want(0, []string{"its channels can receive 19"}, doctor(both, "70")...)
	operator.want(1, []string{"FAIL", "its channels can receive 19", "active channels: 1", "and the price is 3000000", "inbound liquidity"}, doctor(both, "3000000")...)
}

// TestLightning is the program as an operator runs it, on a real network: the offer is published
// exactly while the node answers, what was bought goes on without it, and it comes back by itself.
func TestLightning(t *testing.T) {
	net := simnet.Start(t)
	p := startServe(t, "-payments", "lnd", "-lnd-url", net.Merchant.URL, "-lnd-cert", net.Merchant.CertFile,
		"-lnd-macaroon", net.Merchant.MacaroonFile, "-lnd-network", net.Merchant.Network)
	s := &servertest.Client{T: t, URL: p.base}
	search := func(credential string) (*http.Response, string) {
		res, body := s.Do(http.MethodGet, "/v1/search?q=macaroon", "", "Authorization", credential)
		return res, string(body)
	}
	offered := func() bool {
		_, body := s.Do(http.MethodGet, catalog.SupportJSONPath, "")
		return strings.Contains(string(body), `"paid_api"`)
	}

	if !offered() {
		t.Fatal("support.json does not offer the paid interface while the node answers")
	}
	res, body := s.Do(http.MethodGet, "/v1/search?q=macaroon", "")
	if res.StatusCode != http.StatusPaymentRequired {
		t.Fatalf("status %d, want 402: %s", res.StatusCode, body)
	}
	c := servertest.Decode[servertest.Challenge](t, body)
	preimage, err := net.Pay(t.Context(), c.Invoice)
	if err != nil {
		t.Fatal(err)
	}
	credential := "L402 " + c.Macaroon + ":" + preimage
	if res, body := search(credential); res.StatusCode != http.StatusOK || res.Header.Get("X-Credit-Balance") != "99" {
		t.Fatalf("paid: status %d, balance %s: %s", res.StatusCode, res.Header.Get("X-Credit-Balance"), body)
	}

	buyByPayment(t, s, p, net)
	receives(t, net)

	net.StopMerchant()
	servertest.WaitUntil(t, "the offer vanishes", func() bool { return !offered() })
	if res, body := search(credential); res.StatusCode != http.StatusOK {
		t.Errorf("paid, without the node: status %d: %s", res.StatusCode, body)
	}
	res, body = s.Do(http.MethodGet, "/v1/search?q=macaroon", "")
	if code := servertest.Decode[servertest.Challenge](t, body).Code; res.StatusCode != http.StatusServiceUnavailable || problem.Code(code) != problem.NodeUnavailable || res.Header.Get("Retry-After") == "" {
		t.Errorf("unpaid, without the node: status %d, code %q, Retry-After %q", res.StatusCode, code, res.Header.Get("Retry-After"))
	}
	if res.Header.Get("WWW-Authenticate") != "" {
		t.Error("a 503 carries a challenge")
	}

	net.StartMerchant()
	servertest.WaitUntil(t, "the offer is back", offered)
	res, body = s.Do(http.MethodGet, "/v1/search?q=macaroon", "")
	if res.StatusCode != http.StatusPaymentRequired {
		t.Errorf("unpaid, with the node back: status %d: %s", res.StatusCode, body)
	}
	p.waitLog(`"path":"/v1/search","status":200`)
	if log := p.logged(); strings.Contains(log, preimage) || strings.Contains(log, c.Macaroon) {
		t.Error("the log holds the preimage or the macaroon")
	}
}
