package postings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"almanac/index/text"
)

// A layout describes the index in a directory.
type layout struct {
	Version   int              `json:"version"`
	Documents string           `json:"documents"` // their hash
	Segments  []uint32         `json:"segments"`  // number of documents in each
	Sizes     map[string]int64 `json:"sizes"`     // of the files, in bytes
}

// layoutVersion changes with every change of analysis or fields.
const layoutVersion = 8

const (
	layoutFile     = "layout.json"
	vocabularyFile = "words.txt"
	lengthsFile    = "lengths.bin"
)

// openOnDisk opens a directory that buildOnDisk made of documents with this hash.
func openOnDisk(dir, hash string) (*built, error) {
	l, err := readLayout(dir)
	if err != nil {
		return nil, fmt.Errorf("open index: %w", err)
	}
	if l.Version != layoutVersion || l.Documents != hash {
		return nil, errors.New("open index: it was built from other documents")
	}
	for name, size := range l.Sizes {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() != size {
			return nil, fmt.Errorf("open index: %s is damaged", name)
		}
	}
	words, err := os.Open(filepath.Join(dir, vocabularyFile))
	if err != nil {
		return nil, fmt.Errorf("open index: %w", err)
	}
	defer words.Close()
	b := new(built)
	if b.vocabulary, err = readVocabulary(words); err != nil {
		return nil, err
	}
	if b.lengths, err = openLengths(dir, l.Segments); err != nil {
		return nil, err
	}
	base := uint32(0)
	for k, n := range l.Segments {
		s, err := zap.Open(segmentFile(dir, k))
		if err != nil {
			closeSegments(b.segments)
			return nil, fmt.Errorf("open index: %w", err)
		}
		b.segments = append(b.segments, &segment{Segment: s, base: base})
		base += n
	}
	return b, nil
}

// Disk is where an index on disk is kept and who builds it.
type Disk struct {
	Dir   string    // "" keeps the index in memory
	Build BuildFunc // nil: this process builds it
}

// A BuildFunc builds an index in a directory by calling BuildStreamed, in another process, with what write writes. If it cannot,
// it returns ErrBuildHere.
type BuildFunc func(dir string, write func(io.Writer) error) error

// ErrBuildHere is the error of a BuildFunc that cannot build anything now, so that the index must be built where it is used.
var ErrBuildHere = errors.New("the index must be built in this process")

// build builds an index where the disk says.
func (d *Disk) build(a *text.Analyzer, docs Documents, dir string) error {
	err := ErrBuildHere
	if d.Build != nil {
		err = d.Build(dir, func(w io.Writer) error { return writeDocuments(w, docs) })
	}
	if errors.Is(err, ErrBuildHere) {
		return buildOnDisk(a, held{docs}, dir)
	}
	if err != nil {
		removeAll(filepath.Dir(dir), "building-*", "") // which takes up space
	}
	return err
}

// BuildStreamed builds an index in a directory, the same as Open builds there, of documents that it reads. It holds no more of them
// than the segments at hand.
func BuildStreamed(dir string, documents io.Reader) error {
	docs, err := newStream(documents)
	if err != nil {
		return fmt.Errorf("read documents: %w", err)
	}
	a, err := text.NewAnalyzer()
	if err != nil {
		return err
	}
	return buildOnDisk(a, docs, dir)
}

// buildOnDisk builds an index beside the directory and renames it.
func buildOnDisk(a *text.Analyzer, docs batches, dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return fmt.Errorf("make directory of the index: %w", err)
	}
	removeAll(filepath.Dir(dir), "building-*", "") // left by a program that was killed
	tmp, err := os.MkdirTemp(filepath.Dir(dir), "building-")
	if err != nil {
		return fmt.Errorf("make directory of the index: %w", err)
	}
	defer os.RemoveAll(tmp)
	b, err := build(a, docs, tmp)
	if err != nil {
		return err
	}
	l := layout{Version: layoutVersion, Documents: docs.Hash(), Sizes: make(map[string]int64)}
	for _, s := range b.segments {
		l.Segments = append(l.Segments, uint32(s.Count()))
	}
	if err := closeSegments(b.segments); err != nil {
		return fmt.Errorf("write index: %w", err)
	}
	if err := writeTo(tmp, vocabularyFile, b.vocabulary.write); err != nil {
		return err
	}
	if err := writeTo(tmp, lengthsFile, b.lengths.write); err != nil {
		return err
	}
	if err := writeLayout(tmp, l); err != nil {
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

// writeLayout writes the layout last, with the sizes of all other files.
func writeLayout(dir string, l layout) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("describe index: %w", err)
	}
	for _, f := range files {
		info, err := f.Info()
		if err != nil {
			return fmt.Errorf("describe index: %w", err)
		}
		l.Sizes[f.Name()] = info.Size()
	}
	data, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("describe index: %w", err)
	}
	return os.WriteFile(filepath.Join(dir, layoutFile), data, 0o600)
}

// openLengths reads the lengths of the documents of segments.
func openLengths(dir string, segments []uint32) (*lengths, error) {
	data, err := os.ReadFile(filepath.Join(dir, lengthsFile))
	if err != nil {
		return nil, fmt.Errorf("open index: %w", err)
	}
	docs := 0
	for _, n := range segments {
		docs += int(n)
	}
	return readLengths(bytes.NewReader(data), docs)
}

// writeTo writes a file of a directory.
func writeTo(dir, name string, write func(io.Writer) error) error {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := errors.Join(write(f), f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
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
