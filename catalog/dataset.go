package catalog

import (
	"crypto/sha256"
	"encoding/hex"
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
	Rows          [][]any    `json:"-"` // values in the order of Columns: string, int, bool, []string or nil
	Files         []DataFile `json:"-"` // JSON Lines, then CSV
}

// A Column is a column of a dataset.
type Column struct {
	Name        string `json:"name"`
	Type        string `json:"type"` // one of ColumnTypes
	Description string `json:"description"`
}

// ColumnTypes are the types of columns; a list is one of strings.
var ColumnTypes = []string{"string", "integer", "boolean", "date", "url", "list"}

// A DataFile is a dataset in one format.
type DataFile struct {
	Path      string
	MediaType string
	Body      []byte

	sum string // in hexadecimal; kept because half a dozen documents show it
}

func newDataFile(path, mediaType string, body []byte) DataFile {
	sum := sha256.Sum256(body)
	return DataFile{path, mediaType, body, hex.EncodeToString(sum[:])}
}

// SHA256 returns the hash of the file in hexadecimal.
func (f DataFile) SHA256() string { return f.sum }
