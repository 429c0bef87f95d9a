package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"go.almanac.example/http402/bolt11"
	"go.almanac.example/http402/client"
	"go.almanac.example/http402/client/clienttest"
	"go.almanac.example/http402/journal"
	"go.almanac.example/http402/wallet"
)

// A market is a seller and a buyer with a wallet.
type market struct {
	t      *testing.T
	node   *clienttest.Node
	seller *clienttest.Seller
	url    string
	file   string // of the journal
	client *client.Client
	http   *http.Client
}

// nodeOf is the node of a market's seller.
func nodeOf(s *clienttest.Seller) *clienttest.Node { return s.Payee.(*clienttest.Node) }

// usual is a budget that is not in the way.
var usual = client.Budget{PerPayment: 1000, PerDay: 100_000, FeeLimit: 10}

func newMarket(t *testing.T, edit ...func(*client.Config, *clienttest.Seller)) *market {
	t.Helper()
	m := &market{t: t, node: clienttest.NewNode(), file: filepath.Join(t.TempDir(), "journal.db")}
	m.seller = &clienttest.Seller{T: t, Payee: m.node, Price: 100, Credits: 100, Counts: true}
	srv := httptest.NewServer(m.seller)
	t.Cleanup(srv.Close)
	m.url = srv.URL
	m.open(edit...)
	return m
}

// open opens the buyer on the journal, as a new process would.
func (m *market) open(edit ...func(*client.Config, *clienttest.Seller)) {
	m.t.Helper()
	j, err := journal.Open(m.t.Context(), m.file)
	if err != nil {
		m.t.Fatal(err)
	}
	cfg := client.Config{Wallet: m.node, Journal: j, Budget: usual, Networks: []string{bolt11.Regtest}}
	for _, e := range edit {
		e(&cfg, m.seller)
	}
	c, err := client.New(cfg)
	if err != nil {
		m.t.Fatal(err)
	}
	m.client, m.http = c, &http.Client{Transport: &client.Transport{Client: c}}
	m.t.Cleanup(func() { c.Close() })
}

// reopen is a restart without a crash.
func (m *market) reopen(edit ...func(*client.Config, *clienttest.Seller)) {
	m.t.Helper()
	if err := m.client.Close(); err != nil {
		m.t.Fatal(err)
	}
	m.open(edit...)
}

func (m *market) get(path string) (int, string, error) {
	resp, err := m.http.Get(m.url + path)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(body), err
}

func (m *market) wantServed(path string) {
	m.t.Helper()
	if status, body, err := m.get(path); err != nil || status != 200 || body != "served "+strings.SplitN(path, "?", 2)[0] {
		m.t.Fatalf("GET %s: %d %q (%v), want to be served", path, status, body, err)
	}
}

func (m *market) wantPayments(want int) {
	m.t.Helper()
	if got, _, _ := m.node.Payments(); got != want {
		m.t.Errorf("%d payments, want %d", got, want)
	}
}

// wantRefusal checks the reason and words of the refusal that err holds.
func wantRefusal(t testing.TB, err error, reason client.Reason, words ...string) {
	t.Helper()
	var r *client.Refusal
	if !errors.As(err, &r) || r.Reason != reason {
		t.Errorf("error %v, want the refusal %s", err, reason)
		return
	}
	for _, w := range words {
		if !strings.Contains(r.Message, w) {
			t.Errorf("sentence %q does not say %q", r.Message, w)
		}
	}
}

// TestBuyReuseExhaust walks through one payment to the next.
func TestBuyReuseExhaust(t *testing.T) {
	m := newMarket(t, func(_ *client.Config, s *clienttest.Seller) { s.Credits = 5 })
	for range 3 {
		m.wantServed("/a?q=1")
	}
	m.reopen() // what is left is known afterwards
	if cred := m.client.Find(t.Context(), m.url, "/a"); cred == nil || cred.Remaining() != 2 {
		t.Errorf("found %v, want a credential with 2 left", cred)
	}
	for range 2 {
		m.wantServed("/a?q=2")
	}
	m.wantPayments(1)
	if _, challenges := m.seller.Counted(); challenges != 1 {
		t.Errorf("%d challenges, want 1", challenges)
	}
	m.wantServed("/b") // the sixth
	m.wantPayments(2)
	receipts, err := m.client.Journal().Receipts(t.Context())
	if err != nil || len(receipts) != 2 {
		t.Fatalf("%d receipts (%v), want 2", len(receipts), err)
	}
	for _, r := range receipts {
		if r.State != journal.Used || r.AmountMilliSats != 100_000 || len(r.Preimage) != 64 || r.Origin != m.url {
			t.Errorf("receipt %+v", r)
		}
	}
}

// TestUncounted: a seller who does not tell what is left is paid again when it asks.
func TestUncounted(t *testing.T) {
	m := newMarket(t, func(_ *client.Config, s *clienttest.Seller) { s.Credits, s.Counts = 2, false })
	for range 5 {
		m.wantServed("/a")
	}
	m.wantPayments(3)
}

// TestPayment buys by the Payment scheme: one answer for one payment, unless the seller counts.
func TestPayment(t *testing.T) {
	for _, tt := range []struct {
		name     string
		counts   bool
		payments int
	}{{"a charge is for one request", false, 4}, {"a counted charge is for several", true, 2}} {
		t.Run(tt.name, func(t *testing.T) {
			m := newMarket(t, func(_ *client.Config, s *clienttest.Seller) { s.Payment, s.Credits, s.Counts = true, 3, tt.counts })
			for range 4 {
				m.wantServed("/a")
			}
			m.wantPayments(tt.payments)
			if _, challenges := m.seller.Counted(); challenges != tt.payments {
				t.Errorf("%d challenges, want %d: what is known to be used up need not be presented", challenges, tt.payments)
			}
		})
	}
}

// TestFiftyAtOnce: with an empty store, parallel requests pay once.
func TestFiftyAtOnce(t *testing.T) {
	for name, edit := range map[string]func(*client.Config, *clienttest.Seller){
		"counted":   func(*client.Config, *clienttest.Seller) {},
		"uncounted": func(_ *client.Config, s *clienttest.Seller) { s.Counts = false },
		"Payment":   func(_ *client.Config, s *clienttest.Seller) { s.Payment = true },
	} {
		t.Run(name, func(t *testing.T) {
			m := newMarket(t, edit)
			m.together(50, func() error { _, _, err := m.get("/a"); return err })
			m.wantPayments(1)
			if served, _ := m.seller.Counted(); served != 50 {
				t.Errorf("%d served, want 50", served)
			}
		})
	}
}

// together runs f n times at once and reports its errors.
func (m *market) together(n int, f func() error) {
	m.t.Helper()
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			if err := f(); err != nil {
				m.t.Error(err)
			}
		})
	}
	wg.Wait()
}

// TestTwoProcesses: two clients on one journal pay once between them.
func TestTwoProcesses(t *testing.T) {
	m := newMarket(t)
	first := m.http
	m.open()
	second := m.http
	var wg sync.WaitGroup
	for i := range 20 {
		h := first
		if i%2 == 0 {
			h = second
		}
		wg.Go(func() {
			resp, err := h.Get(m.url + "/a")
			if err != nil {
				t.Error(err)
				return
			}
			resp.Body.Close()
		})
	}
	wg.Wait()
	m.wantPayments(1)
}

// TestBodies: a request with a body is repeated with it.
func TestBodies(t *testing.T) {
	m := newMarket(t)
	resp, err := m.http.Post(m.url+"/a", "text/plain", strings.NewReader("hello"))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if got := m.seller.Bodies(); len(got) != 1 || got[0] != "hello" {
		t.Errorf("the seller got %q", got)
	}
}

// TestCallerLeaves: a payment that has begun goes on, and the next request finds what it bought.
func TestCallerLeaves(t *testing.T) {
	m := newMarket(t)
	began, finish := make(chan struct{}), make(chan struct{})
	m.node.Hooks(func(ctx context.Context, _ wallet.Payment) (bool, error) {
		close(began)
		<-finish
		return true, ctx.Err()
	}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		req, err := http.NewRequestWithContext(ctx, "GET", m.url+"/a", nil)
		if err == nil {
			_, err = m.http.Do(req)
		}
		done <- err
	}()
	<-began
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that the caller left", err)
	}
	close(finish)
	m.wantServed("/a")
	m.wantPayments(1)
}

// TestOwnAuthorization: a request keeps the Authorization that its caller gave it. It is paid for only where the challenge
// has a header of its own, also when a credential for Authorization is at hand.
func TestOwnAuthorization(t *testing.T) {
	m := newMarket(t)
	kept := true
	get := func() int {
		req, err := http.NewRequest("GET", m.url+"/a", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer x")
		resp, err := m.http.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp.StatusCode
	}
	m.seller.Refuse = func(r *http.Request) bool { // what is not paid for
		kept = kept && r.Header.Get("Authorization") == "Bearer x"
		return r.Header.Get("Payment-Authorization") == ""
	}
	if status := get(); status != 402 {
		t.Errorf("status %d, want 402", status)
	}
	m.wantPayments(0)
	refuse := m.seller.Refuse
	m.seller.Refuse = nil
	m.wantServed("/a")
	m.seller.Refuse, m.seller.Payment = refuse, true
	m.seller.Edit = func(h http.Header) { h["Www-Authenticate"][0] += `, header="Payment-Authorization"` }
	if status := get(); status != 200 || !kept {
		t.Errorf("status %d, want 200; its Authorization was kept: %t", status, kept)
	}
	m.wantPayments(2)
}

// TestOtherResource: a credential is tried on other resources of its origin, and survives being refused there.
func TestOtherResource(t *testing.T) {
	m := newMarket(t)
	m.wantServed("/a")
	m.seller.Refuse = func(r *http.Request) bool {
		return r.URL.Path == "/b" && r.Header.Get("X-First") == "" && m.refuseOnce()
	}
	m.wantServed("/b") // refused with the first credential, bought again
	m.wantPayments(2)
	m.wantServed("/a")
	m.wantPayments(2)
}

// refuseOnce reports true as long as one payment was made.
func (m *market) refuseOnce() bool { n, _, _ := m.node.Payments(); return n == 1 }

// TestAnsweredWith401: a credential that is answered with 401 is given up if the answer without it is 402, and stays if that
// is 401 too, or if the 401 asks for a login of another scheme.
func TestAnsweredWith401(t *testing.T) {
	node := clienttest.NewNode()
	seller := &clienttest.Seller{T: t, Payee: node, Price: 100, Credits: 100, Counts: true}
	rotated, closed, login := false, false, false
	m := &market{t: t, node: node, seller: seller, file: filepath.Join(t.TempDir(), "journal.db")}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case closed, rotated && r.Header.Get("Authorization") != "", login && r.Header.Get("Authorization") != "":
			if login {
				w.Header().Set("WWW-Authenticate", `Bearer realm="shop"`) // beside the payment, which is good
			}
			w.WriteHeader(http.StatusUnauthorized)
		default:
			seller.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(srv.Close)
	m.url = srv.URL
	m.open()
	get := func(want, payments int) {
		t.Helper()
		resp, err := m.http.Get(m.url + "/a")
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if n, _, _ := node.Payments(); resp.StatusCode != want || n != payments {
			t.Errorf("status %d after %d payments, want %d after %d", resp.StatusCode, n, want, payments)
		}
	}
	get(http.StatusOK, 1)
	closed = true
	get(http.StatusUnauthorized, 1)
	closed = false
	login = true
	get(http.StatusUnauthorized, 1)
	login = false
	get(http.StatusOK, 1) // with the same credential
	rotated = true
	seller.Edit = func(http.Header) { rotated = false } // from the next challenge on
	get(http.StatusOK, 2)
	get(http.StatusOK, 2)
}

// A mute wallet pays and never shows a preimage, until it does.
type muteWallet struct {
	*clienttest.Node
	speaks bool
}

func (w *muteWallet) Pay(ctx context.Context, p wallet.Payment) (wallet.Outcome, error) {
	if w.speaks {
		return w.Node.Pay(ctx, p)
	}
	return wallet.Outcome{Status: wallet.Pending}, nil
}

func (w *muteWallet) Track(ctx context.Context, hash [32]byte) (wallet.Outcome, error) {
	if w.speaks {
		return w.Node.Track(ctx, hash)
	}
	return wallet.Outcome{Status: wallet.Pending}, nil
}

// TestLostPayment: a payment whose preimage never comes can be given up, once. It counts as spent with its fee limit, and
// the seller is paid again.
func TestLostPayment(t *testing.T) {
	w := &muteWallet{}
	m := newMarket(t, func(cfg *client.Config, _ *clienttest.Seller) { w.Node = cfg.Wallet.(*clienttest.Node); cfg.Wallet = w })
	_, err := m.http.Get(m.url + "/a")
	var refusal *client.Refusal
	if !errors.As(err, &refusal) || refusal.Reason != client.Pending {
		t.Fatalf("the request: %v", err)
	}
	hash := regexp.MustCompile("almanac forget ([0-9a-f]{64})").FindStringSubmatch(refusal.Message)
	if hash == nil {
		t.Fatalf("%q names no way out", refusal.Message)
	}
	for _, want := range []bool{true, false} {
		if lost, err := m.client.Journal().Forget(t.Context(), hash[1]); lost != want || (err == nil) != want {
			t.Errorf("Forget: %t, %v", lost, err)
		}
	}
	w.speaks = true
	resp, err := m.http.Get(m.url + "/a")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if s, _, err := m.client.Spending(t.Context()); err != nil || s.Total != 110_000+100_000 {
		t.Errorf("spent %d msat (%v), want the lost 110 sat and 100", s.Total, err)
	}
	list, err := m.client.Journal().Receipts(t.Context())
	if err != nil || len(list) != 2 || list[0].State != journal.Lost {
		t.Errorf("receipts %+v, %v", list, err)
	}
}
