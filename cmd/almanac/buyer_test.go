package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.almanac.example/cmd/almanac/buyer"
	"go.almanac.example/http402/client/clienttest"
)

// TestFlagsAfterAddress: get takes the flags that it has before and after the address; -- ends the flags.
func TestFlagsAfterAddress(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	asked := ""
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked = r.Method }))
	defer srv.Close()
	for _, tt := range []struct {
		args   string // URL stands for the address
		status int
		method string // asked
		want   string // said, if nothing is asked
	}{
		{"URL -X PUT", 0, "PUT", ""},
		{"-X PUT URL --d=x -L", 0, "PUT", ""},
		{"-d x -- URL", 0, "POST", ""},
		{"URL -X", 2, "", "needs an argument"},
		{"URL -max-time many", 2, "", "invalid value"},
		{"URL --x 1", 2, "", "not defined: -x"},
		{"URL -h", 0, "", "-dry-run"},
		{"URL -- -L", 2, "", "give one address"},
		{"-X PUT", 2, "", "give one address"},
	} {
		asked = ""
		args := strings.Fields(strings.Replace(tt.args, "URL", srv.URL, 1))
		if status, _, stderr := almanac(append([]string{"get"}, args...)...); status != tt.status || asked != tt.method ||
			!strings.Contains(stderr, tt.want) {
			t.Errorf("%s: status %d, asked %q, want %d and %q, …%s…\n%s", tt.args, status, asked, tt.status, tt.method, tt.want, stderr)
		}
	}
}

// TestWalletFiles: a wallet without its file names the flag that gives it, and a secret given in place of a file is not shown.
func TestWalletFiles(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	for _, args := range []string{"lnd:https://localhost:1", "lnd:https://localhost:1 -wallet-macaroon s3cret", "cln:https://localhost:1",
		"phoenixd:http://localhost:1 -wallet-secret s3cret", "nwc:nostr+walletconnect://ab?relay=wss://r&secret=s3cret"} {
		status, _, stderr := almanac(append([]string{"get", "http://localhost:1/", "-wallet"}, strings.Fields(args)...)...)
		if status != buyer.ExitStore || !strings.Contains(stderr, "-wallet-macaroon FILE, cln and phoenixd -wallet-secret FILE, and nwc:FILE") ||
			strings.Contains(stderr, "s3cret") {
			t.Errorf("%s: status %d\n%s", args, status, stderr)
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

// TestOtherMoney: whoever asks for another money than Lightning's is named with the command that says which.
func TestOtherMoney(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusPaymentRequired) }))
	defer srv.Close()
	want := "402 Payment Required: its headers ask for nothing that is paid over Lightning; almanac probe says"
	if status, _, stderr := almanac("get", srv.URL); status != buyer.ExitAnswer || !strings.Contains(stderr, want) {
		t.Errorf("status %d, %s; want %d, …%s…", status, stderr, buyer.ExitAnswer, want)
	}
}

// TestNoWallet: a buyer who must pay and has no wallet reads which flag names one.
func TestNoWallet(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	srv := httptest.NewServer(&clienttest.Seller{T: t, Payee: clienttest.NewNode(), Price: 10, Credits: 1})
	defer srv.Close()
	const want = "no wallet to pay 10 sat with; set one (-wallet)"
	if status, _, stderr := almanac("get", srv.URL); status != buyer.ExitStore || !strings.Contains(stderr, want) {
		t.Errorf("status %d, %s; want %d, …%s…", status, stderr, buyer.ExitStore, want)
	}
}
