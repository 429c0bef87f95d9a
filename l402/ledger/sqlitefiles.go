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
//
// They stay open until SQLite has closed them, because closing a file drops the locks that this process has on it.
type sqliteFiles struct {
	opened [3]*os.File
	infos  [3]os.FileInfo // of opened
	index  []byte         // the beginning of the last, in memory: reading the file takes a system call for each debit
	seen   checkpointState
}

// sqliteSuffixes are the suffixes of the names of sqliteFiles.opened.
var sqliteSuffixes = [3]string{"", "-wal", "-shm"}

// A checkpointState shows whether a change of the database was SQLite's. SQLite writes to the database only in a
// checkpoint, and shortens the log only after one; before that it records in the index how far the checkpoint will go.
// https://sqlite.org/walformat.html#the_wal_index_file_format
type checkpointState struct {
	database os.FileInfo
	log      int64    // bytes
	index    [16]byte // aSalt, nBackfill and nBackfillAttempted
}

// openSQLiteFiles opens the files of a ledger that SQLite has open.
func openSQLiteFiles(file string) (_ *sqliteFiles, err error) {
	s := new(sqliteFiles)
	for i, suffix := range sqliteSuffixes {
		if s.opened[i], err = os.Open(file + suffix); err == nil {
			s.infos[i], err = s.opened[i].Stat()
		}
		if err != nil {
			return nil, errors.Join(err, s.close())
		}
	}
	s.index, err = syscall.Mmap(int(s.opened[2].Fd()), 0, 136, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	s.seen = s.state(s.infos[0], s.infos[1])
	return s, nil
}

func (s *sqliteFiles) close() error {
	var errs []error
	if s.index != nil {
		errs = append(errs, syscall.Munmap(s.index))
	}
	for _, f := range s.opened {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	return errors.Join(errs...)
}

// state returns the state of the database and the log as they were before, with that of the index, which SQLite changes
// first.
func (s *sqliteFiles) state(database, log os.FileInfo) checkpointState {
	now := checkpointState{database: database, log: log.Size()}
	copy(now.index[:8], s.index[32:40])
	copy(now.index[8:12], s.index[96:100])
	copy(now.index[12:], s.index[128:132])
	return now
}

// errLogRemoved means that the write-ahead log has no name any more, but is still open and whole.
var errLogRemoved = errors.New("its write-ahead log was removed")

// inPlace returns an error if the database or the log is not the one that was opened, or was written by somebody else. It
// precedes each batch. The index costs a system call and no credit, so that only a probe looks for its name (withIndex).
func (s *sqliteFiles) inPlace(file string, withIndex bool) error {
	suffixes := sqliteSuffixes[:2]
	if withIndex {
		suffixes = sqliteSuffixes[:]
	}
	var found [len(sqliteSuffixes)]os.FileInfo
	for i, suffix := range suffixes {
		var err error
		found[i], err = os.Stat(file + suffix)
		switch {
		case err == nil && os.SameFile(found[i], s.infos[i]):
			continue
		case err == nil:
			err = errors.New("another file is there")
		case errors.Is(err, fs.ErrPermission):
			return fmt.Errorf("the ledger cannot be reached: %w: let this program read and write %s again", err, file)
		case i > 0 && errors.Is(err, fs.ErrNotExist):
			err = errLogRemoved
		}
		return fmt.Errorf("the ledger was removed from %s while in use (%w): put the file back, or restore a backup, and restart",
			file+suffix, err)
	}
	database, log := found[0], found[1]
	if database.ModTime().Equal(s.seen.database.ModTime()) && database.Size() == s.seen.database.Size() && log.Size() >= s.seen.log {
		s.seen.log = log.Size()
		return nil
	}
	now := s.state(database, log)
	// The second says that no process is in the middle of a checkpoint.
	if now.index == s.seen.index && bytes.Equal(now.index[8:12], now.index[12:16]) {
		return fmt.Errorf("%w: another program wrote to %s while it was in use", errDamaged, file)
	}
	s.seen = now
	return nil
}

// committed follows a commit, which may have ended with a checkpoint: what is written after it is not SQLite's.
func (s *sqliteFiles) committed() {
	now := s.state(s.infos[0], s.infos[1])
	if now.index == s.seen.index {
		return
	}
	database, err := s.opened[0].Stat()
	log, logErr := s.opened[1].Stat()
	if errors.Join(err, logErr) == nil {
		now.database, now.log = database, log.Size()
		s.seen = now
	}
}
