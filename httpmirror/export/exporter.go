package export

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/bits"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"almanac/httpmirror/file"
)

// An exporter writes files into a folder beside the one they are for.
type exporter struct {
	ctx      context.Context
	modified time.Time
	codings  []file.Coding
	site     Site

	dir    string // the folder the export is for, without symbolic links
	beside string // the folder that is written
	lock   *os.File
	last   last    // what the last export left in dir
	kept   []forms // of each file of the site, those that stay as they are
	made   folders // that exist below beside

	bytes, written, unchanged, again atomic.Int64 // again: files that the last export has too
}

// forms is a set of the forms in which a file is written: itself, and compressed.
type forms uint8

const plain forms = 1 << file.Identity

// put writes a file and its compressed forms, or keeps them.
func (x *exporter) put(n int, f *file.File) error {
	if err := x.ctx.Err(); err != nil {
		return err
	}
	name := DiskName(f.Path)
	if !filepath.IsLocal(name) {
		return fmt.Errorf("the path %s leads out of the folder", f.Path)
	}
	x.bytes.Add(f.Size())
	if x.last.has(name) {
		x.again.Add(1)
		same, err := holds(filepath.Join(x.dir, name), f)
		if err != nil {
			return err
		}
		if same {
			x.kept[n] = plain
		}
	}
	if x.kept[n] == 0 {
		if err := x.write(name, f.Open()); err != nil {
			return err
		}
	}
	if f.Size() < file.MinCoded {
		return nil
	}
	for _, c := range x.codings {
		if x.kept[n] != 0 && exists(filepath.Join(x.dir, name+c.Suffix())) {
			x.kept[n] |= 1 << c
		} else if err := x.writeCoded(name, f, c); err != nil {
			return err
		}
	}
	return nil
}

// writeCoded writes a file in a coding.
func (x *exporter) writeCoded(name string, f *file.File, c file.Coding) error {
	coded, err := f.Compressed(c)
	if err != nil {
		return err
	}
	return x.write(name+c.Suffix(), coded)
}

// exists reports whether there is a file, which is one of the last export: prepare refuses any other.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// holds reports whether a file on disk has the bytes of f and no others.
func holds(path string, f *file.File) (bool, error) {
	there, err := os.Open(path)
	if err != nil {
		return false, nil
	}
	defer there.Close()
	chunk := chunks.Get().(*[2][chunkSize]byte)
	defer chunks.Put(chunk)
	for r := f.Open(); ; {
		n, err := r.Read(chunk[0][:])
		if err != nil && err != io.EOF {
			return false, err
		}
		if n == 0 && err == io.EOF {
			n, err := there.Read(chunk[1][:1])
			return n == 0 && err == io.EOF, nil
		}
		if _, err := io.ReadFull(there, chunk[1][:n]); err != nil || !bytes.Equal(chunk[0][:n], chunk[1][:n]) {
			return false, nil
		}
	}
}

const chunkSize = 64 << 10

var chunks = sync.Pool{New: func() any { return new([2][chunkSize]byte) }}

// carryOver links the files that stay as they are into the new folder, or copies them where the file system has no hard
// links.
func (x *exporter) carryOver() error {
	return file.Parallel(runtime.GOMAXPROCS(0), len(x.kept), func(n int) error {
		if err := x.ctx.Err(); err != nil {
			return err
		}
		if x.kept[n] == 0 {
			return nil
		}
		name := DiskName(x.site.Path(n))
		for c := range file.Identity + 1 {
			if x.kept[n]&(1<<c) == 0 {
				continue
			}
			if err := x.carry(name + c.Suffix()); err != nil {
				return err
			}
		}
		return nil
	})
}

// carry puts a file of the last export into the new folder.
func (x *exporter) carry(name string) error {
	source := filepath.Join(x.dir, name)
	err := x.place(name, func(target string) error { return os.Link(source, target) })
	if err == nil {
		x.unchanged.Add(1)
		return nil
	}
	body, err := os.Open(source)
	if err != nil {
		return err
	}
	defer body.Close()
	return x.write(name, body)
}

// write writes a new file below the new folder.
func (x *exporter) write(name string, body io.Reader) error {
	x.written.Add(1)
	return x.place(name, func(target string) error {
		f, err := os.OpenFile(target, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
		if err != nil {
			return err
		}
		_, err = io.Copy(f, body)
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
		return os.Chtimes(target, x.modified, x.modified)
	})
}

// place calls make with where a file lies below the new folder, in a folder that exists.
func (x *exporter) place(name string, make func(target string) error) error {
	target := filepath.Join(x.beside, name)
	if err := x.made.ensure(filepath.Dir(target), x.beside); err != nil {
		return err
	}
	return make(target)
}

// publish puts the new folder in the place of the old one, unless both hold the same.
func (x *exporter) publish() error {
	kept := 0
	for _, f := range x.kept {
		kept += bits.OnesCount8(uint8(f))
	}
	if kept == x.last.present && x.written.Load() == 0 {
		x.unchanged.Store(int64(kept))
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
