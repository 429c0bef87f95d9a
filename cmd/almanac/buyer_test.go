package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.almanac.example/cmd/almanac/buyer"
	"go.almanac.example/http402/client/clienttest"
)

// TestSearchFlags: search takes the flags that it has after the words, and no other word with a hyphen; -- ends the flags.
func TestSearchFlags(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	var asked url.Values
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.URL.Query()
		w.Write([]byte(`{"entries":[]}`))
	}))
	defer srv.Close()
	for _, tt := range []struct {
		args   string // after -at and the address
		status int
		query  string // sent
		want   string // said, if nothing is sent
	}{
		{"x402 -limit 1", 0, "limit=1&q=x402", ""},
		{"x402 --limit=1 refunds -json", 0, "limit=1&q=x402 refunds", ""},
		{"x402 -tag escrow -solana refunds -limit 2", 0, "limit=2&q=x402 -solana refunds&tag=escrow", ""},
		{"x402 - -a=b", 0, "q=x402 - -a=b", ""},
		{"x402 -- -limit 1", 0, "q=x402 -limit 1", ""},
		{"-limit 3 x402 -tag escrow -- -limit --", 0, "limit=3&q=x402 -limit --&tag=escrow", ""},
		{"x402 -limit 0", 0, "q=x402", ""},
		{"x402 -limit", 2, "", "needs an argument"},
		{"x402 -limit many", 2, "", "invalid value"},
		{"x402 --limt 1", 2, "", "not defined: -limt"},
		{"x402 -h", 0, "", "-limit"},
		{"x402 -limit -5", 2, "", `invalid value "-5" for flag -limit`},
		{"-limit -5 x402", 2, "", `invalid value "-5" for flag -limit`},
		{"-limit 1", 2, "", "give the words"},
	} {
		asked = nil
		status, _, stderr := almanac(append([]string{"search", "-at", srv.URL}, strings.Fields(tt.args)...)...)
		query, err := url.QueryUnescape(asked.Encode())
		if err != nil || status != tt.status || query != tt.query || tt.want != "" && !strings.Contains(stderr, tt.want) {
			t.Errorf("%s: status %d, asked %q, want %d and %q, …%s…\n%s", tt.args, status, query, tt.status, tt.query, tt.want, stderr)
		}
	}
}

// TestReadingCreatesNothing: commands that read a journal create none. The default one is empty before the first purchase;
// another that is not there is an error with its path.
func TestReadingCreatesNothing(t *testing.T) {
	const note = "nothing was bought yet"
	for _, tt := range []struct {
		args   string
		status int // with the default journal
		stdout string
		said   string
	}{
		{"receipts", 0, "payments: 0, of 0 sat", note},
		{"receipts -json", 0, "[]", note},
		{"credits", 0, "credentials: 0; spent today 0 sat of a limit of 1000 sat", note},
		{"credits -json", 0, `"credentials": []`, note},
		{"forget made-up", 1, "", "there is no credential"},
	} {
		dir := t.TempDir()
		t.Setenv("XDG_STATE_HOME", filepath.Join(dir, "state"))
		command := strings.Fields(tt.args)
		status, stdout, stderr := almanac(command...)
		if status != tt.status || !strings.HasPrefix(stdout, tt.stdout) && !strings.Contains(stdout, "\n  "+tt.stdout) || !strings.Contains(stderr, tt.said) {
			t.Errorf("%s: status %d\n%s%s", tt.args, status, stdout, stderr)
		}
		if strings.HasSuffix(tt.args, "-json") && !json.Valid([]byte(stdout)) {
			t.Errorf("%s: not JSON: %s", tt.args, stdout)
		}
		other := filepath.Join(dir, "other", "journal")
		status, stdout, stderr = almanac(append([]string{command[0], "-journal", other}, command[1:]...)...)
		if status != buyer.ExitStore || stdout != "" || !strings.Contains(stderr, "there is no journal "+other) {
			t.Errorf("%s -journal: status %d\n%s%s", tt.args, status, stdout, stderr)
		}
		if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
			t.Errorf("%s creates %v (%v)", tt.args, files, err)
		}
	}
}

// TestNoWallet: a buyer who must pay and has no wallet reads which flag names one.
func TestNoWallet(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	srv := httptest.NewServer(&clienttest.Seller{T: t, Payee: clienttest.NewNode(), Price: 10, Credits: 1})
	defer srv.Close()
	const want = "no wallet to pay 10 sat with; set one (-wallet)"
	for _, args := range [][]string{{"get", srv.URL}, {"search", "-at", srv.URL, "x402"}} {
		if status, _, stderr := almanac(args...); status != buyer.ExitStore || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d, %s; want %d, …%s…", args[0], status, stderr, buyer.ExitStore, want)
		}
	}
}
