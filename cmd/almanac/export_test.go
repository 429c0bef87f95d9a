package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.almanac.example/internal/parttest"
)

// fewFixtures are curated files for tests that look at the command and not at the data.
const fewFixtures = "../../httpmirror/testdata/small"

// copyFew writes them into a folder of the test's own, and returns it.
func copyFew(t *testing.T) string {
	t.Helper()
	dir := parttest.TempDir(t)
	if err := os.CopyFS(dir, os.DirFS(fewFixtures)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestExportTwice: one input gives equal bytes, with SOURCE_DATE_EPOCH and without, and a second export over the first
// writes nothing again.
func TestExportTwice(t *testing.T) {
	for _, epoch := range []string{"", "1795219200"} {
		t.Run("SOURCE_DATE_EPOCH="+epoch, func(t *testing.T) { exportTwice(t, epoch) })
	}
}

func exportTwice(t *testing.T, epoch string) {
	t.Setenv("SOURCE_DATE_EPOCH", epoch)
	dir := parttest.TempDir(t)
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	for _, out := range []string{a, b} {
		if status, _, stderr := almanac("export", "-fixtures", fewFixtures, "-o", out, "-base-url", "https://almanac.example"); status != 0 {
			t.Fatalf("export to %s: status %d: %s", out, status, stderr)
		}
	}
	if _, stdout, _ := almanac("export", "-fixtures", fewFixtures, "-o", a, "-base-url", "https://almanac.example"); !strings.Contains(stdout, " 0 written") {
		t.Errorf("a second export says: %s", stdout)
	}
	left, right := tree(t, a), tree(t, b)
	if len(left) < 100 {
		t.Errorf("only %d files", len(left))
	}
	for path, body := range left {
		if right[path] != body {
			t.Errorf("%s differs", path)
		}
	}
	if len(left) != len(right) {
		t.Errorf("%d and %d files", len(left), len(right))
	}
	if !strings.Contains(left["api/library/payments.json"], "https://almanac.example/") {
		t.Error("the public address is not in the documents")
	}
	if _, ok := left[".well-known/l402"]; ok {
		t.Error("an export without -paid-api speaks of a paid interface")
	}
}

// tree reads every file below dir.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	root := os.DirFS(dir)
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := fs.ReadFile(root, path)
		files[path] = string(body)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestExportNamesItsAddress: an export whose documents name this machine says so once, with the flag; one with an
// address of its own says nothing; and its help names only flags that it has.
func TestExportNamesItsAddress(t *testing.T) {
	out := filepath.Join(parttest.TempDir(t), "site")
	status, _, stderr := almanac("export", "-fixtures", fewFixtures, "-o", out)
	if status != 0 || strings.Count(stderr, "-base-url is not set") != 1 || !strings.Contains(stderr, "http://localhost:8402") {
		t.Errorf("without -base-url: status %d, %q", status, stderr)
	}
	if status, _, stderr := almanac("export", "-fixtures", fewFixtures, "-o", out, "-base-url", "https://almanac.example"); status != 0 || stderr != "" {
		t.Errorf("with -base-url: status %d, %q", status, stderr)
	}
	_, stdout, stderr := almanac("help", "export")
	help := stdout + stderr
	has := make(map[string]bool)
	for _, match := range regexp.MustCompile(`(?m)^\s+-([a-z-]+)`).FindAllStringSubmatch(help, -1) {
		has[match[1]] = true
	}
	if len(has) < 8 {
		t.Fatalf("the help lists %d flags:\n%s", len(has), help)
	}
	for _, match := range regexp.MustCompile(`[ (]-([a-z]+(?:-[a-z]+)*)\b`).FindAllStringSubmatch(help, -1) {
		if !has[match[1]] {
			t.Errorf("the help names -%s, which export does not have", match[1])
		}
	}
}

// TestExportHost: the configuration lies beside the folder, and an unknown host is refused before anything is written.
func TestExportHost(t *testing.T) {
	out := filepath.Join(parttest.TempDir(t), "site")
	if status, _, stderr := almanac("export", "-o", out, "-host", "apache"); status == 0 || !strings.Contains(stderr, "use one of bucket, caddy, nginx") {
		t.Errorf("an unknown host: status %d, %s", status, stderr)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("an unknown host: the files are written")
	}
	if status, _, stderr := almanac("export", "-o", out, "-base-url", "https://almanac.example/x", "-host", "nginx"); status == 0 || !strings.Contains(stderr, "has the path /x") {
		t.Errorf("a configuration below a path: status %d, %s", status, stderr)
	}
	if status, _, stderr := almanac("export", "-fixtures", fewFixtures, "-o", out, "-base-url", "https://almanac.example", "-host", "nginx"); status != 0 {
		t.Fatal(stderr)
	}
	config, err := os.ReadFile(out + ".nginx.conf")
	if err != nil || !strings.Contains(string(config), `root "`+out+`";`) {
		t.Errorf("%v: %.300s", err, config)
	}
}
