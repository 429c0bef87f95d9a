package scratch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestDir: every folder is empty, the caller's alone, and gone with all it holds when the test ends.
func TestDir(t *testing.T) {
	var dirs []string
	t.Run("two", func(t *testing.T) {
		for range 2 {
			dir := Dir(t)
			if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
				t.Errorf("%v, %d files; want an empty folder", err, len(left))
			}
			if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o644); err != nil {
				t.Error(err)
			}
			dirs = append(dirs, dir)
		}
	})
	for _, dir := range dirs {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is left behind: %v", dir, err)
		}
	}
}

// TestRoom: memory is used only if it has room.
func TestRoom(t *testing.T) {
	if dir, ok := inMemory(1 << 62); ok {
		t.Errorf("%s has room for 4 EB", dir)
	}
}
