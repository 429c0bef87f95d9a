package load

import (
	"errors"
	"io"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"almanac/catalog"
	"almanac/wirejson"
)

// A reader reads files and remembers which it has read, so that what is left over is a fault.
type reader struct {
	fsys    fs.FS
	before  *catalog.Catalog // that may have the same records; nil: none
	keeper  *keeper
	mu      sync.Mutex // guards what follows
	faults  faultList
	left    map[string]bool // files that have not been read yet
	refused map[string]bool // files that are not read
	broken  map[string]bool // files that could not be decoded
}

// located is a record with the path of its file.
type located[T any] struct {
	path   string
	record T
}

// newReader returns a reader of the files below the root of fsys. Dot files are passed over: the curator's repository, an
// editor's copy, a file that is being written.
func newReader(fsys fs.FS) *reader {
	r := &reader{fsys: fsys, keeper: newKeeper(), left: make(map[string]bool), refused: make(map[string]bool), broken: make(map[string]bool)}
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			r.faults.add(p, "cannot be read: %v", err)
			return nil
		}
		switch {
		case p != "." && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
		case d.IsDir() || isBesideTheData(p):
		default:
			if fault := irregular(fsys, p, d); fault != "" {
				r.faults.add(p, "%s", fault)
				r.broken[p], r.refused[p] = true, true
				return nil
			}
			r.left[p] = true
		}
		return nil
	})
	if err != nil {
		r.faults.add(".", "cannot be listed: %v", err)
	}
	return r
}

// irregular returns the fault of what is neither a file nor a link to one in the folder, or "". To read it could block for ever, or
// publish what lies elsewhere.
func irregular(fsys fs.FS, p string, d fs.DirEntry) string {
	if d.Type()&fs.ModeSymlink != 0 {
		target, err := fs.ReadLink(fsys, p)
		if err != nil || path.IsAbs(target) || !fs.ValidPath(path.Join(path.Dir(p), target)) {
			return "is a link to " + target + ", outside of the folder; put the file itself here"
		}
	}
	if info, err := fs.Stat(fsys, p); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return "is not a regular file; put a file here, or remove it"
	}
	return ""
}

// isBesideTheData reports whether a file may lie among the data: the manual and the Go file that embeds them.
func isBesideTheData(p string) bool {
	return p == "README.md" || (!strings.Contains(p, "/") && strings.HasSuffix(p, ".go"))
}

// readRecords reads every file that matches pattern, each one record, in the order of their paths.
func readRecords[T any](r *reader, pattern string) []located[*T] {
	return readRecordsAgain(r, pattern, func(string) *T { return nil }, func(*T) {})
}

// readRecordsAgain is readRecords where a file may be known: known returns the record that an older catalogue has of it, or nil. Records that
// are read are put into the form in which they are kept.
func readRecordsAgain[T any](r *reader, pattern string, known func(path string) *T, keep func(*T)) []located[*T] {
	paths, err := fs.Glob(r.fsys, pattern)
	if err != nil {
		r.faults.add(pattern, "cannot be listed: %v", err)
	}
	slices.Sort(paths)
	paths = slices.DeleteFunc(paths, func(p string) bool { return r.refused[p] })
	list := make([]located[*T], len(paths))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(len(paths), runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			var room []byte
			for i := int(next.Add(1)) - 1; i < len(paths); i = int(next.Add(1)) - 1 {
				if v := readRecord(r, paths[i], known(paths[i]), keep, &room); v != nil {
					list[i] = located[*T]{paths[i], v}
				}
			}
		})
	}
	wg.Wait()
	return slices.DeleteFunc(list, func(l located[*T]) bool { return l.record == nil })
}

// readRecord reads a file of one record, or returns the known one if the file is exactly its canonical form. The file is read into room.
func readRecord[T any](r *reader, p string, known *T, keep func(*T), room *[]byte) *T {
	data, err := readInto(r.fsys, p, room)
	if err == nil && known != nil && wirejson.IsIndent(data, known) {
		r.done(p, true, nil)
		return known
	}
	v, ok := decodeFile[T](r, p, data, err)
	if !ok {
		return nil
	}
	keep(v)
	return v
}

// readInto is fs.ReadFile into memory that is used again by the next file: a large library has very many.
func readInto(fsys fs.FS, p string, room *[]byte) ([]byte, error) {
	f, err := fsys.Open(p)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data := (*room)[:0]
	for {
		data = slices.Grow(data, 4<<10)
		n, err := f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if err == io.EOF {
			*room = data
			return data, nil
		}
		if err != nil {
			return fs.ReadFile(fsys, p) // whose error names the file as it is named here
		}
	}
}

// errRefused is the error of a file that is not read; its fault is already known.
var errRefused = errors.New("not a file of the folder")

// bytes returns the content of a file.
func (r *reader) bytes(p string) ([]byte, error) {
	if r.refused[p] {
		return nil, errRefused
	}
	return fs.ReadFile(r.fsys, p)
}

// readFile reads a file of one value. Several may be read at once.
func readFile[T any](r *reader, p string) (v T, ok bool) {
	data, err := r.bytes(p)
	read, ok := decodeFile[T](r, p, data, err)
	if read == nil {
		return v, ok
	}
	return *read, ok
}

// decodeFile decodes a file of one value; nil if it could not be read.
func decodeFile[T any](r *reader, p string, data []byte, err error) (v *T, ok bool) {
	faults := r.faults.fresh()
	if errors.Is(err, errRefused) {
		ok = false
	} else if err != nil {
		faults.add(p, "cannot be read: %v", err)
	} else {
		v, ok = decodeStrict[T](faults, p, data)
	}
	r.done(p, ok, faults)
	return v, ok
}

// done notes that a file was read, with the faults of it.
func (r *reader) done(p string, ok bool, faults *faultList) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.left, p)
	if !ok {
		r.broken[p] = true
	}
	if faults != nil {
		r.faults.merge(faults)
	}
}

// readText reads a Markdown file.
func (r *reader) readText(p string) string {
	delete(r.left, p)
	data, err := r.bytes(p)
	switch at := invalidUTF8(data); {
	case errors.Is(err, errRefused):
	case err != nil:
		r.faults.add(p, "cannot be read: %v", err)
	case at >= 0:
		r.faults.add(p, "line %d is not valid UTF-8; save the file as UTF-8", lineOf(data, at+1))
	case strings.Contains(string(data), "\r"):
		r.faults.add(p, "has carriage returns; save it with line feeds only")
	case !strings.HasSuffix(string(data), "\n"):
		r.faults.add(p, "does not end with a newline; add one")
	}
	return string(data)
}
