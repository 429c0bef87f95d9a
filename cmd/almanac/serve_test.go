package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.almanac.example/server"
	"go.almanac.example/server/servertest"
)

// configOf returns what the flags of serve, and the environment, configure.
func configOf(t *testing.T, args ...string) server.Config {
	t.Helper()
	var f serveFlags
	var cfg server.Config
	cmd := newCommand(io.Discard, "serve", "", "")
	f.register(cmd.FlagSet)
	acceptConfigFile(cmd, true)
	cmd.Exec = func(context.Context, []string) (err error) { cfg, err = f.config(); return err }
	if err := cmd.ParseAndRun(t.Context(), args); err != nil {
		t.Fatal(err)
	}
	return cfg
}

// TestStartFaults: every fault at start is one sentence that says what to do, and exit status 1;
// 2 when the command line is at fault.
func TestStartFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	loose := t.TempDir()
	if err := os.WriteFile(filepath.Join(loose, "keys"), []byte("not a key\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		args   []string
		status int
		want   string
	}{
		{"phoenixd without its password", []string{"-payments", "phoenixd"}, 2, "-phoenixd-password"},
		{"Core Lightning without a rune", []string{"-payments", "cln", "-cln-cert", "x"}, 2, "-cln-cert and -cln-rune"},
		{"a wallet without its connection", []string{"-payments", "nwc"}, 2, "-nwc-connection"},
		{"path in an address", []string{"-mcp-url", "https://example.org/mcp"}, 2, "-mcp-url \"https://example.org/mcp\" has more than a scheme and a host"},
		{"longer than a clock counts", []string{"-valid-days", "200000"}, 2, "-valid-days 36500"},
		{"no port", []string{"-http", "localhost:99999"}, 1, "choose another address"},
		{"no HTTP", []string{"-http", "off"}, 2, "not host:port"},
		{"HSTS for less than no time", []string{"-hsts", "-1s"}, 2, "-hsts must not be negative"},
		{"no size", []string{"-memory", "much"}, 2, "write it as 512MiB, or auto"},
		{"too small a size", []string{"-memory", "1MiB"}, 2, "at least 64 MiB"},
		{"mail about nothing", []string{"-acme-email", "operator@example.org"}, 2, "-acme-email needs -acme"},
		{"no credits", []string{"-credits", "0"}, 2, "at least 1"},
		{"no days", []string{"-valid-days", "0"}, 2, "at least 1"},
		{"more credits than can be meant", []string{"-credits", "1000000001"}, 2, "-credits 1000000000"},
		{"another scheme", []string{"-base-url", "ftp://example.org"}, 2, "not of the form https://host"},
		{"a query in an address", []string{"-api-url", "https://example.org?q=1"}, 2, "-api-url"},
		{"a user in an address", []string{"-mcp-url", "https://me@example.org"}, 2, "-mcp-url"},
		{"HTTP nowhere", []string{"-http", ""}, 2, "-http is empty"},
		{"less than no requests", []string{"-free-rate", "-1"}, 2, "must be 0 or more"},
		{"a file of fixtures", []string{"-fixtures", filepath.Join(loose, "keys")}, 1, "is not a directory"},
		{"a ledger without a file", []string{"-ledger", "sqlite:"}, 2, "use sqlite:FILE or postgres://"},
		{"a state that is a file", []string{"-state", filepath.Join(loose, "keys")}, 1, "state directory"},
		{"lnd without its files", []string{"-payments", "lnd", "-lnd-cert", "/nowhere", "-lnd-macaroon", "/nowhere", "-lnd-network", "regtest"}, 1, "/nowhere"},
		{"a wallet connection in the list of processes", []string{"-payments", "nwc", "-nwc-connection", "nostr+walletconnect://secret"}, 1, "path of a file"},
		{"a directory of proofs that is none", []string{"-well-known", "no-such-directory"}, 1, "read -well-known no-such-directory"},
		{"a contact that is none", []string{"-security-contact", "somebody"}, 1, "mailto:"},
		{"perhaps", []string{"-access-log=perhaps"}, 2, "perhaps"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			args := append([]string{"serve", "-http", "localhost:0", "-grpc", "localhost:0", "-admin", "localhost:0", "-state", t.TempDir()}, tt.args...)
			ctx, cancel := context.WithTimeout(t.Context(), servertest.Patience) // of a service that serves after all
			defer cancel()
			var out bytes.Buffer
			if got := run(ctx, args, &out, &out); got != tt.status {
				t.Errorf("exit status %d, want %d\n%s", got, tt.status, &out)
			}
			if !strings.Contains(out.String(), tt.want) {
				t.Errorf("output %q does not say %q", out.String(), tt.want)
			}
			if tt.status == 1 && strings.Count(out.String(), "\n") != 1 {
				t.Errorf("it takes more than one line to say it:\n%s", &out)
			}
		})
	}
}

// TestServeCheck: serve -check says whether the service would work, by its exit status too, and leaves nothing behind.
func TestServeCheck(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	args := []string{"serve", "-check", "-http", "localhost:0", "-grpc", "localhost:0", "-admin", "localhost:0", "-state", state, "-fixtures", fewFixtures}
	status, stdout, stderr := almanac(args...)
	if status != 0 || stderr != "" || strings.Contains(stdout, "FAIL") || !strings.Contains(stdout, " entries\n") {
		t.Errorf("good flags: status %d\n%s%s", status, stdout, stderr)
	}
	if _, err := os.Stat(state); err == nil {
		t.Error("the state directory was created")
	}
	status, stdout, stderr = almanac(append(args, "-ledger", "postgres://nobody@localhost:1/none")...)
	if status != 1 || strings.Count(stdout, "FAIL") != 1 || !strings.Contains(stdout, "FAIL  ledger") || !strings.Contains(stderr, "1 of 13 checks failed") {
		t.Errorf("a ledger that is away: status %d\n%s%s", status, stdout, stderr)
	}
	if status, stdout, _ = almanac(append([]string{"doctor"}, args[2:]...)...); status != 0 || !strings.Contains(stdout, "clock") {
		t.Errorf("doctor: status %d\n%s", status, stdout)
	}
}
