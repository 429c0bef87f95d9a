package export

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"almanac/catalog"
	"almanac/httpmirror/file"
)

// last is what the last export left in a folder. Of the names it holds hashes: a large export has hundreds of thousands.
type last struct {
	files   int // that its manifest lists, with the manifest itself
	present int // files, compressed forms counted
	seed    maphash.Seed
	listed  map[uint64]bool
}

// newLast returns what the manifest of a folder lists.
func newLast(manifest string) (last, error) {
	l := last{seed: maphash.MakeSeed(), listed: make(map[uint64]bool)}
	f, err := os.Open(manifest)
	if err != nil {
		return last{}, err
	}
	defer f.Close()
	l.add(catalog.ManifestPath)
	err = eachListed(json.NewDecoder(f), func(path string) error {
		if !strings.HasPrefix(path, "/") {
			return fmt.Errorf("it lists %q, which is not a path of a site", path)
		}
		l.add(path)
		return nil
	})
	if err == nil && l.files == 1 {
		err = errors.New("it lists no files")
	}
	return l, err
}

// eachListed calls use with the path of every file of a manifest, which is not read into memory as a whole.
func eachListed(d *json.Decoder, use func(path string) error) error {
	if start, err := d.Token(); err != nil || start != json.Delim('{') {
		return errors.Join(err, errors.New("it is not an object"))
	}
	for version := ""; d.More(); {
		name, err := d.Token()
		if err != nil {
			return err
		}
		switch name {
		case "schema_version":
			err = d.Decode(&version)
		case "files":
			if version == "" {
				return errors.New("it has no schema_version")
			}
			err = eachElement(d, use)
		default:
			err = d.Decode(new(json.RawMessage))
		}
		if err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

func eachElement(d *json.Decoder, use func(path string) error) error {
	if start, err := d.Token(); err != nil || start != json.Delim('[') {
		return errors.Join(err, errors.New("its files are not a list"))
	}
	for d.More() {
		var l file.Listing
		if err := d.Decode(&l); err != nil {
			return err
		}
		if err := use(l.Path); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

func (l *last) hash(name string) uint64 { return maphash.String(l.seed, name) }

func (l *last) add(path string) {
	l.files++
	l.listed[l.hash(DiskName(path))] = true
}

// has reports whether the file with this name was listed.
func (l *last) has(name string) bool { return len(l.listed) > 0 && l.listed[l.hash(name)] }

// count counts the files below a folder. It refuses files that are neither listed nor the compressed form of one that is.
func (l *last) count(dir string) error {
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
			if cut, ok := strings.CutSuffix(name, c.Suffix()); ok && l.has(cut) {
				plain = cut
			}
		}
		if !l.has(plain) || !d.Type().IsRegular() {
			return fmt.Errorf("the folder holds %s, which no export wrote and which would be lost; move it elsewhere, or use another folder", name)
		}
		l.present++
		return nil
	})
}
