package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"go.almanac.example/internal/parttest"
)

// released returns the file of the release that .ci/release.sh made whose name fits a pattern.
func released(t *testing.T, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(parttest.Cached(t, "release.sh", "release"), pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("the release has %v for %s (%v)", found, pattern, err)
	}
	return found[0]
}

// validate holds a file to a schema of ../mcpserver/testdata/schemas.
func validate(t *testing.T, path, schema string) (b []byte) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../mcpserver/testdata/schemas", schema))
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if b, err = os.ReadFile(path); err != nil || json.Unmarshal(b, &v) != nil {
		t.Fatalf("%s: %v: %s", path, err, b)
	}
	if err := r.Validate(v); err != nil {
		t.Errorf("%s: %v", filepath.Base(path), err)
	}
	return b
}

// answers holds a program to being the MCP server of the data.
func answers(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	h := startHost(t, cmd)
	if hello := string(h.begin(map[string]any{})); !strings.Contains(hello, `"name":"almanac"`) {
		t.Errorf("initialize: %s", hello)
	}
	if text, failed := h.call("search", map[string]any{"query": "does x402 define refunds"}); failed || !strings.Contains(text, "x402") {
		t.Errorf("search: %s", text)
	}
	if status := h.end(); status != 0 {
		t.Errorf("ended with %d: %s", status, h.errs.String())
	}
}

// TestReleasedPackages: the npm packages of a release are installed without a network, and start the data's MCP server,
// or with an address the bridge.
func TestReleasedPackages(t *testing.T) {
	launch, system := released(t, "almanac-mcp-[0-9]*.tgz"), released(t, "almanac-mcp-linux-x64-*.tgz")
	npm := parttest.Program(t, "npm", "setup-mcp.sh")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"private":true}`), 0o600); err != nil {
		t.Fatal(err)
	}
	install := exec.Command(npm, "install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", launch, system)
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("npm install: %v\n%s", err, out)
	}
	bin := filepath.Join(dir, "node_modules", ".bin", "almanac-mcp")
	answers(t, exec.Command(bin))
	cmd := exec.Command(bin, "-journal", filepath.Join(dir, "journal.db"), "http://127.0.0.1:1/mcp")
	if hello := string(startHost(t, cmd).begin(map[string]any{})); !strings.Contains(hello, "does not answer: connection refused.") {
		t.Errorf("with an address, initialize: %s", hello)
	}
	if err := os.RemoveAll(filepath.Join(dir, "node_modules", "almanac-mcp-linux-x64")); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(bin).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "there is no program for this system; the package almanac-mcp-linux-x64 is not installed") {
		t.Errorf("without a package for the system: %v: %s", err, out)
	}
}

// TestReleasedBundle: the bundle of a release has a manifest of its schema, and its command is the data's MCP server.
func TestReleasedBundle(t *testing.T) {
	bundle, dir := released(t, "almanac_*_linux_amd64.mcpb"), t.TempDir()
	if out, err := exec.Command(parttest.Everyday(t, "unzip"), "-q", bundle, "-d", dir).CombinedOutput(); err != nil {
		t.Fatalf("unzip: %v\n%s", err, out)
	}
	var manifest struct {
		Server struct {
			Config struct {
				Command string
				Args    []string
			} `json:"mcp_config"`
		}
	}
	b := validate(t, filepath.Join(dir, "manifest.json"), "mcpb-manifest-v0.3.schema.json")
	if err := json.Unmarshal(b, &manifest); err != nil {
		t.Fatal(err)
	}
	config := manifest.Server.Config
	answers(t, exec.Command(strings.ReplaceAll(config.Command, "${__dirname}", dir), config.Args...))
}

// TestReleasedNotices: the archive, the npm package and the bundle of a release have the licences of everything that is
// in their program.
func TestReleasedNotices(t *testing.T) {
	want, err := os.ReadFile("../NOTICES")
	if err != nil {
		t.Fatal(err)
	}
	for pattern, extract := range map[string][]string{
		"almanac_*_linux_amd64.tar.gz": {"tar", "xOz", "--wildcards", "*/NOTICES", "-f"},
		"almanac-mcp-linux-x64-*.tgz":  {"tar", "xOz", "package/NOTICES", "-f"},
		"almanac_*_linux_amd64.mcpb":   {parttest.Everyday(t, "unzip"), "-p"},
	} {
		args := append(extract[1:], released(t, pattern))
		if extract[0] != "tar" {
			args = append(args, "NOTICES")
		}
		if got, err := exec.Command(extract[0], args...).Output(); err != nil || string(got) != string(want) {
			t.Errorf("%s: NOTICES of %d bytes (%v), want %d", pattern, len(got), err, len(want))
		}
	}
}
