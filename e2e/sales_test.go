package e2e

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.almanac.example/l402"
	"go.almanac.example/l402/ledger"

	"github.com/google/go-cmp/cmp"
)

// A salesRow is a row of almanac sales -json.
type salesRow struct {
	Day, Kind           string
	Sold, Sats, Credits int64
	Used, Refunded      int64
	RefundedSats        int64 `json:"refunded_sats"`
	OpenCredits         int64 `json:"open_credits"`
	OpenMilliSats       int64 `json:"open_msat"`
}

// place inserts flags after the words of a command: flags come before arguments.
func place(flags []string, args ...string) []string {
	n := 1
	if args[0] == "token" {
		n = 2
	}
	return slices.Concat(args[:n], flags, args[n:])
}

// TestSales sells, grants, refunds and revokes at a running service, and adds it up from another process.
func TestSales(t *testing.T) { sales(t, "-state", t.TempDir()) }

// sales is TestSales with a ledger that flags name.
func sales(t *testing.T, flags ...string) {
	p := startServe(t, flags...)
	s := newShopper(t, "ALMANAC_WALLET=demo:"+p.base)
	address := p.base + "/v1/search?q=macaroon"
	s.want(0, nil, "get", address)
	var receipts []struct {
		Hash string `json:"payment_hash"`
	}
	if err := json.Unmarshal([]byte(s.want(0, nil, "receipts", "-json")), &receipts); err != nil || len(receipts) != 1 {
		t.Fatalf("%v, %v", receipts, err)
	}
	operate := func(status int, words []string, args ...string) string {
		t.Helper()
		return s.want(status, words, place(flags, args...)...)
	}
	granted := strings.TrimSpace(operate(0, nil, "token", "grant", "-credits", "3", "-days", "2"))
	search := func() int {
		t.Helper()
		req, err := http.NewRequest("GET", address, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", granted)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp.StatusCode
	}
	if status := search(); status != 200 {
		t.Fatalf("a granted credential: %d", status)
	}
	day := time.Now().UTC().Format(time.DateOnly)
	demo := salesRow{Day: day, Kind: "demo", Sold: 1, Credits: 100, Used: 1, OpenCredits: 99}
	given := salesRow{Day: day, Kind: "granted", Sold: 1, Credits: 3, Used: 1, OpenCredits: 2}
	wantSales := func() {
		t.Helper()
		var got struct {
			Days  []salesRow
			Total salesRow
		}
		if err := json.Unmarshal([]byte(operate(0, nil, "sales", "-json")), &got); err != nil {
			t.Fatal(err)
		}
		total := salesRow{Sold: 2, Credits: 103, Used: 2, Refunded: demo.Refunded, OpenCredits: demo.OpenCredits + given.OpenCredits}
		if diff := cmp.Diff([]salesRow{demo, given}, got.Days); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(total, got.Total); diff != "" {
			t.Error(diff)
		}
	}
	wantSales()
	operate(0, []string{"DAY", "OPEN SAT", day, "granted", "total"}, "sales")

	operate(0, []string{"marked " + receipts[0].Hash, "no money was sent", "1 of 100 credits were used"}, "token", "refund", receipts[0].Hash)
	s.want(4, nil, "get", address, "-max-cost", "0")
	demo.Refunded, demo.OpenCredits = 1, 0
	wantSales()
	operate(0, []string{"refunded_at", `"sale":"demo"`}, "token", "show", "-json", receipts[0].Hash)

	stranger := strings.Repeat("ab", 32)
	operate(0, []string{"revoked " + stranger, "warning: the ledger has never seen this token"}, "token", "revoke", stranger)
	operate(0, []string{"what it was sold for is not known", "warning: the ledger has never seen"}, "token", "refund", strings.Repeat("cd", 32))
	if out := operate(0, nil, "token", "revoke", receipts[0].Hash); strings.Contains(out, "warning") {
		t.Errorf("a token that was used: %s", out)
	}
	wantSales() // what was never used is not a sale
	if status := search(); status != 200 {
		t.Errorf("the granted credential after it all: %d", status)
	}
}

// TestSalesFaults: nothing is created by a mistyped place, and nothing is granted with keys that are not the ledger's.
func TestSalesFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	s := newShopper(t)
	empty := t.TempDir()
	for _, args := range [][]string{{"sales"}, {"token", "grant"}, {"token", "refund", strings.Repeat("ab", 32)}} {
		s.want(1, []string{"open the ledger"}, place([]string{"-state", empty}, args...)...)
	}
	file := filepath.Join(empty, "ledger.db")
	l, err := ledger.Open(t.Context(), "sqlite:"+file)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Adopt(t.Context(), []l402.KeyID{{1}}); err != nil {
		t.Fatal(err)
	}
	l.Close()
	s.want(1, []string{"key file: stat"}, "token", "grant", "-state", empty)
	if _, err := l402.OpenKeys(filepath.Join(empty, "keys")); err != nil {
		t.Fatal(err)
	}
	s.want(1, []string{"other master keys"}, "token", "grant", "-state", empty)
	for _, args := range [][]string{{"token", "grant", "-credits", "0"}, {"token", "grant", "-days", "0"}, {"token", "grant", "x"}, {"sales", "x"}, {"token", "refund"}} {
		s.want(2, nil, args...)
	}
	s.want(0, []string{`{"days":[]`}, "sales", "-json", "-state", empty)
}
