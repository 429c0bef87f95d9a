package catalog

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"iter"
	"sync"
)

// A Dataset is a table derived from the library or the protocol facts, so that it cannot drift from them. Its prose is
// curated; New computes its rows and files.
type Dataset struct {
	ID            string     `json:"id"` // the slug
	Title         string     `json:"title"`
	Summary       string     `json:"summary"`
	License       string     `json:"license"` // address of the licence
	DatePublished *Date      `json:"date_published"`
	VerifiedAt    Date       `json:"verified_at"`
	Keywords      []string   `json:"keywords"`
	Note          string     `json:"note"`
	Columns       []Column   `json:"columns"`
	Readme        string     `json:"-"` // curated Markdown
	RowCount      int        `json:"-"`
	Files         []DataFile `json:"-"` // JSON Lines, then CSV

	rows iter.Seq[[]any]
}

// Rows yields the rows, their values in the order of Columns: string, int, bool, []string or nil. They are derived each time, since
// those of a large library would take more memory than the library.
func (d *Dataset) Rows() iter.Seq[[]any] { return d.rows }

// A Column is a column of a dataset.
type Column struct {
	Name        string `json:"name"`
	Type        string `json:"type"` // one of ColumnTypes
	Description string `json:"description"`
}

// ColumnTypes are the types of columns; a list is one of strings.
var ColumnTypes = []string{"string", "integer", "boolean", "date", "url", "list"}

// A DataFile is a dataset in one format. Its bytes are not kept.
type DataFile struct {
	Path      string
	MediaType string

	write func(io.Writer) error
	seal  func() seal // known once asked for, because half a dozen documents show it
}

// A seal is what a card says of the bytes of a file.
type seal struct {
	bytes int
	sum   string // SHA-256 in hexadecimal
}

func newDataFile(path, mediaType string, write func(io.Writer) error) DataFile {
	return DataFile{path, mediaType, write, sync.OnceValue(func() seal {
		h := &countedHash{Hash: sha256.New()}
		write(h) // a hash does not fail
		return seal{h.bytes, hex.EncodeToString(h.Sum(nil))}
	})}
}

// A countedHash is a hash that counts what is written to it.
type countedHash struct {
	hash.Hash
	bytes int
}

func (h *countedHash) Write(b []byte) (int, error) {
	h.bytes += len(b)
	return h.Hash.Write(b)
}

// WriteFile writes the bytes of the file, a few rows at a time.
func (f DataFile) WriteFile(w io.Writer) error { return f.write(w) }

// Body returns the bytes of the file.
func (f DataFile) Body() []byte {
	var b bytes.Buffer
	f.write(&b) // a buffer does not fail
	return b.Bytes()
}

// Bytes returns the size of the file.
func (f DataFile) Bytes() int { return f.seal().bytes }

// SHA256 returns the hash of the file in hexadecimal.
func (f DataFile) SHA256() string { return f.seal().sum }
