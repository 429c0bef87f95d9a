package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestExportTwice: one input gives equal bytes, with SOURCE_DATE_EPOCH and without, and a second export over the first
// writes nothing again.
func TestExportTwice(t *testing.T) {
	for _, epoch := range []string{"", "1795219200"} {
		t.Run("SOURCE_DATE_EPOCH="+epoch, func(t *testing.T) { exportTwice(t, epoch) })
	}
}

func exportTwice(t *testing.T, epoch string) {
	t.Setenv("SOURCE_DATE_EPOCH", epoch)
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	for _, out := range []string{a, b} {
		if status, _, stderr := almanac("export", "-o", out, "-base-url", "https://almanac.example"); status != 0 {
			t.Fatalf("export to %s: status %d: %s", out, status, stderr)
		}
	}
	if _, stdout, _ := almanac("export", "-o", a, "-base-url", "https://almanac.example"); !strings.Contains(stdout, " 0 written") {
		t.Errorf("a second export says: %s", stdout)
	}
	left, right := tree(t, a), tree(t, b)
	if len(left) < 500 {
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
	if !strings.Contains(left["api/library/iot.json"], "https://almanac.example/") {
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

func TestExportRefuses(t *testing.T) {
	foreign := t.TempDir()
	if err := os.WriteFile(filepath.Join(foreign, "thesis.txt"), []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		args   []string
		status int
		want   string
	}{
		{"no directory named", nil, 2, "-o is missing"},
		{"a folder of somebody's", []string{"-o", foreign}, 1, foreign},
		{"an unknown coding", []string{"-o", filepath.Join(foreign, "x"), "-compress", "lzw"}, 1, "lzw"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			status, _, stderr := almanac(append([]string{"export"}, tt.args...)...)
			if status != tt.status || !strings.Contains(stderr, tt.want) {
				t.Errorf("status %d, %q; want %d and %q", status, stderr, tt.status, tt.want)
			}
		})
	}
	if got := tree(t, foreign); got["thesis.txt"] != "mine" {
		t.Errorf("somebody's folder holds %v now", got)
	}
}
