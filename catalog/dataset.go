package catalog

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// A Dataset is a table derived from the library or the protocol facts, so that it cannot drift
// from them. Its prose is curated; its rows are computed by Load.
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
	Files         []DataFile `json:"-"`
}

// A Column is a column of a dataset.
type Column struct {
	Name        string `json:"name"`
	Type        string `json:"type"` // string, integer, boolean, date, url, or list (of strings)
	Description string `json:"description"`
}

// A DataFile is a dataset in one form.
type DataFile struct {
	Path      string
	MediaType string
	Body      []byte
}

// SHA256 gives the hash of the file in hexadecimal.
func (f DataFile) SHA256() string {
	sum := sha256.Sum256(f.Body)
	return hex.EncodeToString(sum[:])
}

// A DatasetCard is the card of a dataset.
type DatasetCard struct {
	SchemaVersion string     `json:"schema_version"`
	GeneratedAt   string     `json:"generated_at"`
	Schema        string     `json:"$schema"`
	ID            string     `json:"id"`
	Title         string     `json:"title"`
	Summary       string     `json:"summary"`
	License       string     `json:"license"`
	DatePublished *Date      `json:"date_published"`
	VerifiedAt    Date       `json:"verified_at"`
	Keywords      []string   `json:"keywords"`
	Note          string     `json:"note"`
	URL           string     `json:"url"`
	ReadmeURL     string     `json:"readme_url"`
	CroissantURL  string     `json:"croissant_url"`
	RowCount      int        `json:"row_count"`
	Columns       []Column   `json:"columns"`
	Files         []CardFile `json:"files"`
}

// A CardFile is a data file as a card tells of it.
type CardFile struct {
	URL       string `json:"url"`
	MediaType string `json:"media_type"`
	Bytes     int    `json:"bytes"`
	SHA256    string `json:"sha256"`
}

// A DatasetIndex lists the datasets.
type DatasetIndex struct {
	SchemaVersion string        `json:"schema_version"`
	GeneratedAt   string        `json:"generated_at"`
	Count         int           `json:"count"`
	Datasets      []DatasetItem `json:"datasets"`
}

// A DatasetItem is a dataset with its addresses.
type DatasetItem struct {
	ID         string `json:"id"`
	Title      string `json:"title"`
	Summary    string `json:"summary"`
	VerifiedAt Date   `json:"verified_at"`
	RowCount   int    `json:"row_count"`
	CardURL    string `json:"card_url"`
	ReadmeURL  string `json:"readme_url"`
	HTMLURL    string `json:"html_url"`
}

// DatasetCard builds the card of a dataset.
func (c *Catalog) DatasetCard(d *Dataset) *DatasetCard {
	s := c.Site()
	card := &DatasetCard{
		SchemaVersion: SchemaVersion, GeneratedAt: c.GeneratedAt(), Schema: s.URL(SchemaPath("dataset-card")),
		ID: d.ID, Title: d.Title, Summary: d.Summary, License: d.License,
		DatePublished: d.DatePublished, VerifiedAt: d.VerifiedAt, Keywords: d.Keywords, Note: d.Note,
		URL: s.URL(DatasetPath(d.ID)), ReadmeURL: s.URL(DatasetReadmePath(d.ID)),
		CroissantURL: s.URL(DatasetCroissantPath(d.ID)),
		RowCount:     len(d.Rows), Columns: d.Columns,
	}
	for _, f := range d.Files {
		card.Files = append(card.Files, CardFile{s.URL(f.Path), f.MediaType, len(f.Body), f.SHA256()})
	}
	return card
}

// DatasetIndex builds the document that lists the datasets.
func (c *Catalog) DatasetIndex() *DatasetIndex {
	items := make([]DatasetItem, len(c.datasets))
	for i, d := range c.datasets {
		s := c.Site()
		items[i] = DatasetItem{
			ID: d.ID, Title: d.Title, Summary: d.Summary, VerifiedAt: d.VerifiedAt, RowCount: len(d.Rows),
			CardURL: s.URL(DatasetCardPath(d.ID)), ReadmeURL: s.URL(DatasetReadmePath(d.ID)), HTMLURL: s.URL(DatasetPath(d.ID)),
		}
	}
	return &DatasetIndex{SchemaVersion: SchemaVersion, GeneratedAt: c.GeneratedAt(), Count: len(items), Datasets: items}
}

// derivations says how the rows of each dataset come from the other records.
var derivations = map[string]struct {
	columns []string
	rows    func(*Catalog) [][]any
}{
	"library": {
		[]string{"id", "title", "publisher", "authors", "date_published", "url", "type", "category", "summary", "tags",
			"verified_at", "last_checked", "http_status", "archive_url", "featured"},
		libraryRows,
	},
	"payment-http": {
		[]string{"protocol", "protocol_name", "element", "name", "direction", "role", "source", "verified_at"},
		httpRows,
	},
	"payment-networks": {
		[]string{"protocol", "protocol_name", "network", "caip2", "asset", "contract", "source", "verified_at"},
		networkRows,
	},
}

func libraryRows(c *Catalog) [][]any {
	rows := make([][]any, len(c.entries))
	for i, e := range c.entries {
		rows[i] = []any{e.ID, e.Title, e.Publisher, e.Authors, text(e.DatePublished), e.URL, e.Type, e.Category,
			e.Summary, e.Tags, string(e.VerifiedAt), string(e.LastChecked), e.HTTPStatus, text(e.ArchiveURL), e.Featured}
	}
	return rows
}

func httpRows(c *Catalog) [][]any {
	var rows [][]any
	for _, p := range c.protocols {
		if f := p.HTTPStatusCodes; f != nil {
			for _, status := range f.Value {
				rows = append(rows, []any{p.ID, p.Name, "status_code", strconv.Itoa(status), nil, nil, f.Source, string(f.VerifiedAt)})
			}
		}
		if f := p.HTTPHeaders; f != nil {
			for _, h := range f.Value {
				rows = append(rows, []any{p.ID, p.Name, "header", h.Name, h.Direction, h.Role, f.Source, string(f.VerifiedAt)})
			}
		}
	}
	return rows
}

func networkRows(c *Catalog) [][]any {
	var rows [][]any
	for _, p := range c.protocols {
		if f := p.Networks; f != nil {
			for _, n := range f.Value {
				rows = append(rows, []any{p.ID, p.Name, n.Name, text(n.CAIP2), text(n.Asset), text(n.Contract), f.Source, string(f.VerifiedAt)})
			}
		}
	}
	return rows
}

// text gives the string a pointer points to, or nil.
func text[T ~string](s *T) any {
	if s == nil {
		return nil
	}
	return string(*s)
}

// derive computes the rows and files of d. A dataset that has no derivation, or whose columns
// are not those of its derivation, is a problem of its card.
func (c *Catalog) derive(d *Dataset) error {
	from, ok := derivations[d.ID]
	if !ok {
		return fmt.Errorf("no rows are derived for this dataset; the datasets are %s", strings.Join(sortedKeys(derivations), ", "))
	}
	var names []string
	for _, col := range d.Columns {
		names = append(names, col.Name)
	}
	if got, want := strings.Join(names, ", "), strings.Join(from.columns, ", "); got != want {
		return fmt.Errorf("columns are %s; the derived rows have %s", got, want)
	}
	d.Rows = from.rows(c)
	d.Files = []DataFile{
		{DatasetFilePath(d.ID, "jsonl"), "application/jsonl", d.jsonLines()},
		{DatasetFilePath(d.ID, "csv"), "text/csv; charset=utf-8", d.csv()},
	}
	return nil
}

// jsonLines writes one object a row, its members in the order of the columns. As in the
// library documents, featured is present only where it is true.
func (d *Dataset) jsonLines() []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, row := range d.Rows {
		sep := byte('{')
		for i, v := range row {
			if d.Columns[i].Name == "featured" && v == false {
				continue
			}
			b.WriteByte(sep)
			fmt.Fprintf(&b, "%q:", d.Columns[i].Name)
			enc.Encode(v)           // strings, numbers and lists of them do not fail
			b.Truncate(b.Len() - 1) // the newline
			sep = ','
		}
		b.WriteString("}\n")
	}
	return b.Bytes()
}

// csv writes RFC 4180 with a header line. Lists are joined by ListSeparator, null is empty.
func (d *Dataset) csv() []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.UseCRLF = true
	header := make([]string, len(d.Columns))
	for i, col := range d.Columns {
		header[i] = col.Name
	}
	w.Write(header)
	for _, row := range d.Rows {
		record := make([]string, len(row))
		for i, v := range row {
			record[i] = csvValue(v)
		}
		w.Write(record)
	}
	w.Flush() // a bytes.Buffer does not fail
	return b.Bytes()
}

// ListSeparator stands between the items of a list in CSV. Load refuses items that contain it.
const ListSeparator = "|"

func csvValue(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case []string:
		return strings.Join(v, ListSeparator)
	default:
		return fmt.Sprint(v)
	}
}
