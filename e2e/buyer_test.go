package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.almanac.example/cmd/almanac/buyer"
	"go.almanac.example/http402/client/clienttest"
)

// A shopper runs the buyer's commands, with a journal of its own.
type shopper struct {
	t     *testing.T
	dir   string
	env   []string
	stdin string
}

func newShopper(t *testing.T, env ...string) *shopper {
	t.Helper()
	dir := t.TempDir()
	return &shopper{t: t, dir: dir, env: append([]string{"XDG_STATE_HOME=" + dir, "XDG_CONFIG_HOME=" + dir}, env...)}
}

// command makes a command with the shopper's environment.
func (s *shopper) command(args ...string) *exec.Cmd {
	s.t.Helper()
	cmd := command(s.t, args...)
	cmd.Env = append(cmd.Env, s.env...)
	return cmd
}

// run returns the output of a command and its exit status.
func (s *shopper) run(args ...string) (stdout, stderr string, status int) {
	s.t.Helper()
	cmd := s.command(args...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(s.stdin), &out, &errs
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// want runs a command and checks its exit status and what it says.
func (s *shopper) want(status int, words []string, args ...string) string {
	s.t.Helper()
	out, errs, got := s.run(args...)
	if got != status {
		s.t.Fatalf("%v: exit status %d, want %d\n%s%s", args, got, status, out, errs)
	}
	for _, w := range words {
		if !strings.Contains(out+errs, w) {
			s.t.Errorf("%v does not print %q:\n%s%s", args, w, out, errs)
		}
	}
	return out
}

// TestBuyer buys from this service with the commands: the price first, then a search, then what is left, and the
// receipts.
func TestBuyer(t *testing.T) {
	p := startServe(t, "-fixtures", "")
	s := newShopper(t, "ALMANAC_WALLET=demo:"+p.base)
	address := p.base + "/v1/search?q=macaroon"
	s.want(0, []string{"would cost 100 sat", "100 requests until", "by L402 on regtest"}, "get", "-dry-run", address)
	s.want(buyer.ExitBudget, []string{"100 sat", "99 sat"}, "get", address, "-max-cost", "99")
	s.want(buyer.ExitBudget, []string{"budget of 105 sat a day"}, "get", address, "--max-day", "105")
	s.want(buyer.ExitChallenge, []string{"of regtest", "of mainnet"}, "get", "-network", "mainnet", address)
	s.want(0, []string{"Macaroons: Cookies", "paid 100 sat to"}, "get", address)
	s.want(0, []string{"Nothing would be paid", "99 requests are left"}, "get", "-dry-run", address)

	file := filepath.Join(s.dir, "answer")
	s.want(0, nil, "get", address, "-o", file, "-H", "X-Test: 1")
	if b, err := os.ReadFile(file); err != nil || !json.Valid(b) {
		t.Errorf("the file has %.400s (%v)", b, err)
	}
	s.want(buyer.ExitAnswer, []string{"400"}, "get", p.base+"/v1/search?q=")

	s.want(0, []string{"100 sat", "payments: 1, of 100 sat"}, "receipts")
	var receipts []map[string]any
	if err := json.Unmarshal([]byte(s.want(0, nil, "receipts", "-json")), &receipts); err != nil || len(receipts) != 1 || receipts[0]["amount_msat"] != 100_000.0 || receipts[0]["state"] != "used" || receipts[0]["preimage"] == nil {
		t.Errorf("receipts %v (%v)", receipts, err)
	}
}

// TestGetSummary: with -json, the standard output has the price of a dry run, then the payment and the balance, then the
// balance alone, then the reason of a refusal; the answer is in the file. Without a file the command line is wrong.
func TestGetSummary(t *testing.T) {
	node := clienttest.NewNode()
	srv := httptest.NewServer(&clienttest.Seller{T: t, Payee: node, Price: 10, Credits: 2, Counts: true})
	defer srv.Close()
	s := newShopper(t, "ALMANAC_WALLET="+serveWallet(t, node))
	file := filepath.Join(s.dir, "answer")
	got := func(status int, args ...string) (all struct {
		URL    string
		Status int
		Paid   *struct {
			Hash string `json:"payment_hash"`
			Msat int64  `json:"amount_msat"`
		}
		Left  *int64 `json:"credits_left"`
		Quote *struct {
			Msat int64 `json:"amount_msat"`
		}
		Error *struct{ Reason, Message string }
	}) {
		t.Helper()
		out := s.want(status, nil, append([]string{"get", "-json", srv.URL + "/a"}, args...)...)
		if err := json.Unmarshal([]byte(out), &all); err != nil || all.URL != srv.URL+"/a" {
			t.Fatalf("%s: %v", out, err)
		}
		return all
	}
	s.want(2, []string{"-o"}, "get", "-json", srv.URL+"/a")
	s.want(2, []string{"-o"}, "get", "-json", "-o", "-", srv.URL+"/a")
	if a := got(0, "-dry-run"); a.Quote == nil || a.Quote.Msat != 10_000 || a.Paid != nil || a.Status != 0 || a.Error != nil {
		t.Errorf("a dry run: %+v", a)
	}
	if a := got(0, "-o", file); a.Status != 200 || a.Paid == nil || a.Paid.Msat != 10_000 || len(a.Paid.Hash) != 64 || a.Left == nil || *a.Left != 1 {
		t.Errorf("a purchase: %+v", a)
	}
	if a := got(0, "-dry-run"); a.Left == nil || *a.Left != 1 || a.Quote != nil {
		t.Errorf("a dry run with a credential: %+v", a)
	}
	if a := got(0, "-o", file); a.Status != 200 || a.Paid != nil || a.Left == nil || *a.Left != 0 {
		t.Errorf("the second request: %+v", a)
	}
	if a := got(buyer.ExitBudget, "-o", file, "-max-cost", "9"); a.Error == nil || a.Error.Reason != "over_payment" || a.Paid != nil {
		t.Errorf("a refusal: %+v", a)
	}
	if b, err := os.ReadFile(file); err != nil || len(b) == 0 {
		t.Errorf("the answer is %q, %v", b, err)
	}
	missing := httptest.NewServer(http.NotFoundHandler())
	defer missing.Close()
	var failed struct {
		Status int
		Error  *struct{ Message string }
	}
	out := s.want(buyer.ExitAnswer, nil, "get", "-json", "-dry-run", missing.URL+"/")
	if err := json.Unmarshal([]byte(out), &failed); err != nil || failed.Status != 404 || failed.Error == nil {
		t.Errorf("an address that is not there: %s, %v", out, err)
	}
}

// TestBuyerStatuses: each kind of failure has its exit status.
func TestBuyerStatuses(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	node := clienttest.NewNode()
	seller := &clienttest.Seller{T: t, Payee: node, Price: 10, Credits: 1}
	srv := httptest.NewServer(seller)
	defer srv.Close()
	empty := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		io.WriteString(w, `{"title":"Not an invoice of this demo"}`)
	}))
	defer empty.Close()
	broken := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }))
	defer broken.Close()
	redirects := httptest.NewServer(http.RedirectHandler(empty.URL, http.StatusFound))
	defer redirects.Close()
	for _, tt := range []struct {
		name   string
		status int
		words  []string
		args   []string
	}{
		{"no address", 2, []string{"give one address"}, []string{"get"}},
		{"two addresses", 2, []string{"give one address"}, []string{"get", "http://a", "http://b"}},
		{"unknown flag", 2, nil, []string{"get", "http://a", "-nonsense"}},
		{"a limit below nothing", 2, []string{"from 0 up"}, []string{"get", "-max-cost", "-1", "http://a"}},
		{"unknown network", 2, []string{`"moon"`}, []string{"get", "-network", "moon", "http://a"}},
		{"unknown wallet", 2, []string{`"cash"`}, []string{"get", "-wallet", "cash:1", srv.URL}},
		{"nobody there", 1, []string{"refused"}, []string{"get", "http://127.0.0.1:1/"}},
		{"no wallet", buyer.ExitStore, []string{"no wallet to pay 10 sat"}, []string{"get", srv.URL}},
		{"nothing allowed", buyer.ExitBudget, []string{"no payment is allowed"}, []string{"get", "-max-cost", "0", srv.URL}},
		{"no route", buyer.ExitFailed, []string{"Not an invoice"}, []string{"get", "-wallet", "demo:" + empty.URL, srv.URL}},
		{"a wallet that breaks", buyer.ExitPending, []string{"not known yet"}, []string{"get", "-wallet", "demo:" + broken.URL, srv.URL}},
		{"a journal that is none", buyer.ExitStore, []string{"journal"}, []string{"get", "-journal", "/dev/null/x", srv.URL}},
		{"another scheme", 2, []string{"ftp://x", "is not an address"}, []string{"get", "ftp://x"}},
		{"no place for the answer", 1, []string{"open the file for the answer"}, []string{"get", "-wallet", "demo:" + broken.URL, "-o", "/nowhere/answer", srv.URL}},
		{"another host than is allowed", buyer.ExitBudget, []string{"not one of the hosts"}, []string{"get", "-wallet", "demo:" + broken.URL, "-allow-host", "seller.example,other.example", srv.URL}},
		{"a redirect", buyer.ExitAnswer, []string{"302 Found", "leads to " + empty.URL, "-L follows"}, []string{"get", redirects.URL}},
		{"a redirect that is followed", buyer.ExitAnswer, []string{"404"}, []string{"get", "-L", redirects.URL}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			newShopper(t).want(tt.status, tt.words, tt.args...)
		})
	}
}

// TestDrippingSellers: a seller who never comes to an end costs no more than the time given, nothing is paid, and an
// older answer stays in its file.
func TestDrippingSellers(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	node := clienttest.NewNode()
	text, hash := node.Invoice(t, clienttest.Terms{MilliSats: 10_000})
	header := "WWW-Authenticate: " + clienttest.L402Header(clienttest.Macaroon(t, hash), text) + "\r\n"
	for name, begin := range map[string]string{
		"headers": "HTTP/1.1 200 OK\r\nX-Never-Ends: ",
		"a 402":   "HTTP/1.1 402 Payment Required\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n" + header + "\r\n{",
		"answers": "HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			go func() {
				for {
					conn, err := l.Accept()
					if err != nil {
						return
					}
					go func() {
						defer conn.Close()
						_, err := conn.Read(make([]byte, 4<<10)) // the request
						if err == nil {
							_, err = io.WriteString(conn, begin)
						}
						drops := time.NewTicker(50 * time.Millisecond)
						defer drops.Stop()
						for ; err == nil; <-drops.C {
							_, err = io.WriteString(conn, "x")
						}
					}()
				}
			}()
			s := newShopper(t)
			file := filepath.Join(s.dir, "answer")
			if err := os.WriteFile(file, []byte("before"), 0o600); err != nil {
				t.Fatal(err)
			}
			s.want(1, []string{"longer than 500ms (-max-time)"}, "get", "-max-time", "500ms", "-o", file, "http://"+l.Addr().String()+"/")
			s.want(0, []string{"payments: 0"}, "receipts")
			if b, err := os.ReadFile(file); err != nil || string(b) != "before" {
				t.Errorf("the file has %.20q (%v)", b, err)
			}
			if rest, err := filepath.Glob(filepath.Join(s.dir, "*answer*")); err != nil || len(rest) != 1 {
				t.Errorf("left behind: %v (%v)", rest, err)
			}
		})
	}
}
