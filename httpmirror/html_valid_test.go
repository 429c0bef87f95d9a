package httpmirror

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.almanac.example/internal/parttest"
)

// pageTools returns a file of the npm packages that .ci/setup-pages.sh installs, or skips.
func pageTools(t *testing.T, file string) string {
	t.Helper()
	return parttest.Cached(t, "setup-pages.sh", "npm-pages", "node_modules", file)
}

// writePages writes every HTML file below dir as a static host keeps it.
func writePages(t *testing.T, m *Mirror, dir string) {
	t.Helper()
	for f := range m.Files() {
		if !strings.HasPrefix(f.Type, "text/html") {
			continue
		}
		path := filepath.Join(dir, filepath.FromSlash(f.Path), "index.html")
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Body, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestValidHTML runs html-validate over every page.
func TestValidHTML(t *testing.T) {
	checker := pageTools(t, "html-validate/bin/html-validate.mjs")
	dir := parttest.TempDir(t)
	writePages(t, realMirror(t), dir)
	config, err := filepath.Abs("testdata/htmlvalidate.json")
	if err != nil {
		t.Fatal(err)
	}
	report := filepath.Join(t.TempDir(), "report.json") // its own process may end before a pipe is drained
	said, err := exec.Command("node", checker, "--config", config, "--formatter", "json="+report, "--max-warnings", "0", dir).CombinedOutput()
	out, e := os.ReadFile(report)
	if e != nil {
		t.Fatalf("html-validate: %v: %s", err, said)
	}
	var reports []struct {
		FilePath string
		Messages []struct {
			RuleID, Message string
			Line, Column    int
		}
	}
	if e := json.Unmarshal(out, &reports); e != nil {
		t.Fatalf("read the report of html-validate: %v", e)
	}
	shown := 0
	for _, r := range reports {
		for _, msg := range r.Messages {
			if shown++; shown <= 30 {
				path, _ := filepath.Rel(dir, r.FilePath)
				t.Errorf("%s:%d:%d: %s: %s", path, msg.Line, msg.Column, msg.RuleID, msg.Message)
			}
		}
	}
	if err != nil && shown == 0 {
		t.Fatalf("html-validate: %v", err)
	}
}
