package export

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"almanac/catalog"
	"almanac/httpmirror/file"
)

// An exporter writes files into a folder beside the one they are for.
type exporter struct {
	ctx      context.Context
	modified time.Time
	codings  []file.Coding

	dir     string // the folder the export is for, without symbolic links
	beside  string // the folder that is written
	lock    *os.File
	old     map[string]file.Listing // what the last export wrote, by path
	present map[string]bool         // the files below dir, by name
	made    sync.Map                // folders that exist below beside

	mu   sync.Mutex
	kept []string // the files below dir that stay as they are, by name

	bytes, written, unchanged atomic.Int64
}

// put writes a file and its compressed forms, or keeps them.
func (x *exporter) put(f *file.File) error {
	if err := x.ctx.Err(); err != nil {
		return err
	}
	name := DiskName(f.Path)
	if !filepath.IsLocal(name) {
		return fmt.Errorf("the path %s leads out of the folder", f.Path)
	}
	x.bytes.Add(int64(len(f.Body)))
	same := x.isUnchanged(f, name)
	if err := x.place(name, same, func() []byte { return f.Body }); err != nil {
		return err
	}
	if len(f.Body) < file.MinCoded {
		return nil
	}
	for _, c := range x.codings {
		if err := x.place(name+c.Suffix(), same, func() []byte { return c.Compress(f.Body) }); err != nil {
			return err
		}
	}
	return nil
}

// isUnchanged reports whether the last export holds the same bytes. Its manifest only says which files may.
func (x *exporter) isUnchanged(f *file.File, name string) bool {
	old, listed := x.old[f.Path]
	if f.Path != catalog.ManifestPath && (!listed || old.SHA256 != f.SHA256()) {
		return false
	}
	return x.present[name] && holds(filepath.Join(x.dir, name), f.Body)
}

// holds reports whether a file has the bytes of body and no others.
func holds(path string, body []byte) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	chunk := chunks.Get().(*[chunkSize]byte)
	defer chunks.Put(chunk)
	for {
		n, err := f.Read(chunk[:])
		if n > len(body) || !bytes.Equal(chunk[:n], body[:n]) {
			return false
		}
		if body = body[n:]; err != nil {
			return err == io.EOF && len(body) == 0
		}
	}
}

const chunkSize = 64 << 10

var chunks = sync.Pool{New: func() any { return new([chunkSize]byte) }}

// place keeps the file of the last export where it is the same, and writes it below the new folder otherwise.
func (x *exporter) place(name string, same bool, body func() []byte) error {
	if same && x.present[name] {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.kept = append(x.kept, name)
		return nil
	}
	target, err := x.target(name)
	if err != nil {
		return err
	}
	return x.write(target, body())
}

// carryOver links the files that stay as they are into the new folder, or copies them where the file system has no hard
// links.
func (x *exporter) carryOver() error {
	return file.Parallel(len(x.kept), func(i int) error {
		if err := x.ctx.Err(); err != nil {
			return err
		}
		source := filepath.Join(x.dir, x.kept[i])
		target, err := x.target(x.kept[i])
		if err != nil {
			return err
		}
		if os.Link(source, target) == nil {
			x.unchanged.Add(1)
			return nil
		}
		body, err := os.ReadFile(source)
		if err != nil {
			return err
		}
		return x.write(target, body)
	})
}

func (x *exporter) write(target string, body []byte) error {
	x.written.Add(1)
	if err := os.WriteFile(target, body, 0o644); err != nil {
		return err
	}
	return os.Chtimes(target, x.modified, x.modified)
}

// target returns the path of a file below the new folder, and makes the folder it lies in.
func (x *exporter) target(name string) (string, error) {
	target := filepath.Join(x.beside, name)
	return target, x.makeFolder(filepath.Dir(target))
}

// makeFolder makes a folder below the new one, and those above it. It remembers which exist: asking the system again for
// every file would cost as much as writing it.
func (x *exporter) makeFolder(dir string) error {
	if _, ok := x.made.Load(dir); ok || dir == x.beside {
		return nil
	}
	if err := x.makeFolder(filepath.Dir(dir)); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	x.made.Store(dir, true)
	return nil
}

// publish puts the new folder in the place of the old one, unless both hold the same.
func (x *exporter) publish() error {
	if len(x.kept) == len(x.present) && x.written.Load() == 0 {
		x.unchanged.Store(int64(len(x.kept)))
		return nil
	}
	if err := x.carryOver(); err != nil {
		return fmt.Errorf("carry unchanged files over: %w", err)
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
		return fmt.Errorf("put the new files in place: %w; if the folder is where a volume is mounted, export into a folder below it", err)
	}
	return flush(filepath.Dir(x.dir))
}

// close removes what is not published, the old files or the unfinished new ones, and releases the lock.
func (x *exporter) close() error {
	return errors.Join(os.RemoveAll(x.beside), x.lock.Close())
}

// DiskName returns the name of a file below the folder. A page is the index of a folder.
func DiskName(path string) string {
	if file.IsPage(path) {
		path += "index.html"
	}
	return filepath.FromSlash(path[1:])
}
