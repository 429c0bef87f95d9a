package buyer_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.almanac.example/http402/bolt11"
	"go.almanac.example/http402/client"
	"go.almanac.example/http402/client/clienttest"
	"go.almanac.example/http402/journal"
	"go.almanac.example/http402/wallet"
	"go.almanac.example/http402/wallet/lnd"
	"go.almanac.example/l402/node/lnd/simnet"
)

var kills = flag.Int("kills", 30, "how often the tests of crashes kill the buyer")

// TestMain lets the test binary play a buyer that is killed.
func TestMain(m *testing.M) {
	if text := os.Getenv("ALMANAC_TEST_BUYER"); text != "" {
		if err := buy(text); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	flag.Parse()
	os.Exit(m.Run())
}

// An errand is what a killed buyer was sent to do.
type errand struct {
	URL, Journal string
	Wallet       string // address of a remoteWallet; else lnd's
	Node         simnet.Payer
	Network      string
	DieAt        string        // a state of the journal, or "order" or "outcome"
	DieAfter     time.Duration // after the order, or after the start when DieAt is empty
	Budget       client.Budget
}

// die ends the process as kill -9 does.
func die() {
	syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

// buy is the buyer's process: it gets the address once.
func buy(text string) error {
	var e errand
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		return err
	}
	if e.DieAt == "" && e.DieAfter > 0 {
		time.AfterFunc(e.DieAfter, die)
	}
	var w wallet.Wallet = &remoteWallet{url: e.Wallet}
	if e.Wallet == "" {
		node, err := lnd.New(e.Node.URL, e.Node.CertFile, e.Node.MacaroonFile)
		if err != nil {
			return err
		}
		w = node
	}
	j, err := journal.Open(context.Background(), e.Journal)
	if err != nil {
		return err
	}
	c, err := client.New(client.Config{Wallet: &mortalWallet{w, e}, Journal: j, Budget: e.Budget, Networks: []string{e.Network}, Log: slog.New(mortalLog{e})})
	if err != nil {
		return err
	}
	defer c.Close()
	resp, err := (&http.Client{Transport: &client.Transport{Client: c}}).Get(e.URL)
	if err != nil {
		return err
	}
	fmt.Println(resp.Status)
	return resp.Body.Close()
}

// A mortalLog kills the process when a purchase comes to a state.
type mortalLog struct{ e errand }

func (mortalLog) Enabled(context.Context, slog.Level) bool { return true }
func (l mortalLog) WithAttrs([]slog.Attr) slog.Handler     { return l }
func (l mortalLog) WithGroup(string) slog.Handler          { return l }
func (l mortalLog) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		if r.Message == "purchase" && a.Key == "state" && a.Value.String() == l.e.DieAt {
			die()
		}
		return true
	})
	return nil
}

// A mortalWallet kills the process around a payment.
type mortalWallet struct {
	wallet.Wallet
	e errand
}

func (w *mortalWallet) Pay(ctx context.Context, p wallet.Payment) (wallet.Outcome, error) {
	if w.e.DieAt == "order" {
		time.AfterFunc(w.e.DieAfter, die)
	}
	out, err := w.Wallet.Pay(ctx, p)
	if w.e.DieAt == "outcome" {
		die()
	}
	return out, err
}

// A remoteWallet is a Node of the parent process, which survives the buyer.
type remoteWallet struct{ url string }

type remoteAnswer struct {
	Outcome wallet.Outcome
	Error   string
}

func (w *remoteWallet) ask(ctx context.Context, path string, in any) (wallet.Outcome, error) {
	body, err := json.Marshal(in)
	if err != nil {
		return wallet.Outcome{}, err
	}
	req, err := http.NewRequestWithContext(ctx, "POST", w.url+path, strings.NewReader(string(body)))
	if err != nil {
		return wallet.Outcome{}, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return wallet.Outcome{}, err
	}
	defer resp.Body.Close()
	var a remoteAnswer
	if err := json.NewDecoder(resp.Body).Decode(&a); err != nil {
		return wallet.Outcome{}, err
	}
	if a.Error != "" {
		return wallet.Outcome{}, errors.New(a.Error)
	}
	return a.Outcome, nil
}

func (w *remoteWallet) Pay(ctx context.Context, p wallet.Payment) (wallet.Outcome, error) {
	return w.ask(ctx, "/pay", p)
}

func (w *remoteWallet) Track(ctx context.Context, hash [32]byte) (wallet.Outcome, error) {
	return w.ask(ctx, "/track", hash)
}

// serveWallet serves a node to remote wallets. An order that has arrived is carried out, whether or not the buyer lives, and late: as a real one.
func serveWallet(t *testing.T, node *clienttest.Node) string {
	t.Helper()
	mux := http.NewServeMux()
	answer := func(w http.ResponseWriter, out wallet.Outcome, err error) {
		a := remoteAnswer{Outcome: out}
		if err != nil {
			a.Error = err.Error()
		}
		json.NewEncoder(w).Encode(a)
	}
	mux.HandleFunc("/pay", func(w http.ResponseWriter, r *http.Request) {
		var p wallet.Payment
		if err := json.NewDecoder(r.Body).Decode(&p); err != nil {
			return
		}
		timer := time.NewTimer(time.Duration(rand.IntN(20)) * time.Millisecond) // on its way
		defer timer.Stop()
		<-timer.C
		out, err := node.Pay(context.WithoutCancel(r.Context()), p)
		answer(w, out, err)
	})
	mux.HandleFunc("/track", func(w http.ResponseWriter, r *http.Request) {
		var hash [32]byte
		if err := json.NewDecoder(r.Body).Decode(&hash); err != nil {
			return
		}
		out, err := node.Track(r.Context(), hash)
		answer(w, out, err)
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return srv.URL
}

// steps are where the buyer dies.
var steps = []string{"paying", "order", "outcome", "paid", "used", ""}

// A slaughter sends buyers out, kills them, and looks at what is left.
type slaughter struct {
	t      *testing.T
	seller *clienttest.Seller
	errand errand
	killed int
	served int
}

func newSlaughter(t *testing.T, payee clienttest.Payee, e errand) *slaughter {
	t.Helper()
	s := &slaughter{t: t, seller: &clienttest.Seller{T: t, Payee: payee, Price: 100, Credits: 1, Counts: true}}
	srv := httptest.NewServer(s.seller)
	t.Cleanup(srv.Close)
	e.URL, e.Journal = srv.URL+"/a", filepath.Join(t.TempDir(), "journal.db")
	// Room for every kill to cost a payment, and no more: those that are killed after "used" have been served.
	e.Budget = client.Budget{PerPayment: 100, Total: int64(*kills+20) * 110, FeeLimit: 10}
	s.errand = e
	return s
}

// run sends one buyer, and reports whether it came back.
func (s *slaughter) run(dieAt string, after time.Duration) bool {
	s.t.Helper()
	e := s.errand
	e.DieAt, e.DieAfter = dieAt, after
	text, err := json.Marshal(e)
	if err != nil {
		s.t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		s.t.Fatal(err)
	}
	cmd := exec.CommandContext(s.t.Context(), exe)
	cmd.Env = append(os.Environ(), "ALMANAC_TEST_BUYER="+string(text))
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err == nil:
		s.served++
		return true
	case errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL:
		s.killed++
		return false
	}
	s.t.Fatalf("the buyer failed: %v\n%s", err, out)
	return false
}

// runAll kills a buyer at every step, again and again, and lets one through now and then.
func (s *slaughter) runAll() {
	s.t.Helper()
	for i := 0; s.killed < *kills; i++ {
		step := steps[i%len(steps)]
		s.run(step, time.Duration(1+rand.IntN(60))*time.Millisecond)
		if i%5 == 4 {
			s.run("none", 0)
		}
	}
	if !s.run("none", 0) {
		s.t.Fatal("a buyer died by itself")
	}
}

// check compares the wallet's own list of payments, preimages by hash, with what was served and what is written down.
func (s *slaughter) check(payments map[string]string, spent int64) {
	t := s.t
	t.Helper()
	j, err := journal.Open(t.Context(), s.errand.Journal)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	receipts, err := j.Receipts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	written := map[string]string{}
	for _, r := range receipts {
		if r.State == journal.Paying {
			t.Errorf("payment %s is still under way", r.Hash)
		}
		written[r.Hash] = r.Preimage
	}
	unused := 0
	for hash, preimage := range payments {
		if written[hash] != preimage {
			t.Errorf("payment %s was made, and the journal has the preimage %q", hash, written[hash])
		}
		var h [32]byte
		hex.Decode(h[:], []byte(hash))
		switch uses := s.seller.Uses(h); uses {
		case 0:
			unused++
		case 1:
		default:
			t.Errorf("payment %s was used %d times", hash, uses)
		}
	}
	if unused > 0 {
		t.Errorf("%d payments bought nothing: another was made before they were used", unused)
	}
	if len(written) != len(payments) {
		t.Errorf("%d payments were made, %d are written down", len(payments), len(written))
	}
	if spent > s.errand.Budget.Total*1000 {
		t.Errorf("%d msat were spent of %d", spent, s.errand.Budget.Total*1000)
	}
	t.Logf("%d kills, %d buyers came back, %d payments of %d msat", s.killed, s.served, len(payments), spent)
}

// TestKilled kills buyers whose wallet is a node in memory that answers late.
func TestKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	node := clienttest.NewNode()
	s := newSlaughter(t, node, errand{Wallet: serveWallet(t, node), Network: bolt11.Regtest})
	s.runAll()
	_, msat, _ := node.Payments()
	s.check(node.Proofs(), msat)
}

// TestKilledOnSimnet kills buyers that pay with a real lnd.
func TestKilledOnSimnet(t *testing.T) {
	net := simnet.Start(t)
	payer := net.Payer()
	s := newSlaughter(t, &simnetPayee{net: net}, errand{Node: payer, Network: bolt11.Simnet})
	s.runAll()
	list, err := net.Payments(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	payments, spent := map[string]string{}, int64(0)
	for _, p := range list {
		var msat, fee int64
		if _, err := fmt.Sscan(p.MilliSat, &msat); err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Sscan(p.FeeMsat, &fee); err != nil {
			t.Fatal(err)
		}
		switch p.Status {
		case "SUCCEEDED":
			payments[p.Hash] = p.Preimage
			spent += msat + fee
		case "FAILED":
		default:
			t.Errorf("payment %s is %s", p.Hash, p.Status)
		}
	}
	s.check(payments, spent)
}

// A simnetPayee sells with the merchant's node.
type simnetPayee struct{ net *simnet.Network }

func (p *simnetPayee) Invoice(t testing.TB, terms clienttest.Terms) (string, [32]byte) {
	t.Helper()
	text, hash, err := p.net.Invoice(context.Background(), terms.MilliSats, terms.Memo, 15*time.Minute)
	if err != nil {
		t.Error(err)
	}
	return text, hash
}

func (p *simnetPayee) Proves(preimage [32]byte) ([32]byte, error) {
	hash := sha256.Sum256(preimage[:])
	state, err := p.net.InvoiceState(context.Background(), hex.EncodeToString(hash[:]))
	if err == nil && state != "SETTLED" {
		err = fmt.Errorf("invoice is %s", state)
	}
	return hash, err
}
