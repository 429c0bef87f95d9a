package mcpserver

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// npmDir gives the folder of the MCP clients that .ci/setup-mcp.sh installs. Without it a test
// skips, or fails when ALMANAC_REAL is set.
func npmDir(t *testing.T) string {
	t.Helper()
	cache := os.Getenv("ALMANAC_CACHE")
	if cache == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			t.Fatal(err)
		}
		cache = filepath.Join(home, ".cache", "almanac")
	}
	dir := filepath.Join(cache, "npm-mcp")
	if _, err := os.Stat(filepath.Join(dir, "node_modules", ".bin", "node")); err != nil {
		if os.Getenv("ALMANAC_REAL") != "" {
			t.Fatal("the MCP clients are missing: run .ci/setup-mcp.sh")
		}
		t.Skip("needs the MCP clients: run .ci/setup-mcp.sh")
	}
	return dir
}

// node runs a script with the Node that the clients need, and gives its output and exit code.
func node(t *testing.T, dir string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(dir, "node_modules", ".bin", "node"), args...)
	var out, errs bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}
