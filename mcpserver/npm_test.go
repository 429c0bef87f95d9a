package mcpserver

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"go.almanac.example/internal/parttest"
)

// npmDir returns the folder of the MCP clients that .ci/setup-mcp.sh installs.
func npmDir(t *testing.T) string {
	t.Helper()
	parttest.Cached(t, "setup-mcp.sh", "npm-mcp", "node_modules", ".bin", "node")
	return parttest.Cached(t, "setup-mcp.sh", "npm-mcp")
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
