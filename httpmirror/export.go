package httpmirror

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
)

// ExportOptions say how the files are written.
type ExportOptions struct {
	// Codings names the compressed forms to write beside each file for hosts that serve them:
	// "gzip" (file.gz), "br" (file.br), "zstd" (file.zst).
	Codings []string
}

// Stats tell what an export did.
type Stats struct {
	Files     int   // files of the site, compressed forms not counted
	Bytes     int64 // their length together
	Written   int   // files that are new or changed, compressed forms counted
	Unchanged int   // files that were there already and were left as they are
	Removed   int   // files of the last export that are no longer published
}

// Export renders the site of a catalog into a folder, so that any static host can serve it. It
// writes beside the folder and puts the whole in its place in one step: a reader sees the old
// site or the new one, and so does whoever looks after a crash. Files whose bytes have not
// changed are carried over and not written again; when none has, the folder is left alone. A
// folder that holds anything else than an export is refused.
func Export(ctx context.Context, c *catalog.Catalog, o Options, dir string, e ExportOptions) (Stats, error) {
	stats, err := export(ctx, c, o, dir, e)
	if err != nil {
		return Stats{}, fmt.Errorf("export to %s: %w", dir, err)
	}
	return stats, nil
}

func export(ctx context.Context, c *catalog.Catalog, o Options, dir string, e ExportOptions) (stats Stats, err error) {
	o, err = o.complete()
	if err != nil {
		return Stats{}, err
	}
	x := &exporter{ctx: ctx, modified: c.Options().GeneratedAt}
	if x.codings, err = codingsNamed(e.Codings); err != nil {
		return Stats{}, err
	}
	if err := x.prepare(dir); err != nil {
		return Stats{}, err
	}
	defer func() { err = errors.Join(err, x.close()) }()
	b := newBuilder(c, o, x.put)
	if err := b.run(); err != nil {
		return Stats{}, err
	}
	for path := range x.old {
		if _, still := b.listed[path]; !still {
			x.removed++
		}
	}
	if err := ctx.Err(); err != nil {
		return Stats{}, err
	}
	if err := x.publish(); err != nil {
		return Stats{}, err
	}
	return Stats{
		Files: len(b.listed), Bytes: x.bytes.Load(),
		Written: int(x.written.Load()), Unchanged: int(x.unchanged.Load()), Removed: x.removed,
	}, nil
}

// An exporter writes files into a folder beside the one they are for.
type exporter struct {
	ctx      context.Context
	modified time.Time
	codings  []coding

	dir     string // the folder the export is for, without symbolic links
	beside  string // the folder that is written
	lock    *os.File
	old     map[string]listing // what the last export wrote, by path
	present map[string]bool    // the files below dir, by name
	made    sync.Map           // folders that exist below beside

	mu   sync.Mutex
	kept []string // the files below dir that stay as they are, by name

	bytes, written, unchanged atomic.Int64
	removed                   int
}

// codingSuffixes end the names of compressed forms, as nginx and Caddy look for them.
var codingSuffixes = [codings]string{codingBrotli: ".br", codingZstd: ".zst", codingGzip: ".gz"}

func codingsNamed(names []string) ([]coding, error) {
	var list []coding
next:
	for _, name := range names {
		for c, n := range codingNames {
			if name == n {
				list = append(list, coding(c))
				continue next
			}
		}
		return nil, fmt.Errorf("the compressed form %q is unknown; use gzip, br or zstd", name)
	}
	return list, nil
}

// put writes a file and its compressed forms, or keeps them.
func (x *exporter) put(f *File) error {
	if err := x.ctx.Err(); err != nil {
		return err
	}
	name := diskName(f.Path)
	if !filepath.IsLocal(name) {
		return fmt.Errorf("the path %s leads out of the folder", f.Path)
	}
	x.bytes.Add(int64(len(f.Body)))
	same := x.isUnchanged(f, name)
	if err := x.place(name, same, func() []byte { return f.Body }); err != nil {
		return err
	}
	if len(f.Body) < worthCoding {
		return nil
	}
	for _, c := range x.codings {
		if err := x.place(name+codingSuffixes[c], same, func() []byte { return compress(c, f.Body) }); err != nil {
			return err
		}
	}
	return nil
}

// isUnchanged tells whether the last export holds the same bytes. Its manifest only says where
// it is worth looking.
func (x *exporter) isUnchanged(f *File, name string) bool {
	old, listed := x.old[f.Path]
	if f.Path != catalog.ManifestPath && (!listed || old.SHA256 != f.SHA256()) {
		return false
	}
	return x.present[name] && holds(filepath.Join(x.dir, name), f.Body)
}

// holds tells whether a file has the bytes of body and no others.
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

// place keeps the file of the last export when that holds the same, else writes it below the new
// folder.
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

// carryOver gives the files that stay a further name below the new folder, or copies them where
// the file system knows no such thing.
func (x *exporter) carryOver() error {
	return parallel(len(x.kept), func(i int) error {
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

// target gives the path of a file below the new folder, and makes the folder it lies in.
func (x *exporter) target(name string) (string, error) {
	target := filepath.Join(x.beside, name)
	return target, x.makeFolder(filepath.Dir(target))
}

// makeFolder makes a folder below the new one, and those above it. It remembers what there is:
// asking the system again for every file would cost as much as writing it.
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

// close removes what is not published, the old files or the unfinished new ones, and lets the
// next export begin.
func (x *exporter) close() error {
	return errors.Join(os.RemoveAll(x.beside), x.lock.Close())
}

// diskName is the name of a file below the folder. A page is the index of a folder.
func diskName(path string) string {
	if isPage(path) {
		path += "index.html"
	}
	return filepath.FromSlash(path[1:])
}
