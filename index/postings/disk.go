package postings

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
	bolt "go.etcd.io/bbolt"
)

// ErrInUse is the error of Open if another process has an index in the directory.
var ErrInUse = errors.New("another process uses the directory")

// lockTimeout is how long Open waits for a process that is about to end.
const lockTimeout = 200 * time.Millisecond

// openDisk opens the index in a directory, which it locks, or makes one. A damaged index is removed first.
func openDisk(dir string) (_ *sharedIndex, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the directory of the index: %w", err)
	}
	lock, err := bolt.Open(filepath.Join(dir, "lock"), 0o600, &bolt.Options{Timeout: lockTimeout})
	if errors.Is(err, bolt.ErrTimeout) {
		return nil, fmt.Errorf("lock %s: %w", dir, ErrInUse)
	}
	if err != nil {
		return nil, fmt.Errorf("lock the index: %w", err)
	}
	defer func() {
		if err != nil {
			lock.Close()
		}
	}()
	path := filepath.Join(dir, "passages")
	config := map[string]any{"bolt_timeout": "1s"}
	x, err := openChecked(path, config)
	if err != nil {
		if err := os.RemoveAll(path); err != nil {
			return nil, fmt.Errorf("remove a damaged index: %w", err)
		}
		if x, err = bleve.NewUsing(path, bleve.NewIndexMapping(), scorch.Name, scorch.Name, config); err != nil {
			return nil, fmt.Errorf("make an index in %s: %w", dir, err)
		}
	}
	return &sharedIndex{Index: x, dir: dir, users: 1, unlock: lock.Close}, nil
}

// openChecked opens an index if the checksums of its segments are right. Bleve writes them, and does not compare them.
func openChecked(path string, config map[string]any) (x bleve.Index, err error) {
	segments, err := filepath.Glob(filepath.Join(path, "store", "*.zap"))
	if err != nil {
		return nil, err
	}
	for _, file := range segments {
		if err := checkSegment(file); err != nil {
			return nil, err
		}
	}
	defer func() { // Bleve and its stores panic on some damages
		if p := recover(); p != nil {
			x, err = nil, fmt.Errorf("open %s: panic: %v", path, p)
		}
	}()
	return bleve.OpenUsing(path, config)
}

// checkSegment compares the CRC-32 at the end of a segment with its bytes.
func checkSegment(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	sum := crc32.NewIEEE()
	if _, err := io.CopyN(sum, f, max(info.Size()-4, 0)); err != nil {
		return fmt.Errorf("read %s: %w", file, err)
	}
	var want [4]byte
	if _, err := io.ReadFull(f, want[:]); err != nil {
		return fmt.Errorf("read %s: %w", file, err)
	}
	if binary.BigEndian.Uint32(want[:]) != sum.Sum32() {
		return fmt.Errorf("%s is damaged", file)
	}
	return nil
}
