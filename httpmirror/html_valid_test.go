package httpmirror

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// pageTools returns a file of the npm packages that .ci/setup-pages.sh installs, or skips.
func pageTools(t *testing.T, file string) string {
	t.Helper()
	return installed(t, filepath.Join("npm-pages", "node_modules", file), ".ci/setup-pages.sh")
}

// installed returns the path of what a script of .ci keeps in the cache folder, or skips.
func installed(t *testing.T, name, script string) string {
	t.Helper()
	cache := os.Getenv("ALMANAC_CACHE")
	if cache == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			missing(t, err.Error())
		}
		cache = filepath.Join(home, ".cache", "almanac")
	}
	path := filepath.Join(cache, name)
	if _, err := os.Stat(path); err != nil {
		missing(t, path+" is missing; "+script+" installs it")
	}
	return path
}

// missing skips a test for want of a real part, or fails where all must be there.
func missing(t *testing.T, reason string) {
	t.Helper()
	if os.Getenv("ALMANAC_REAL") == "1" {
		t.Fatal(reason)
	}
	t.Skip(reason)
}

// takesMinutes skips a test when nobody asked for everything with ALMANAC_REAL=1.
func takesMinutes(t *testing.T) {
	t.Helper()
	if os.Getenv("ALMANAC_REAL") != "1" {
		t.Skip("takes minutes; ALMANAC_REAL=1 runs it")
	}
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
	dir := t.TempDir()
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
