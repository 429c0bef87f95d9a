package parttest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestTempDir: every folder is empty, the caller's alone, and removed with its files when the test ends.
func TestTempDir(t *testing.T) {
	var dirs []string
	t.Run("two", func(t *testing.T) {
		for range 2 {
			dir := TempDir(t)
			if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
				t.Errorf("%v, %d files; want an empty folder", err, len(left))
			}
			if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
				t.Error(err)
			}
			dirs = append(dirs, dir)
		}
	})
	if dirs[0] == dirs[1] {
		t.Errorf("both folders are %s", dirs[0])
	}
	for _, dir := range dirs {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is there after the test: %v", dir, err)
		}
	}
}
