package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"go.almanac.example/catalog"
	"go.almanac.example/internal/parttest"
	"go.almanac.example/server/servertest"
)

// TestHostsConnect: typed literally, the commands of /connect/ make hosts write the entries that /connect/ prints, and
// the hosts find the server. Their versions are those of which the document tells.
func TestHostsConnect(t *testing.T) {
	modules := parttest.Cached(t, "setup-hosts.sh", "npm-hosts", "node_modules")
	p := startServe(t)
	_, body := servertest.Ask(t, http.MethodGet, p.base+"/api/connect.json", "")
	var doc catalog.ConnectDocument
	if err := json.Unmarshal(body, &doc); err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	bin := filepath.Join(home, "bin")
	programs := map[string]string{
		"node":   parttest.Cached(t, "setup-mcp.sh", "npm-mcp", "node_modules", ".bin", "node"),
		"claude": filepath.Join(modules, "@anthropic-ai", "claude-code-linux-x64", "claude"),
		"codex":  filepath.Join(modules, "@openai", "codex", "bin", "codex.js"),
		"gemini": filepath.Join(modules, "@google", "gemini-cli", "bundle", "gemini.js"),
	}
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, file := range programs {
		if err := os.Symlink(file, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	run := func(t *testing.T, command string) string {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
		cmd.Dir, cmd.WaitDelay = bin, time.Second
		cmd.Env = []string{"HOME=" + home, "PATH=" + bin + ":/usr/bin:/bin", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v: %s", command, err, out)
		}
		return string(out)
	}
	// Gemini CLI asks a person whether it may trust a folder.
	untrusting := filepath.Join(home, ".gemini", "settings.json")
	if err := os.Mkdir(filepath.Dir(untrusting), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(untrusting, []byte(`{"security":{"folderTrust":{"enabled":false}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ id, module, file, list, found string }{
		{"claude-code", "@anthropic-ai/claude-code", ".claude.json", "claude mcp list", "Connected"},
		{"codex", "@openai/codex", ".codex/config.toml", "codex mcp list", "enabled"},
		{"gemini-cli", "@google/gemini-cli", ".gemini/settings.json", "gemini mcp list", "Connected"},
	} {
		t.Run(tt.id, func(t *testing.T) {
			var host catalog.ConnectHost
			for _, h := range doc.Hosts {
				if h.ID == tt.id {
					host = h
				}
			}
			if v := moduleVersion(t, filepath.Join(modules, tt.module)); !strings.Contains(doc.Basis, host.Name+" "+v) {
				t.Errorf("the document does not tell of %s %s: %s", host.Name, v, doc.Basis)
			}
			run(t, host.Command)
			written, err := os.ReadFile(filepath.Join(home, tt.file))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(hostEntry(t, []byte(host.Config)), hostEntry(t, written)); diff != "" {
				t.Errorf("the entry (-printed +written):\n%s", diff)
			}
			if out := run(t, tt.list); !strings.Contains(out, doc.MCPURL) || !strings.Contains(out, tt.found) {
				t.Errorf("%s: %s", tt.list, out)
			}
		})
	}
}

// hostEntry returns the entry of the server in a host's file: the member mcpServers, however deep, or text that is not
// JSON.
func hostEntry(t *testing.T, file []byte) any {
	t.Helper()
	var v any
	if json.Unmarshal(file, &v) != nil {
		return strings.TrimSpace(string(file))
	}
	var find func(v any) any
	find = func(v any) any {
		m, _ := v.(map[string]any)
		if servers, _ := m["mcpServers"].(map[string]any); len(servers) > 0 {
			return servers
		}
		for _, member := range m {
			if found := find(member); found != nil {
				return found
			}
		}
		return nil
	}
	return find(v)
}

func moduleVersion(t *testing.T, dir string) string {
	t.Helper()
	var module struct{ Version string }
	b, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err == nil {
		err = json.Unmarshal(b, &module)
	}
	if err != nil {
		t.Fatal(err)
	}
	return module.Version
}
