package lnd_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"go.almanac.example/http402/challenge"
	"go.almanac.example/internal/problem"
	"go.almanac.example/l402"
	"go.almanac.example/l402/ledger"
	"go.almanac.example/l402/node"
	"go.almanac.example/l402/node/lnd"
	"go.almanac.example/l402/node/lnd/simnet"

	"github.com/btcsuite/btcd/chaincfg"
	"github.com/lightningnetwork/lnd/zpay32"
)

// TestAgent is a buyer's whole story on real Lightning: asked to pay, pays 100 sat, searches 100 times, is asked again.
// In the middle the shop's node is stopped and started: what was bought goes on, nothing new is sold, and then it is
// again.
func TestAgent(t *testing.T) {
	begin := time.Now()
	net := simnet.Start(t)
	t.Logf("network ready after %s", time.Since(begin).Round(time.Millisecond))
	a := newAgent(t, net)

	got := a.wantChallenge("", problem.PaymentRequired)
	a.wantChallenge(got.credential(strings.Repeat("00", 32)), problem.PaymentUnproven)
	credential := a.buy(got)
	for left := 99; left >= 70; left-- {
		a.wantResult(credential, left)
	}

	net.StopMerchant()
	down := time.Now()
	for left := 69; left >= 40; left-- {
		a.wantResult(credential, left)
	}
	for range 3 {
		a.wantNodeDown()
	}
	if left := a.balance(credential); left != 40 {
		t.Errorf("balance %d, want 40", left)
	}
	net.StartMerchant()
	t.Logf("node was down for %s", time.Since(down).Round(time.Millisecond))
	second := a.waitForChallenge()

	for left := 39; left >= 0; left-- {
		a.wantResult(credential, left)
	}
	a.wantChallenge(credential, problem.CreditsExhausted)
	credential2 := a.buy(second)
	a.wantResult(credential2, 99)
	_, preimage, _ := strings.Cut(credential2, ":")
	a.wantResult(second.paymentCredential(t, preimage), 98) // the same payment in the scheme Payment
	a.wantChallenge(credential, problem.CreditsExhausted)
	if got, want := a.searches, 102; got != want {
		t.Errorf("the search ran %d times, want %d", got, want)
	}
	a.wantNoSecrets()
}

// An agent is a client that knows L402, and the shop that it buys from.
type agent struct {
	t        *testing.T
	net      *simnet.Network
	shop     *httptest.Server
	searches int
	mu       sync.Mutex
	log      bytes.Buffer // of the shop, everything
	secrets  []string     // what the log must not have
}

// Write takes the shop's log.
func (a *agent) Write(b []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.log.Write(b)
}

func newAgent(t *testing.T, net *simnet.Network) *agent {
	t.Helper()
	a := &agent{t: t, net: net}
	log := slog.New(slog.NewJSONHandler(a, &slog.HandlerOptions{Level: slog.LevelDebug - 10}))
	node, err := lnd.New(lnd.Config{URL: net.Merchant.URL, CertFile: net.Merchant.CertFile, MacaroonFile: net.Merchant.MacaroonFile,
		RouteHints: true, Settings: node.Settings{Network: net.Merchant.Network, Timeout: 30 * time.Second, Log: log}})
	if err != nil {
		t.Fatal(err)
	}
	store, err := ledger.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	limits := l402.DefaultLimits()
	paywall, err := l402.New(context.Background(), l402.Config{Terms: l402.Terms{PriceSats: 100, Credits: 100, Validity: 30 * 24 * time.Hour}, Memo: "100 requests", Invoicer: node, Ledger: store, Realm: "almanac.test",
		Keys: l402.NewKeys(), Limits: limits, Now: time.Now, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/v1/search", paywall.Protect(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.searches++ // one at a time here
		fmt.Fprintf(w, `{"query":%q}`, r.FormValue("q"))
	}), nil))
	mux.Handle("/v1/credits", paywall.CreditsHandler())
	a.shop = httptest.NewServer(mux)
	t.Cleanup(a.shop.Close)
	raw, err := os.ReadFile(net.Merchant.MacaroonFile)
	if err != nil {
		t.Fatal(err)
	}
	a.secrets = append(a.secrets, hex.EncodeToString(raw))
	return a
}

// An offer is the challenge of a WWW-Authenticate header.
type offer struct {
	macaroon, invoice string
	payment           string // the same in the scheme Payment
}

var authParam = regexp.MustCompile(`([a-z]+)="([^"]*)"`)

// paymentCredential returns the credential in the scheme Payment.
func (c offer) paymentCredential(t *testing.T, preimage string) string {
	t.Helper()
	echo := challenge.CanonicalObject{}
	for _, m := range authParam.FindAllStringSubmatch(strings.TrimPrefix(c.payment, "Payment "), -1) {
		echo[m[1]] = m[2]
	}
	return "Payment " + challenge.Encode(challenge.CanonicalObject{"challenge": echo, "payload": challenge.CanonicalObject{"preimage": preimage}}.Canonical())
}

func (c offer) credential(preimage string) string { return "L402 " + c.macaroon + ":" + preimage }

var challengeHeader = regexp.MustCompile(`^L402 macaroon="([A-Za-z0-9+/=]+)", invoice="([a-z0-9]+)"`)

func (a *agent) get(path, credential string) (*http.Response, []byte) {
	a.t.Helper()
	req, err := http.NewRequestWithContext(a.t.Context(), "GET", a.shop.URL+path, nil)
	if err != nil {
		a.t.Fatal(err)
	}
	if credential != "" {
		req.Header.Set("Authorization", credential)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		a.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		a.t.Fatal(err)
	}
	return res, body
}

func (a *agent) search(credential string) (*http.Response, []byte) {
	a.t.Helper()
	return a.get("/v1/search?q=lightning", credential)
}

// wantChallenge searches, wants to be refused with code, and returns what there is to pay.
func (a *agent) wantChallenge(credential string, code problem.Code) offer {
	a.t.Helper()
	res, body := a.search(credential)
	m := challengeHeader.FindStringSubmatch(res.Header.Get("WWW-Authenticate"))
	var refusal struct {
		Code problem.Code `json:"code"`
	}
	if err := json.Unmarshal(body, &refusal); err != nil || res.StatusCode != 402 || refusal.Code != code || m == nil {
		a.t.Fatalf("status %d, %v, %s (%v); want 402, a challenge and %s", res.StatusCode, res.Header, body, err, code)
	}
	invoice, err := zpay32.Decode(m[2], &chaincfg.SimNetParams)
	if err != nil || *invoice.MilliSat != 100_000 || invoice.Expiry() != 15*time.Minute {
		a.t.Fatalf("invoice %s (%v), want one of 100 sat for 15 minutes on simnet", m[2], err)
	}
	a.secrets = append(a.secrets, m[1])
	return offer{macaroon: m[1], invoice: m[2], payment: res.Header.Values("WWW-Authenticate")[1]}
}

// buy pays for real and returns the credential.
func (a *agent) buy(c offer) string {
	a.t.Helper()
	begin := time.Now()
	preimage, err := a.net.Pay(a.t.Context(), c.invoice)
	if err != nil {
		a.t.Fatal(err)
	}
	a.t.Logf("paid in %s", time.Since(begin).Round(time.Millisecond))
	a.secrets = append(a.secrets, preimage)
	raw, err := hex.DecodeString(preimage)
	if err != nil {
		a.t.Fatal(err)
	}
	hash := sha256.Sum256(raw)
	if state, err := a.net.InvoiceState(a.t.Context(), hex.EncodeToString(hash[:])); err != nil || state != "SETTLED" {
		a.t.Fatalf("invoice is %s (%v) after it was paid", state, err)
	}
	return c.credential(preimage)
}

func (a *agent) wantResult(credential string, left int) {
	a.t.Helper()
	res, body := a.search(credential)
	if got := res.Header.Get("X-Credit-Balance"); res.StatusCode != 200 || got != fmt.Sprint(left) || string(body) != `{"query":"lightning"}` {
		a.t.Fatalf("status %d, balance %s, %s; want 200 and %d", res.StatusCode, got, body, left)
	}
}

func (a *agent) wantNodeDown() {
	a.t.Helper()
	res, body := a.search("")
	if res.StatusCode != 503 || res.Header.Get("Retry-After") == "" || res.Header.Get("WWW-Authenticate") != "" || !bytes.Contains(body, []byte(problem.NodeUnavailable)) {
		a.t.Fatalf("status %d, %v, %s; want 503 with Retry-After and without a challenge", res.StatusCode, res.Header, body)
	}
}

// waitForChallenge asks until there is a challenge again. Nothing here was restarted.
func (a *agent) waitForChallenge() offer {
	a.t.Helper()
	begin := time.Now()
	for {
		if res, _ := a.search(""); res.StatusCode == 402 {
			a.t.Logf("sells again %s after the node was back", time.Since(begin).Round(time.Millisecond))
			return a.wantChallenge("", problem.PaymentRequired)
		}
		if time.Since(begin) > 5*time.Minute {
			a.t.Fatal("five minutes after the node was back there is still no challenge")
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func (a *agent) balance(credential string) int {
	a.t.Helper()
	res, body := a.get("/v1/credits", credential)
	var credits struct {
		Remaining int `json:"remaining"`
	}
	if err := json.Unmarshal(body, &credits); err != nil || res.StatusCode != 200 {
		a.t.Fatalf("status %d, %s (%v)", res.StatusCode, body, err)
	}
	return credits.Remaining
}

func (a *agent) wantNoSecrets() {
	a.t.Helper()
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, s := range a.secrets {
		if bytes.Contains(a.log.Bytes(), []byte(s)) {
			a.t.Errorf("the log shows secret %d of %d", i, len(a.secrets))
		}
	}
	if a.log.Len() == 0 {
		a.t.Error("nothing was logged, so nothing was seen")
	}
}
