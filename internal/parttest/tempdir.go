package parttest

import (
	"os"
	"syscall"
	"testing"
)

// TempDir returns an empty folder for thousands of small files, which is removed when t ends. It is in memory if a
// gibibyte is free there: a file system on a disk may need a millisecond of processor time for each file. Programs may
// not run from it.
func TempDir(t testing.TB) string {
	t.Helper()
	const shared, enough = "/dev/shm", 1 << 30 // several exports of the curated data, each of 45 MB
	var fs syscall.Statfs_t
	if err := syscall.Statfs(shared, &fs); err == nil && fs.Bavail*uint64(fs.Bsize) >= enough {
		if dir, err := os.MkdirTemp(shared, "almanac-test-"); err == nil {
			t.Cleanup(func() { os.RemoveAll(dir) })
			return dir
		}
	}
	return t.TempDir()
}
