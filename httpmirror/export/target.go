package export

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/file"
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
	if err := x.readDir(); err != nil {
		return err
	}
	if x.lock, err = os.Open(parent); err != nil { // a lock on it leaves no file behind
		return err
	}
	if err := lockFile(x.lock); err != nil {
		x.lock.Close()
		return fmt.Errorf("another export is writing in %s (%w); try again when it has finished", parent, err)
	}
	// The remains of a crash are not needed: the folder itself is complete.
	if err := cmp.Or(os.RemoveAll(x.beside), os.Mkdir(x.beside, 0o755)); err != nil {
		x.lock.Close()
		return err
	}
	return nil
}

// readDir reads the last export of the folder, and refuses a folder that has a file which no export wrote: replacing
// the folder would remove it.
func (x *exporter) readDir() error {
	entries, err := os.ReadDir(x.dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	if x.last, err = readLast(filepath.Join(x.dir, DiskName(catalog.ManifestPath))); err != nil {
		return fmt.Errorf("the folder is not empty and no export made it (%s of an export: %w; the folder holds %s); use a new or an empty folder",
			strings.TrimPrefix(catalog.ManifestPath, "/"), err, entries[0].Name())
	}
	return x.last.count(x.dir)
}

// A lastExport is the site that the last export left in a folder.
type lastExport struct {
	listed  map[string]bool // names of the files that its manifest lists, and of the manifest
	present int             // files, compressed forms counted
}

// readLast reads the manifest of a folder.
func readLast(manifest string) (lastExport, error) {
	data, err := os.ReadFile(manifest)
	if err != nil {
		return lastExport{}, err
	}
	var doc file.Manifest
	if err := json.Unmarshal(data, &doc); err != nil {
		return lastExport{}, err
	}
	if doc.SchemaVersion == "" || len(doc.Files) == 0 {
		return lastExport{}, errors.New("it has no schema_version, or lists no files")
	}
	l := lastExport{listed: map[string]bool{DiskName(catalog.ManifestPath): true}}
	for _, f := range doc.Files {
		if !strings.HasPrefix(f.Path, "/") {
			return lastExport{}, fmt.Errorf("it lists %q, which is not a path of a site", f.Path)
		}
		l.listed[DiskName(f.Path)] = true
	}
	return l, nil
}

// count counts the files below a folder. It refuses files that are neither listed nor the compressed form of one that
// is.
func (l *lastExport) count(dir string) error {
	return filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		plain := name
		for c := range file.Codings {
			if cut, ok := strings.CutSuffix(name, c.Suffix()); ok && l.listed[cut] {
				plain = cut
			}
		}
		if !l.listed[plain] || !d.Type().IsRegular() {
			return fmt.Errorf("the folder holds %s, which no export wrote and which would be lost; "+
				"move it elsewhere, or use another folder", name)
		}
		l.present++
		return nil
	})
}
