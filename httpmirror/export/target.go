package export

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"almanac/catalog"
)

// prepare checks that the folder may be replaced, and makes the empty one beside it.
func (x *exporter) prepare(dir string) error {
	full, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if real, err := filepath.EvalSymlinks(full); err == nil {
		full = real
	}
	parent, base := filepath.Split(full)
	if base == "" {
		return errors.New("the root of the file system cannot be replaced; use a folder below it")
	}
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return err
	}
	x.dir, x.beside = full, filepath.Join(parent, "."+base+".almanac-export")
	if err := x.readLast(); err != nil {
		return err
	}
	if x.lock, err = os.Open(parent); err != nil { // a lock on it leaves no file behind
		return err
	}
	if err := lockFile(x.lock); err != nil {
		x.lock.Close()
		return fmt.Errorf("another export is writing in %s (%w); try again when it has finished", parent, err)
	}
	// What a crash left behind is not needed: the folder itself is whole.
	if err := os.RemoveAll(x.beside); err != nil {
		x.lock.Close()
		return err
	}
	if err := os.Mkdir(x.beside, 0o755); err != nil {
		x.lock.Close()
		return err
	}
	return nil
}

// readLast reads what the last export left in the folder, and refuses a folder that holds a file which no export wrote:
// replacing the folder would remove it.
func (x *exporter) readLast() error {
	entries, err := os.ReadDir(x.dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	if x.last, err = newLast(filepath.Join(x.dir, DiskName(catalog.ManifestPath))); err != nil {
		return fmt.Errorf("the folder is not empty and no export made it (%s of an export: %w; the folder holds %s); use a new or an empty folder",
			strings.TrimPrefix(catalog.ManifestPath, "/"), err, entries[0].Name())
	}
	return x.last.count(x.dir)
}
