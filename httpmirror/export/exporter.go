package export

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"go.almanac.example/httpmirror/file"
)

// An exporter writes files into a folder beside the one they are for.
type exporter struct {
	ctx      context.Context
	modified time.Time
	codings  []file.Coding

	dir    string // the folder the export is for, without symbolic links
	beside string // the folder that is written
	lock   *os.File
	last   lastExport

	mu    sync.Mutex
	same  []string // names of the files of the last export that stay as they are
	known int      // files that the last export has too
	stats Stats
}

// put writes a file and its compressed forms, except those of the last export that stay as they are.
func (x *exporter) put(f *file.File) error {
	if err := x.ctx.Err(); err != nil {
		return err
	}
	name := DiskName(f.Path)
	if !filepath.IsLocal(name) {
		return fmt.Errorf("the path %s leads out of the folder", f.Path)
	}
	known := x.last.listed[name]
	same := false
	if known {
		old, err := os.ReadFile(filepath.Join(x.dir, name))
		same = err == nil && bytes.Equal(old, f.Body)
	}
	x.mu.Lock()
	x.stats.Files++
	x.stats.Bytes += int64(len(f.Body))
	if known {
		x.known++
	}
	x.mu.Unlock()
	if same {
		x.leave(name)
	} else if err := x.write(name, f.Body); err != nil {
		return err
	}
	if len(f.Body) < file.MinCoded {
		return nil
	}
	for _, c := range x.codings {
		if name := name + c.Suffix(); same && exists(filepath.Join(x.dir, name)) {
			x.leave(name)
		} else if err := x.write(name, c.Compress(f.Body)); err != nil {
			return err
		}
	}
	return nil
}

// leave notes that a file of the last export stays as it is.
func (x *exporter) leave(name string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.same = append(x.same, name)
}

// exists reports whether there is a file, which is one of the last export: prepare refuses any other.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// write writes a new file below the new folder.
func (x *exporter) write(name string, body []byte) error {
	x.mu.Lock()
	x.stats.Written++
	x.mu.Unlock()
	return x.place(name, func(target string) error {
		if err := os.WriteFile(target, body, 0o644); err != nil {
			return err
		}
		return os.Chtimes(target, x.modified, x.modified)
	})
}

// carry puts a file of the last export into the new folder: by a link, or a copy where the file system has none.
func (x *exporter) carry(name string) error {
	source := filepath.Join(x.dir, name)
	if x.place(name, func(target string) error { return os.Link(source, target) }) == nil {
		return nil
	}
	body, err := os.ReadFile(source)
	if err != nil {
		return err
	}
	return x.write(name, body)
}

// place calls create with the place of a file below the new folder, and again when its folder is there.
func (x *exporter) place(name string, create func(target string) error) error {
	target := filepath.Join(x.beside, name)
	err := create(target)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	return create(target)
}

// publish puts the new folder in the place of the old one, unless both have the same files.
func (x *exporter) publish() error {
	if len(x.same) == x.last.present && x.stats.Written == 0 {
		return nil
	}
	for _, name := range x.same {
		if err := errors.Join(x.ctx.Err(), x.carry(name)); err != nil {
			return fmt.Errorf("carry unchanged files over: %w", err)
		}
	}
	if err := flush(x.beside); err != nil {
		return fmt.Errorf("flush the files to disk: %w", err)
	}
	_, err := os.Lstat(x.dir)
	if errors.Is(err, fs.ErrNotExist) {
		err = os.Rename(x.beside, x.dir)
	} else if err == nil {
		err = exchange(x.beside, x.dir)
	}
	if err != nil {
		return fmt.Errorf("put the new files in place: %w; if the folder is where a volume is mounted, "+
			"export into a folder below it", err)
	}
	return flush(filepath.Dir(x.dir))
}

// close removes the folder that is not published, with the old files or the unfinished new ones, and releases the lock.
func (x *exporter) close() error {
	return errors.Join(os.RemoveAll(x.beside), x.lock.Close())
}
