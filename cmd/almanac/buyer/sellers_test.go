package buyer_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.almanac.example/http402/bolt11"
	"go.almanac.example/http402/challenge"
	"go.almanac.example/http402/client"
	"go.almanac.example/http402/client/clienttest"
	"go.almanac.example/http402/journal"
	"go.almanac.example/http402/probe"
	"go.almanac.example/http402/testvectors/requests"
	"go.almanac.example/http402/wallet/lnd"
	"go.almanac.example/internal/parttest"
	"go.almanac.example/l402/node/lnd/simnet"

	"github.com/google/go-cmp/cmp"
)

// cached returns a file that .ci/setup-buyer.sh installs.
func cached(t *testing.T, parts ...string) string {
	t.Helper()
	return parttest.Cached(t, "setup-buyer.sh", parts...)
}

// start runs a program until the test ends, and shows what it printed when the test fails.
func start(t *testing.T, cmd *exec.Cmd) (stdout io.Reader) {
	t.Helper()
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = log
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		log.Close()
		if b, err := os.ReadFile(log.Name()); err == nil && t.Failed() {
			t.Logf("%s printed:\n%s", cmd.Path, b[max(0, len(b)-8000):])
		}
	})
	return out
}

// newBuyer returns a buyer with a journal of its own, and the journal's receipts.
func newBuyer(t *testing.T, cfg client.Config) (*http.Client, *client.Client) {
	t.Helper()
	j, err := journal.Open(t.Context(), filepath.Join(t.TempDir(), "journal.db"))
	if err != nil {
		t.Fatal(err)
	}
	cfg.Journal = j
	cfg.Budget = client.Budget{PerPayment: 50, PerDay: 1000, FeeLimit: 5}
	c, err := client.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return &http.Client{Transport: &client.Transport{Client: c}}, c
}

func served(hc *http.Client, url string) error {
	resp, err := hc.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != 200 {
		err = fmt.Errorf("status %d: %s", resp.StatusCode, body)
	}
	return err
}

// TestAperture buys with a real lnd from a real aperture, by L402 and by Payment: a token is used again, a charge is for one request.
func TestAperture(t *testing.T) {
	binary := cached(t, "aperture", "aperture")
	net := simnet.Start(t)
	url := startAperture(t, binary, net)
	payer := net.Payer()
	w, err := lnd.New(payer.URL, payer.CertFile, payer.MacaroonFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		path, scheme string
		schemes      []string // nil is the buyer's own order
		payments     int      // for three requests
	}{
		{"/tokens/a", "L402", nil, 1},
		// Its challenges are of both schemes whatever the service takes, so the buyer is told by which to pay.
		{"/charges/a", "Payment", []string{challenge.Payment}, 3},
		{"/both/a", "L402", nil, 1},
		{"/both/b", "LSAT", []string{challenge.LSAT}, 1},
		{"/both/c", "Payment", []string{challenge.Payment}, 3},
	} {
		t.Run(tt.path, func(t *testing.T) {
			hc, c := newBuyer(t, client.Config{Wallet: w, Networks: []string{bolt11.Simnet}, Schemes: tt.schemes})
			for range 3 {
				if err := served(hc, url+tt.path); err != nil {
					t.Fatal(err)
				}
			}
			receipts, err := c.Journal().Receipts(t.Context())
			if err != nil || len(receipts) != tt.payments {
				t.Fatalf("%d payments (%v), want %d", len(receipts), err, tt.payments)
			}
			for _, r := range receipts {
				if r.State != journal.Used || r.Scheme != tt.scheme || r.AmountMilliSats != 11_000 {
					t.Errorf("receipt %+v", r)
				}
			}
		})
	}
	t.Run("ended", func(t *testing.T) {
		hc, c := newBuyer(t, client.Config{Wallet: w, Networks: []string{bolt11.Simnet}})
		if err := served(hc, url+"/short/a"); err != nil {
			t.Fatal(err)
		}
		timer := time.NewTimer(3 * time.Second) // the token's timeout is two seconds
		defer timer.Stop()
		<-timer.C
		if err := served(hc, url+"/short/a"); err != nil {
			t.Fatal(err)
		}
		if receipts, err := c.Journal().Receipts(t.Context()); err != nil || len(receipts) != 2 {
			t.Errorf("%d payments (%v), want 2: the first token had ended", len(receipts), err)
		}
	})
	t.Run("probed", func(t *testing.T) {
		r, err := (&probe.Probe{Now: time.Now}).Run(t.Context(), url+"/both/p")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range r.Findings {
			if f.Level == probe.Fault || f.Level == probe.Warn {
				t.Errorf("%s %s: %s (%s)", f.Level, f.Check, f.Message, f.Reference)
			}
		}
	})
	t.Run("above the budget", func(t *testing.T) {
		hc, _ := newBuyer(t, client.Config{Wallet: w, Networks: []string{bolt11.Simnet}})
		var r *client.Refusal
		if err := served(hc, url+"/dear/a"); !errors.As(err, &r) || r.Reason != client.OverPayment || !strings.Contains(r.Message, "51 sat") || !strings.Contains(r.Message, "50 sat") {
			t.Errorf("error %v, want a refusal of 51 sat by the limit of 50 sat", err)
		}
	})
}

// apertureDepartures are the requests of testvectors/402/requests that aperture 0.5.0 answers otherwise than the clauses
// want. testvectors/402/README.md tells of them.
var apertureDepartures = []string{
	"l402-challenge-token",
	"l402-challenge-version",
	"l402-scheme-ends",
	"l402-scheme-within",
	"l402-lower-case",
	"l402-lsat-lower-case",
	"l402-two-spaces",
	"l402-preimage-upper-case",
	"l402-two-tokens",
	"l402-preimage-long",
	"l402-preimage-longer",
	"l402-text-behind",
	"l402-two-colons",
	"payment-lower-case",
	"payment-preimage-upper-case",
	"payment-again",
	"payment-parallel",
}

// TestApertureRequests sends a real aperture, paid by a real lnd, every request of testvectors/402/requests: it departs
// from the clauses where it is known to, and nowhere else.
func TestApertureRequests(t *testing.T) {
	binary := cached(t, "aperture", "aperture")
	network := simnet.Start(t)
	url := startAperture(t, binary, network)
	all, err := requests.All()
	if err != nil {
		t.Fatal(err)
	}
	runners := map[string]requests.Runner{}
	for scheme, path := range map[string]string{"l402": "/tokens/a", "payment": "/charges/a"} {
		runners[scheme] = requests.Runner{URL: url + path, Client: &http.Client{Timeout: time.Minute}, Pay: network.Pay}
	}
	var departures []string
	count := map[string]int{}
	for _, r := range all {
		runner := runners[r.Scheme]
		got := runner.Run(t.Context(), r)
		count[r.Scheme+" "+got.Verdict]++
		if got.Verdict != requests.Passes {
			t.Logf("%s %s: %s", r.ID, got.Verdict, got.Reason)
		}
		if got.Verdict == requests.Deviates {
			departures = append(departures, r.ID)
		}
	}
	t.Log(count)
	if diff := cmp.Diff(apertureDepartures, departures); diff != "" {
		t.Errorf("departures (-known +found):\n%s", diff)
	}
}

// startAperture runs aperture in front of a server that answers everything, and returns its address.
func startAperture(t *testing.T, binary string, network *simnet.Network) string {
	t.Helper()
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "served") }))
	t.Cleanup(backend.Close)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	rpc, cert, macaroons := network.MerchantHost()
	dir := t.TempDir()
	config := fmt.Sprintf("listenaddr: %q\ninsecure: true\nservestatic: false\ndebuglevel: \"debug\"\nstrictverify: true\nbasedir: %q\ndbbackend: \"sqlite\"\nsqlite:\n  databasefilename: %q\n"+
		"authenticator:\n  network: \"simnet\"\n  lndhost: %q\n  tlspath: %q\n  macdir: %q\n  enablempp: true\n  mpprealm: \"127.0.0.1\"\nservices:\n",
		address, dir, filepath.Join(dir, "aperture.db"), rpc, cert, macaroons)
	for _, s := range []struct {
		name, scheme string
		price        int
		timeout      int
	}{{"tokens", "l402", 11, 3600}, {"charges", "mpp", 11, 3600}, {"both", "l402+mpp", 11, 3600}, {"short", "l402", 11, 2}, {"dear", "l402", 51, 3600}} {
		config += fmt.Sprintf("  - name: %q\n    hostregexp: '.*'\n    pathregexp: '^/%s/.*$'\n    address: %q\n    protocol: http\n    authscheme: %q\n    price: %d\n    timeout: %d\n",
			s.name, s.name, strings.TrimPrefix(backend.URL, "http://"), s.scheme, s.price, s.timeout)
	}
	file := filepath.Join(dir, "aperture.yaml")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, "--configfile="+file)
	cmd.Env = append(os.Environ(), "HOME="+dir)
	out := start(t, cmd)
	ended := make(chan struct{})
	go func() { io.Copy(cmd.Stderr, out); close(ended) }()
	parttest.WaitUntil(t, "aperture listens", func() bool {
		select {
		case <-ended:
			t.Fatal("aperture ended before it listened")
		default:
		}
		conn, err := net.Dial("tcp", address)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	return "http://" + address
}

// startMppx runs a seller built with mppx, whose invoices come from node.
func startMppx(t *testing.T, node *clienttest.Node) string {
	t.Helper()
	cached(t, "npm-buyer", "node_modules", "mppx")
	control := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sats, err := strconv.ParseInt(r.FormValue("sats"), 10, 64)
		if err != nil {
			t.Error(err)
		}
		text, hash := node.Invoice(t, clienttest.Terms{MilliSats: sats * 1000})
		json.NewEncoder(w).Encode(map[string]string{"invoice": text, "paymentHash": fmt.Sprintf("%x", hash)})
	}))
	t.Cleanup(control.Close)
	script, err := os.ReadFile("testdata/mppx.mjs")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", "--input-type=module", "-", control.URL)
	cmd.Dir = cached(t, "npm-buyer")
	cmd.Stdin = strings.NewReader(string(script))
	lines := bufio.NewScanner(start(t, cmd))
	if !lines.Scan() {
		t.Fatalf("the seller does not say where it listens: %v", lines.Err())
	}
	return lines.Text()
}

// TestMppx buys from a seller built with the reference implementation of Payment: each payment is for one request.
func TestMppx(t *testing.T) {
	node := clienttest.NewNode()
	url := startMppx(t, node)
	hc, c := newBuyer(t, client.Config{Wallet: node, Networks: []string{bolt11.Regtest}})
	for i := range 3 {
		if err := served(hc, url+"/a?n="+strconv.Itoa(i)); err != nil {
			t.Fatal(err)
		}
	}
	receipts, err := c.Journal().Receipts(t.Context())
	if err != nil || len(receipts) != 3 {
		t.Fatalf("%d payments (%v), want 3", len(receipts), err)
	}
	for _, r := range receipts {
		if r.Scheme != "Payment" || r.AmountMilliSats != 7000 || r.Receipt == "" {
			t.Errorf("receipt %+v", r)
		}
	}
	if n, _, _ := node.Payments(); n != 3 {
		t.Errorf("%d payments, want 3", n)
	}
}
