package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// sqliteFiles are the files of a ledger in use: the database, its write-ahead log and the index of that. If somebody
// else removes, replaces or writes one, credits that are taken now may be back after the next start.
type sqliteFiles struct {
	file   string
	opened [3]fileState // as SQLite opened them
	// shm is the index. It stays open until SQLite has closed it, because closing a file drops the locks that this
	// process has on it.
	shm   *os.File
	index []byte // its beginning, in memory: reading the file takes a system call for each debit
	seen  checkpointState
}

// sqliteSuffixes are the suffixes of the names of sqliteFiles.opened.
var sqliteSuffixes = [3]string{"", "-wal", "-shm"}

// A fileState is a file by its device and inode, with its size and the time of its last write.
type fileState struct {
	dev, ino uint64
	size     int64
	modified int64 // Unix nanoseconds
}

func (s fileState) isSameFile(other fileState) bool { return s.dev == other.dev && s.ino == other.ino }

// statFile returns the state of a file.
func statFile(file string) (fileState, error) {
	info, err := os.Stat(file)
	if err != nil {
		return fileState{}, err
	}
	s := info.Sys().(*syscall.Stat_t)
	return fileState{uint64(s.Dev), s.Ino, info.Size(), info.ModTime().UnixNano()}, nil
}

// A checkpointState shows whether a change of the database was SQLite's. SQLite writes to the database only in a
// checkpoint, and shortens the log only after one; before that it records in the index how far the checkpoint will go.
// https://sqlite.org/walformat.html#the_wal_index_file_format
type checkpointState struct {
	database fileState
	log      int64    // bytes
	index    [16]byte // aSalt, nBackfill and nBackfillAttempted
}

// openSQLiteFiles opens the files of a ledger that SQLite has open.
func openSQLiteFiles(file string) (*sqliteFiles, error) {
	s := &sqliteFiles{file: file}
	for i, suffix := range sqliteSuffixes {
		var err error
		if s.opened[i], err = statFile(file + suffix); err != nil {
			return nil, err
		}
	}
	var err error
	if s.shm, err = os.Open(file + "-shm"); err != nil {
		return nil, err
	}
	s.index, err = syscall.Mmap(int(s.shm.Fd()), 0, 136, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil, errors.Join(err, s.shm.Close())
	}
	s.seen = s.state(s.opened[0], s.opened[1])
	return s, nil
}

func (s *sqliteFiles) close() error { return errors.Join(syscall.Munmap(s.index), s.shm.Close()) }

// state returns the state of the database and the log as they were before, with that of the index, which SQLite changes
// first.
func (s *sqliteFiles) state(database, log fileState) checkpointState {
	now := checkpointState{database: database, log: log.size}
	copy(now.index[:8], s.index[32:40])
	copy(now.index[8:12], s.index[96:100])
	copy(now.index[12:], s.index[128:132])
	return now
}

// errLogRemoved means that the write-ahead log has no name any more, but is still open and whole.
var errLogRemoved = errors.New("its write-ahead log was removed")

// inPlace returns an error if the database or the log is not the one that was opened, or was written by somebody else. It
// precedes each batch. The index costs a system call and no credit, so that only a probe looks for its name (withIndex).
func (s *sqliteFiles) inPlace(withIndex bool) error {
	suffixes := sqliteSuffixes[:2]
	if withIndex {
		suffixes = sqliteSuffixes[:]
	}
	var found [len(sqliteSuffixes)]fileState
	for i, suffix := range suffixes {
		stat := statFile
		if suffix == "-wal" {
			stat = statLog
		}
		var err error
		found[i], err = stat(s.file + suffix)
		switch {
		case err == nil && found[i].isSameFile(s.opened[i]):
			continue
		case err == nil:
			err = errors.New("another file is there")
		case errors.Is(err, fs.ErrPermission):
			return fmt.Errorf("the ledger cannot be reached: %w: let this program read and write %s again", err, s.file)
		case i > 0 && errors.Is(err, fs.ErrNotExist):
			err = errLogRemoved
		}
		return fmt.Errorf("the ledger was removed from %s while in use (%w): put the file back, or restore a backup, and restart",
			s.file+suffix, err)
	}
	database, log := found[0], found[1]
	if database == s.seen.database && log.size >= s.seen.log {
		s.seen.log = log.size
		return nil
	}
	now := s.state(database, log)
	// The second says that no process is in the middle of a checkpoint.
	if now.index == s.seen.index && bytes.Equal(now.index[8:12], now.index[12:16]) {
		return fmt.Errorf("%w: another program wrote to %s while it was in use", errDamaged, s.file)
	}
	s.seen = now
	return nil
}

// committed follows a commit, which may have ended with a checkpoint: what is written after it is not SQLite's.
func (s *sqliteFiles) committed() {
	if s.state(s.opened[0], s.opened[1]).index == s.seen.index {
		return
	}
	database, err := statFile(s.file)
	log, logErr := statLog(s.file + "-wal")
	if errors.Join(err, logErr) == nil {
		s.seen = s.state(database, log)
	}
}
