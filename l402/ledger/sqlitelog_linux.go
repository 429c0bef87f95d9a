package ledger

import "golang.org/x/sys/unix"

// statLog returns the state of a write-ahead log, perhaps without its time. It does not ask for that, because the next
// write would then have to store another one, and the sync after it costs a tenth more (multigrain timestamps, Linux 6.13).
func statLog(file string) (fileState, error) {
	var s unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, file, 0, unix.STATX_INO|unix.STATX_SIZE, &s); err != nil {
		return statFile(file) // which says why; and a sandbox may not know statx
	}
	return fileState{dev: unix.Mkdev(s.Dev_major, s.Dev_minor), ino: s.Ino, size: int64(s.Size)}, nil
}
