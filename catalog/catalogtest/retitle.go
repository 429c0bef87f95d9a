package catalogtest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// Retitle puts "On" before the title of every entry below a directory of curated files.
func Retitle(t testing.TB, dir string) {
	t.Helper()
	entries, err := filepath.Glob(filepath.Join(dir, "library", "*", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range entries {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, bytes.Replace(data, []byte(`"title": "`), []byte(`"title": "On `), 1),
			0o600); err != nil {
			t.Fatal(err)
		}
	}
}
