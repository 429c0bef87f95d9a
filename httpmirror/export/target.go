package export

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"almanac/catalog"
	"almanac/httpmirror/file"
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
	var doc file.Manifest
	data, err := os.ReadFile(filepath.Join(x.dir, DiskName(catalog.ManifestPath)))
	if err == nil {
		err = json.Unmarshal(data, &doc)
	}
	if err != nil || doc.SchemaVersion == "" || len(doc.Files) == 0 {
		return fmt.Errorf("the folder is not empty and no export made it (it has no %s of an export, and holds %s); use a new or an empty folder",
			strings.TrimPrefix(catalog.ManifestPath, "/"), entries[0].Name())
	}
	x.old = make(map[string]file.Listing, len(doc.Files)+1)
	x.old[catalog.ManifestPath] = file.Listing{Path: catalog.ManifestPath}
	listed := map[string]bool{DiskName(catalog.ManifestPath): true}
	for _, l := range doc.Files {
		if !strings.HasPrefix(l.Path, "/") {
			return fmt.Errorf("the manifest in the folder lists %q, which is not a path of a site: use a new or an empty folder", l.Path)
		}
		x.old[l.Path] = l
		listed[DiskName(l.Path)] = true
	}
	x.present, err = onlyListed(x.dir, listed)
	return err
}

// onlyListed returns the names of the files below a folder. It refuses files that are neither listed nor the compressed
// form of one that is.
func onlyListed(dir string, listed map[string]bool) (present map[string]bool, err error) {
	present = make(map[string]bool, len(listed))
	return present, filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		plain := name
		for c := range file.Codings {
			if cut, ok := strings.CutSuffix(name, c.Suffix()); ok && listed[cut] {
				plain = cut
			}
		}
		if !listed[plain] || !d.Type().IsRegular() {
			return fmt.Errorf("the folder holds %s, which no export wrote and which would be lost; move it elsewhere, or use another folder", name)
		}
		present[name] = true
		return nil
	})
}
