package export

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// folders remembers which folders exist: asking the system again for every file would cost as much as writing it. It remembers the last
// few thousand, which nearly all files are in. The zero value is ready to use.
type folders struct {
	mu   sync.RWMutex
	made map[string]bool
}

// maxFolders is how many folders are remembered.
const maxFolders = 4096

// ensure makes a folder below root, and those above it.
func (m *folders) ensure(dir, root string) error {
	m.mu.RLock()
	made := m.made[dir]
	m.mu.RUnlock()
	if made || dir == root {
		return nil
	}
	if err := m.ensure(filepath.Dir(dir), root); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.made == nil || len(m.made) >= maxFolders {
		m.made = make(map[string]bool)
	}
	m.made[dir] = true
	return nil
}
