// Package scratch gives tests folders for thousands of small files: in memory where the system has room for that, because a file system on
// a disk may need a millisecond of processor time for each file made.
package scratch

import (
	"os"
	"testing"
)

// room is what must be free in memory: several exports of the curated data, each of 45 MB.
const room = 1 << 30

// Dir returns an empty folder that is removed when t ends. It may be in memory, and programs may not run from it.
func Dir(t testing.TB) string {
	t.Helper()
	if shared, ok := inMemory(room); ok {
		if dir, err := os.MkdirTemp(shared, "almanac-test-"); err == nil {
			t.Cleanup(func() { os.RemoveAll(dir) })
			return dir
		}
	}
	return t.TempDir()
}
