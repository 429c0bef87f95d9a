package catalog

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.almanac.example/internal/wirejson"
)

// A Dataset is a table derived from the library or the protocol facts, so that it cannot drift from them. Its prose is
// curated; New computes its rows and files.
type Dataset struct {
	DatasetText
	Columns []Column   `json:"columns"`
	Readme  string     `json:"-"` // curated Markdown
	Files   []DataFile `json:"-"` // JSON Lines, then CSV

	rows     func() [][]any // made each time: those of a large library take more memory than its entries
	rowCount func() int     // counted once
}

// A DatasetText is the prose of a dataset, as its card has it.
type DatasetText struct {
	ID            string   `json:"id" form:"slug"` // the slug
	Title         string   `json:"title" form:"title"`
	Summary       string   `json:"summary" form:"summary"`
	License       string   `json:"license" form:"url"` // address of the licence
	DatePublished *Date    `json:"date_published"`
	VerifiedAt    Date     `json:"verified_at"`
	Keywords      []string `json:"keywords" form:"list"`
	Note          string   `json:"note" form:"summary"`
}

// RowCount returns the number of rows.
func (d *Dataset) RowCount() int { return d.rowCount() }

// Rows yields the rows, their values in the order of Columns: string, int, bool, []string or nil.
func (d *Dataset) Rows() iter.Seq[[]any] { return slices.Values(d.rows()) }

// A Column is a column of a dataset.
type Column struct {
	Name        string `json:"name"`
	Type        string `json:"type" form:"column"` // one of ColumnTypes
	Description string `json:"description" form:"summary"`
}

// ColumnTypes are the types of columns; a list is one of strings.
var ColumnTypes = []string{"string", "integer", "boolean", "date", "url", "list"}

// A DataFile is a dataset in one format.
type DataFile struct {
	Path      string
	MediaType string
	Body      func() []byte // made each time

	seal func() Seal // known once asked for, because half a dozen documents show it
}

// Seal returns the size and the hash of the file.
func (f DataFile) Seal() Seal { return f.seal() }

// A Seal is the size and the hash of a file, as a card shows them.
type Seal struct {
	Bytes  int    `json:"bytes"`
	SHA256 string `json:"sha256"`
}

func newDataFile(path, mediaType string, body func() []byte) DataFile {
	return DataFile{path, mediaType, body, sync.OnceValue(func() Seal {
		b := body()
		sum := sha256.Sum256(b)
		return Seal{len(b), hex.EncodeToString(sum[:])}
	})}
}

// ByteOrderMark begins the CSV files.
const ByteOrderMark = "\ufeff"

// ListSeparator separates the items of a list in CSV. No item contains it.
const ListSeparator = "|"

// files returns the rows of d as the files that are published.
func (d *Dataset) files() []DataFile {
	return []DataFile{
		newDataFile(DatasetFilePath(d.ID, "jsonl"), "application/jsonl", d.jsonLines),
		newDataFile(DatasetFilePath(d.ID, "csv"), "text/csv; charset=utf-8", d.csv),
	}
}

// jsonLines returns one object a row, its members in the order of the columns. As in the library documents, featured is
// present only where it is true.
func (d *Dataset) jsonLines() (b []byte) {
	for _, row := range d.rows() {
		separator := byte('{')
		for i, v := range row {
			if d.Columns[i].Name == "featured" && v == false {
				continue
			}
			b = append(wirejson.AppendString(append(b, separator), d.Columns[i].Name), ':')
			b = wirejson.Must(wirejson.Append(b, v)) // strings, numbers and lists of them always encode
			separator = ','
		}
		b = append(b, "}\n"...)
	}
	return b
}

// csv returns the rows as RFC 4180 has them, with a header line. Lists are joined by ListSeparator, null is empty. It
// begins with a byte order mark, without which Excel reads accents in the code page of the machine. Readers that know
// none see it in the name of the first column; programs have JSON Lines, which have no such mark (RFC 8259, section 8.1).
func (d *Dataset) csv() []byte {
	out := bytes.NewBufferString(ByteOrderMark)
	w := csv.NewWriter(out) // which does not fail
	w.UseCRLF = true
	w.Write(Convert(d.Columns, func(c Column) string { return c.Name }))
	for _, row := range d.rows() {
		w.Write(Convert(row, csvValue))
	}
	w.Flush()
	return out.Bytes()
}

// csvValue returns a cell. A spreadsheet would run a text that begins like a formula, so an apostrophe stands before it.
func csvValue(v any) string {
	var cell string
	switch v := v.(type) {
	case nil:
	case []string:
		cell = strings.Join(v, ListSeparator)
	default:
		cell = fmt.Sprint(v)
	}
	if _, err := strconv.ParseFloat(cell, 64); err != nil && strings.IndexAny(cell, "=+-@\t\r") == 0 {
		return "'" + cell
	}
	return cell
}

// A table derives the rows of a dataset from a catalog.
type table struct {
	columns []string
	rows    func(*Catalog) [][]any
	read    func(*Catalog) Date // the newest day on which a row was read; "" if rows have none
}

// tables are the derivations of the datasets, by slug.
var tables = map[string]table{
	"library": {
		[]string{"id", "title", "publisher", "authors", "date_published", "url", "type", "category", "summary", "tags",
			"verified_at", "last_checked", "http_status", "archive_url", "featured"},
		libraryRows,
		func(c *Catalog) Date { return newestOf(c.records.Entries, func(e *Entry) Date { return e.VerifiedAt }) },
	},
	"evidence": {
		[]string{"record", "kind", "member", "holds", "url", "copy", "copy_date", "read_at", "quote", "sha256", "note"},
		evidenceRows,
		func(c *Catalog) Date { return newestOf(c.records.Evidence, (*EvidenceRecord).ReadAt) },
	},
	"payment-http": {
		[]string{"protocol", "protocol_name", "element", "name", "direction", "role", "source", "verified_at"},
		httpRows,
		(*Catalog).FactsDay,
	},
	"payment-networks": {
		[]string{"protocol", "protocol_name", "network", "caip2", "asset", "contract", "symbol", "decimals",
			"eip712_name", "eip712_version",
			"transfer_method", "testnet", "source", "verified_at", "asset_source", "asset_verified_at"},
		networkRows,
		(*Catalog).FactsDay,
	},
	"protocol-choices": {
		[]string{"protocol", "protocol_name", "kind", "field", "value", "short", "classes", "source", "quote", "read",
			"verified_at"},
		choiceRows,
		func(c *Catalog) Date { return newestOf(c.records.Profiles, (*Profile).VerifiedAt) },
	},
	"statements": {
		[]string{"record", "id", "about", "text", "source", "read_at", "quote"},
		statementRows,
		func(c *Catalog) Date { return newestOf(c.StatementIDs(), c.StatementsDay) },
	},
	ClientDataset: {
		[]string{"client", "client_name", "version", "shape", "shape_title", "protocols", "transport", "result", "reason",
			"command", "transcript", "day"},
		clientRows,
		func(c *Catalog) Date { return newestOf(c.records.Clients, func(k *Client) Date { return k.Day }) },
	},
	"questions": {
		[]string{"question", "record", "kind", "title", "url", "passage"},
		questionRows,
		func(*Catalog) Date { return "" },
	},
}

// FactsDay returns the newest day on which a fact was read.
func (c *Catalog) FactsDay() Date { return newestOf(c.records.Protocols, (*Protocol).VerifiedAt) }

// DatasetColumns returns the names of the columns of each dataset, by slug. There are no other datasets.
func DatasetColumns() map[string][]string {
	columns := make(map[string][]string, len(tables))
	for slug, t := range tables {
		columns[slug] = t.columns
	}
	return columns
}

func libraryRows(c *Catalog) (rows [][]any) {
	for _, e := range c.records.Entries {
		rows = append(rows, []any{e.ID, e.Title, e.Publisher, e.Authors, orNil(e.DatePublished), e.URL, e.Type, e.Category,
			e.Summary, e.Tags, string(e.VerifiedAt), string(e.LastChecked), e.HTTPStatus, orNil(e.ArchiveURL), e.Featured})
	}
	return rows
}

func httpRows(c *Catalog) (rows [][]any) {
	for _, p := range c.records.Protocols {
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

func networkRows(c *Catalog) (rows [][]any) {
	for _, p := range c.records.Protocols {
		if f := p.Networks; f != nil {
			for _, n := range f.Value {
				row := append([]any{p.ID, p.Name, n.Name, orNil(n.CAIP2), orNil(n.Asset), orNil(n.Contract)}, make([]any, 6)...)
				row = append(row, f.Source, string(f.VerifiedAt), nil, nil)
				if a, ok := c.assets[assetKey{p.ID, OrEmpty(n.CAIP2), OrEmpty(n.Contract)}]; ok {
					copy(row[6:], []any{a.Symbol, a.Decimals, orNil(a.EIP712Name), orNil(a.EIP712Version), a.TransferMethod, a.Testnet})
					copy(row[14:], []any{a.Source, string(a.VerifiedAt)})
				}
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// choiceRows returns one row for each field of each profile. Where the sources do not say anything, the value and all
// that belongs to it is null.
func choiceRows(c *Catalog) (rows [][]any) {
	for _, p := range c.records.Profiles {
		for _, f := range p.Fields() {
			row := []any{p.ID, p.Name, p.Kind, f.Name, nil, nil, nil, nil, nil, nil, nil}
			if f.Value != nil {
				row = []any{p.ID, p.Name, p.Kind, f.Name, f.Text(), f.Short, nil, f.Source, f.Quote, f.Read, string(f.VerifiedAt)}
				if len(f.Classes) > 0 {
					row[6] = strings.Join(f.Classes, " ")
				}
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// evidenceRows lists the readings in the order of their records' ids.
func evidenceRows(c *Catalog) (rows [][]any) {
	for _, id := range c.EvidenceIDs() {
		e := c.evidence[id]
		kind, _ := HistoryRecord(e.Record)
		for _, m := range e.Members {
			for _, r := range m.Readings {
				rows = append(rows, []any{e.Record, kind, m.Member, r.Holds, r.URL, r.Copy, orNil(r.CopyDate),
					string(r.ReadAt), r.Quote, orNil(r.SHA256), orNil(r.Note)})
			}
		}
	}
	return rows
}

// orNil returns the string that s points to, or nil.
func orNil[T ~string](s *T) any {
	if s == nil {
		return nil
	}
	return string(*s)
}

// questionRows lists the questions in the published order of their records: those of each record as a whole, then
// those of its passages by their keys.
func questionRows(c *Catalog) (rows [][]any) {
	for _, r := range c.AnsweringRecords() {
		asked := c.QuestionRecord(r.ID)
		for _, q := range asked.Questions {
			rows = append(rows, []any{q, r.ID, r.Kind, r.Title, r.URL, nil})
		}
		for _, key := range slices.Sorted(maps.Keys(asked.Passages)) {
			rows = append(rows, []any{asked.Passages[key], r.ID, r.Kind, r.Title, r.URL, key})
		}
	}
	return rows
}
