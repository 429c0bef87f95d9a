package postings

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/gofrs/flock"
	"golang.org/x/mod/sumdb/dirhash"
)

// lockTimeout is how long Open waits for a process that is about to end.
const lockTimeout = 200 * time.Millisecond

// floorSegment is the number of passages below which Bleve takes segments for equally large: a tenth of those of a
// batch, so that it does not merge what a small library has written.
const floorSegment = 256

// openDisk opens the index in a directory, which it locks, or makes one. Bleve and bbolt map their files: a truncated
// one ends the process with a fault that nothing recovers, before they compare any checksum. So an index is opened only
// if its files are those of the last Close, and built again otherwise.
func openDisk(dir string) (_ *sharedIndex, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the directory of the index: %w", err)
	}
	lock, err := lockFile(filepath.Join(dir, "lock"))
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", dir, err)
	}
	defer func() {
		if err != nil {
			lock.Close()
		}
	}()
	path, seal := filepath.Join(dir, "passages"), filepath.Join(dir, "passages.sha256")
	config := map[string]any{"bolt_timeout": "1s",
		"scorchMergePlanOptions": map[string]any{"FloorSegmentSize": floorSegment}}
	var x bleve.Index
	if isSealed(path, seal) {
		x, err = bleve.OpenUsing(path, config)
	}
	if removed := os.Remove(seal); removed != nil && !errors.Is(removed, fs.ErrNotExist) {
		err = errors.Join(err, removed) // a seal that stays would vouch for files that change
		if x != nil {
			x.Close()
		}
		return nil, fmt.Errorf("remove the checksum of the index: %w", err)
	}
	if x == nil || err != nil {
		if err := os.RemoveAll(path); err != nil {
			return nil, fmt.Errorf("remove a damaged index: %w", err)
		}
		if x, err = bleve.NewUsing(path, bleve.NewIndexMapping(), scorch.Name, scorch.Name, config); err != nil {
			return nil, fmt.Errorf("make an index in %s: %w", dir, err)
		}
	}
	closed := func() error { return errors.Join(writeSeal(path, seal), lock.Close()) }
	return &sharedIndex{Index: x, dir: dir, users: 1, closed: closed}, nil
}

// lockFile locks a file until it is closed or the process ends.
func lockFile(name string) (*flock.Flock, error) {
	ctx, cancel := context.WithTimeout(context.Background(), lockTimeout)
	defer cancel()
	lock := flock.New(name, flock.SetPermissions(0o600))
	_, err := lock.TryLockContext(ctx, lockTimeout/10)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, errors.New("another process uses the directory")
	}
	return lock, err
}

// isSealed reports whether the files of an index are those that writeSeal saw.
func isSealed(path, seal string) bool {
	want, err := os.ReadFile(seal)
	if err != nil {
		return false
	}
	sum, err := dirhash.HashDir(path, "", dirhash.Hash1)
	return err == nil && sum == string(want)
}

// writeSeal records the checksum of a closed index.
func writeSeal(path, seal string) error {
	sum, err := dirhash.HashDir(path, "", dirhash.Hash1)
	if err == nil {
		err = os.WriteFile(seal, []byte(sum), 0o600)
	}
	if err != nil {
		return fmt.Errorf("record the checksum of the index: %w", err)
	}
	return nil
}
