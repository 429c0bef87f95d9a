package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
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
