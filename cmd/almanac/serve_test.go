package main

import (
	"bytes"
	"context"
	"io"
	"net"
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
	taken, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
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
		{"address taken", []string{"-http", taken.Addr().String()}, 1, "choose another one"},
		{"no such fixtures", []string{"-fixtures", "/nowhere"}, 1, "give the directory that holds library/"},
		{"watch without files", []string{"-watch"}, 2, "-watch needs -fixtures"},
		{"unknown payments", []string{"-payments", "cash"}, 2, "use demo, lnurl, nwc, phoenixd, lnd, cln or off"},
		{"phoenixd without its password", []string{"-payments", "phoenixd"}, 2, "-phoenixd-password"},
		{"Core Lightning without a rune", []string{"-payments", "cln", "-cln-cert", "x"}, 2, "-cln-cert and -cln-rune"},
		{"a wallet without its connection", []string{"-payments", "nwc"}, 2, "-nwc-connection"},
		{"lnd without files", []string{"-payments", "lnd"}, 2, "-lnd-cert and -lnd-macaroon"},
		{"bad address", []string{"-base-url", "example.org"}, 2, "-base-url \"example.org\" is not of the form https://host"},
		{"path in an address", []string{"-mcp-url", "https://example.org/mcp"}, 2, "-mcp-url \"https://example.org/mcp\" has more than a scheme and a host"},
		{"bad proxy", []string{"-trusted-proxy", "10.0.0.0/99"}, 2, "is not a network"},
		{"price of nothing", []string{"-price", "0"}, 2, "at least 1"},
		{"longer than a clock counts", []string{"-valid-days", "200000"}, 2, "-valid-days 36500"},
		{"no number", []string{"-free-rate", "NaN"}, 2, "must be 0 or more"},
		{"nothing to sell", []string{"-challenge-rate", "0"}, 2, "must be above 0"},
		{"no port", []string{"-http", "localhost:99999"}, 1, "choose another address"},
		{"no HTTP", []string{"-http", "off"}, 2, "not host:port"},
		{"a redirect without TLS", []string{"-redirect", ":80"}, 2, "-redirect needs -tls-cert or -acme"},
		{"HSTS for less than no time", []string{"-hsts", "-1s"}, 2, "-hsts must not be negative"},
		{"no host", []string{"-acme", "example.org,,"}, 2, "an empty host"},
		{"no authority", []string{"-acme", "example.org", "-acme-directory", "letsencrypt"}, 2, "https://host/path"},
		{"no ledger", []string{"-ledger", "mysql://localhost/almanac"}, 2, "use sqlite:FILE or postgres://"},
		{"time that runs backwards", []string{"-lame-duck", "-5s"}, 2, "must not be negative"},
		{"argument", []string{"payments"}, 2, "is not expected"},
		{"unknown flag", []string{"-nope"}, 2, "nope"},
		{"unknown log", []string{"-log", "xml"}, 2, "use text or json"},
		{"unknown place of the index", []string{"-index", "cloud"}, 2, "use auto, memory or disk"},
		{"no size", []string{"-memory", "much"}, 2, "write it as 512MiB, or auto"},
		{"too small a size", []string{"-memory", "1MiB"}, 2, "at least 64 MiB"},
		{"bad key file", []string{"-state", loose}, 1, "key file"},
		{"a certificate without its key", []string{"-tls-cert", "cert.pem"}, 2, "go together"},
		{"two certificates", []string{"-tls-cert", "cert.pem", "-tls-key", "key.pem", "-acme", "example.org"}, 2, "exclude each other"},
		{"mail about nothing", []string{"-acme-email", "operator@example.org"}, 2, "-acme-email needs -acme"},
		{"no such certificate", []string{"-tls-cert", "/nowhere", "-tls-key", "/nowhere"}, 1, "give the chain"},
		{"names from anybody", []string{"-request-header", "X-Request-Id"}, 2, "-request-header needs -trusted-proxy"},
		{"no credits", []string{"-credits", "0"}, 2, "at least 1"},
		{"no days", []string{"-valid-days", "0"}, 2, "at least 1"},
		{"more satoshis than there are", []string{"-price", "2100000000000001"}, 2, "-price may be at most"},
		{"more credits than can be meant", []string{"-credits", "1000000001"}, 2, "-credits 1000000000"},
		{"another scheme", []string{"-base-url", "ftp://example.org"}, 2, "not of the form https://host"},
		{"a query in an address", []string{"-api-url", "https://example.org?q=1"}, 2, "-api-url"},
		{"a user in an address", []string{"-mcp-url", "https://me@example.org"}, 2, "-mcp-url"},
		{"gRPC without a port", []string{"-grpc", "localhost"}, 2, "-grpc \"localhost\" is not host:port"},
		{"admin without a host", []string{"-admin", "8404"}, 2, "-admin \"8404\" is not host:port"},
		{"HTTP nowhere", []string{"-http", ""}, 2, "-http is empty"},
		{"less than no requests", []string{"-free-rate", "-1"}, 2, "must be 0 or more"},
		{"a file of fixtures", []string{"-fixtures", filepath.Join(loose, "keys")}, 1, "is not a directory"},
		{"a ledger without a file", []string{"-ledger", "sqlite:"}, 2, "use sqlite:FILE or postgres://"},
		{"a database that cannot be read", []string{"-ledger", "postgres://localhost:port/almanac"}, 2, "-ledger"},
		{"a state that is a file", []string{"-state", filepath.Join(loose, "keys")}, 1, "state directory"},
		{"lnd without its files", []string{"-payments", "lnd", "-lnd-cert", "/nowhere", "-lnd-macaroon", "/nowhere", "-lnd-network", "regtest"}, 1, "/nowhere"},
		{"a wallet connection in the list of processes", []string{"-payments", "nwc", "-nwc-connection", "nostr+walletconnect://secret"}, 1, "path of a file"},
		{"no such network", []string{"-payments", "lnd", "-lnd-cert", "/nowhere", "-lnd-macaroon", "/nowhere", "-lnd-network", "moon"}, 1, "mainnet"},
		{"a demo for everybody", []string{"-http", ":0"}, 1, "-demo-anywhere"},
		{"a directory of proofs that is none", []string{"-well-known", "no-such-directory"}, 1, "read -well-known no-such-directory"},
		{"a contact that is none", []string{"-security-contact", "somebody"}, 1, "mailto:"},
		{"a price in words", []string{"-price", "many"}, 2, "many"},
		{"perhaps", []string{"-access-log=perhaps"}, 2, "perhaps"},
		{"no such configuration", []string{"-config", "/nowhere"}, 2, "/nowhere"},
		{"gRPC status", []string{"-grpc-challenge", "14"}, 2, "use 402 or 13"},
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
