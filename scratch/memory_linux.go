package scratch

import "golang.org/x/sys/unix"

// inMemory returns a folder whose files are kept in memory, if so many bytes are free there.
func inMemory(bytes uint64) (string, bool) {
	const shared = "/dev/shm"
	var fs unix.Statfs_t
	if err := unix.Statfs(shared, &fs); err != nil || fs.Type != unix.TMPFS_MAGIC {
		return "", false
	}
	return shared, fs.Bavail*uint64(fs.Bsize) >= bytes
}
