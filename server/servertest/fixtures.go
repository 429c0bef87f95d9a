package servertest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"go.almanac.example/fixtures"
	"go.almanac.example/internal/parttest"
)

// CopyFixtures writes the curated files into a folder of the test's own, and returns it.
func CopyFixtures(t testing.TB) string {
	t.Helper()
	dir := parttest.TempDir(t)
	check(t, os.CopyFS(dir, fixtures.FS))
	return dir
}

// Edit replaces the first old in a file of dir by new; it fails if the file does not change.
func Edit(t testing.TB, dir, path, old, new string) {
	t.Helper()
	name := filepath.Join(dir, filepath.FromSlash(path))
	before, err := os.ReadFile(name)
	check(t, err)
	after := bytes.Replace(before, []byte(old), []byte(new), 1)
	if bytes.Equal(before, after) {
		t.Fatalf("%s does not contain %q", path, old)
	}
	check(t, os.WriteFile(name, after, 0o644))
}
