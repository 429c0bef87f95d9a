package catalog

import (
	"iter"
	"slices"
	"strconv"
	"strings"
)

// A table derives the rows of a dataset from a catalog.
type table struct {
	columns []string
	rows    func(*Catalog) iter.Seq[[]any]
}

// kept lets a table keep its rows, which are few.
func kept(rows func(*Catalog) [][]any) func(*Catalog) iter.Seq[[]any] {
	return func(c *Catalog) iter.Seq[[]any] { return slices.Values(rows(c)) }
}

// tables are the derivations of the datasets, by slug.
var tables = map[string]table{
	"library": {
		[]string{"id", "title", "publisher", "authors", "date_published", "url", "type", "category", "summary", "tags",
			"verified_at", "last_checked", "http_status", "archive_url", "featured"},
		libraryRows,
	},
	"evidence": {
		[]string{"record", "kind", "member", "holds", "url", "copy", "copy_date", "read_at", "quote", "sha256", "note"},
		evidenceRows,
	},
	"payment-http": {
		[]string{"protocol", "protocol_name", "element", "name", "direction", "role", "source", "verified_at"},
		kept(httpRows),
	},
	"payment-networks": {
		[]string{"protocol", "protocol_name", "network", "caip2", "asset", "contract", "symbol", "decimals", "eip712_name", "eip712_version",
			"transfer_method", "testnet", "source", "verified_at", "asset_source", "asset_verified_at"},
		kept(networkRows),
	},
	"protocol-choices": {
		[]string{"protocol", "protocol_name", "kind", "field", "value", "short", "classes", "source", "quote", "read", "verified_at"},
		kept(choiceRows),
	},
	"statements": {
		[]string{"record", "id", "about", "text", "source", "read_at", "quote"},
		statementRows,
	},
	"questions": {
		[]string{"question", "record", "kind", "title", "url"},
		questionRows,
	},
}

// DatasetColumns returns the names of the columns of each dataset, by slug. There are no other datasets.
func DatasetColumns() map[string][]string {
	columns := make(map[string][]string, len(tables))
	for slug, t := range tables {
		columns[slug] = t.columns
	}
	return columns
}

func libraryRows(c *Catalog) iter.Seq[[]any] {
	return func(yield func([]any) bool) {
		for _, e := range c.entries {
			if !yield([]any{e.ID, e.Title, e.Publisher, e.Authors, orNil(e.DatePublished), e.URL, e.Type, e.Category,
				e.Summary, e.Tags, string(e.VerifiedAt), string(e.LastChecked), e.HTTPStatus, orNil(e.ArchiveURL), e.Featured}) {
				return
			}
		}
	}
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
				row := append([]any{p.ID, p.Name, n.Name, orNil(n.CAIP2), orNil(n.Asset), orNil(n.Contract)}, make([]any, 6)...)
				row = append(row, f.Source, string(f.VerifiedAt), nil, nil)
				if a, ok := c.assets[assetKey{p.ID, orEmpty(n.CAIP2), orEmpty(n.Contract)}]; ok {
					copy(row[6:], []any{a.Symbol, a.Decimals, orNil(a.EIP712Name), orNil(a.EIP712Version), a.TransferMethod, a.Testnet})
					copy(row[14:], []any{a.Source, string(a.VerifiedAt)})
				}
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// choiceRows returns one row for each field of each profile. Where the sources do not say anything, the value and all that
// belongs to it is null.
func choiceRows(c *Catalog) [][]any {
	var rows [][]any
	for _, p := range c.profiles {
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
func evidenceRows(c *Catalog) iter.Seq[[]any] {
	return func(yield func([]any) bool) {
		for _, id := range c.EvidenceIDs() {
			e := c.evidence[id]
			kind, _ := HistoryRecord(e.Record)
			for _, m := range e.Members {
				for _, r := range m.Readings {
					if !yield([]any{e.Record, kind, m.Member, r.Holds, r.URL, r.Copy, orNil(r.CopyDate), string(r.ReadAt), r.Quote, orNil(r.SHA256), orNil(r.Note)}) {
						return
					}
				}
			}
		}
	}
}

// orNil returns the string that s points to, or nil.
func orNil[T ~string](s *T) any {
	if s == nil {
		return nil
	}
	return string(*s)
}
