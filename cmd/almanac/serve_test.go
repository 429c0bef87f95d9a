package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.almanac.example/server"
)

// configOf returns what the flags of serve, and the environment, configure.
func configOf(t *testing.T, args ...string) server.Config {
	t.Helper()
	var f serveFlags
	var cfg server.Config
	cmd := newCommand(io.Discard, "serve", "", "")
	f.register(cmd.FlagSet)
	acceptConfigFile(cmd, "", true)
	cmd.Exec = func(context.Context, []string) (err error) { cfg, err = f.config(); return err }
	if err := cmd.ParseAndRun(t.Context(), args); err != nil {
		t.Fatal(err)
	}
	return cfg
}

// TestDoctor: doctor says whether the service would work, by its exit status too, and leaves nothing behind.
func TestDoctor(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	args := []string{"doctor", "-http", "localhost:0", "-grpc", "localhost:0", "-admin", "localhost:0", "-state", state, "-fixtures", fewFixtures}
	status, stdout, stderr := almanac(args...)
	if status != 0 || stderr != "" || strings.Contains(stdout, "FAIL") || !strings.Contains(stdout, " entries\n") {
		t.Errorf("good flags: status %d\n%s%s", status, stdout, stderr)
	}
	if _, err := os.Stat(state); err == nil {
		t.Error("the state directory was created")
	}
	status, stdout, stderr = almanac(append(args, "-ledger", "postgres://nobody@localhost:1/none")...)
	if status != 1 || strings.Count(stdout, "FAIL") != 1 || !strings.Contains(stdout, "FAIL  ledger") || !strings.Contains(stderr, "1 of 12 checks failed") {
		t.Errorf("a ledger that is away: status %d\n%s%s", status, stdout, stderr)
	}
}

// TestReadmeSells: with README's flags for each way of being paid, behind a proxy, doctor finds no fault but the node, which
// is not there.
func TestReadmeSells(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	proxy := regexp.MustCompile("add `(-trusted-proxy [^`]+)`").FindStringSubmatch(string(readme))
	ways := regexp.MustCompile("\\| `(-payments [^`]+)` \\|").FindAllStringSubmatch(string(readme), -1)
	if len(proxy) == 0 || len(ways) != 5 {
		t.Fatalf("README has the flags %q and %q", proxy, ways)
	}
	for _, way := range ways {
		args := []string{"doctor", "-http", "localhost:0", "-grpc", "localhost:0", "-admin", "localhost:0", "-state", t.TempDir(),
			"-fixtures", fewFixtures, "-base-url", "https://example.org"}
		args = append(args, strings.Fields(strings.ReplaceAll(way[1]+" "+proxy[1], "FILE", secret))...)
		if _, stdout, stderr := almanac(args...); strings.Count(stdout, "FAIL") != 1 || !strings.Contains(stdout, "FAIL  Lightning node") {
			t.Errorf("%s:\n%s%s", way[1], stdout, stderr)
		}
	}
}
