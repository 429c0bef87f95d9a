package postings

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"almanac/index/text"

	"github.com/blevesearch/bleve/v2/index/scorch"
)

// A layout describes the index in a directory.
type layout struct {
	Version   int             `json:"version"`
	Documents string          `json:"documents"` // their hash
	Lengths   [Fields]float64 `json:"lengths"`
}

// layoutVersion changes with every change of analysis or fields.
const layoutVersion = 4

const layoutFile = "layout.json"

// openOnDisk opens a directory that buildOnDisk made of documents with this hash.
func openOnDisk(dir, hash string) (*segment, [Fields]float64, error) {
	l, err := readLayout(dir)
	if err != nil {
		return nil, l.Lengths, fmt.Errorf("open index: %w", err)
	}
	if l.Version != layoutVersion || l.Documents != hash {
		return nil, l.Lengths, errors.New("open index: it was built from other documents")
	}
	s, err := openSegment(map[string]any{"path": filepath.Join(dir, "store"), "read_only": true, "bolt_timeout": "5s"})
	return s, l.Lengths, err
}

// buildOnDisk builds an index beside the directory and renames it.
func buildOnDisk(a *text.Analyzer, docs Documents, dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return fmt.Errorf("make directory of the index: %w", err)
	}
	removeAll(filepath.Dir(dir), "building-*", "") // left by a program that was killed
	tmp, err := os.MkdirTemp(filepath.Dir(dir), "building-")
	if err != nil {
		return fmt.Errorf("make directory of the index: %w", err)
	}
	defer os.RemoveAll(tmp)
	b, err := scorch.NewBuilder(map[string]any{
		"path": filepath.Join(tmp, "store"), "buildPathPrefix": tmp, "batchSize": 20_000, "mergeMax": 64,
	})
	if err != nil {
		return fmt.Errorf("start index: %w", err)
	}
	var sum lengths
	for doc := range analysed(a, docs, &sum) {
		if err == nil {
			err = b.Index(doc)
		}
	}
	if err = errors.Join(err, b.Close()); err != nil {
		return fmt.Errorf("write index: %w", err)
	}
	if err := writeLayout(tmp, layout{layoutVersion, docs.Hash(), sum.means()}); err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("remove unusable index: %w", err)
	}
	if err := os.Rename(tmp, dir); err != nil {
		return fmt.Errorf("move index into place: %w", err)
	}
	return nil
}

func readLayout(dir string) (l layout, err error) {
	data, err := os.ReadFile(filepath.Join(dir, layoutFile))
	if err != nil {
		return l, err
	}
	return l, json.Unmarshal(data, &l)
}

func writeLayout(dir string, l layout) error {
	data, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("describe index: %w", err)
	}
	return os.WriteFile(filepath.Join(dir, layoutFile), data, 0o600)
}

// removeAll removes what matches a pattern, except one name. Files that a running index has mapped
// stay readable until it closes them.
func removeAll(dir, pattern, except string) {
	old, err := fs.Glob(os.DirFS(dir), pattern)
	if err != nil {
		return
	}
	for _, name := range old {
		if name != except {
			os.RemoveAll(filepath.Join(dir, name)) // what cannot be removed only takes up space
		}
	}
}
