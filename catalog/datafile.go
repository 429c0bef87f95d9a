package catalog

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"

	"almanac/wirejson"
)

// ListSeparator separates the items of a list in CSV. No item contains it.
const ListSeparator = "|"

// files returns the rows of d as the files that are published.
func (d *Dataset) files() []DataFile {
	return []DataFile{
		newDataFile(DatasetFilePath(d.ID, "jsonl"), "application/jsonl", d.writeJSONLines),
		newDataFile(DatasetFilePath(d.ID, "csv"), "text/csv; charset=utf-8", d.writeCSV),
	}
}

// writeJSONLines writes one object a row, its members in the order of the columns. As in the library documents, featured is
// present only where it is true.
func (d *Dataset) writeJSONLines(w io.Writer) error {
	var b []byte
	for row := range d.rows {
		b = b[:0]
		separator := byte('{')
		for i, v := range row {
			if d.Columns[i].Name == "featured" && v == false {
				continue
			}
			b = append(wirejson.AppendString(append(b, separator), d.Columns[i].Name), ':')
			b = wirejson.Must(wirejson.Append(b, v)) // strings, numbers and lists of them always encode
			separator = ','
		}
		if _, err := w.Write(append(b, "}\n"...)); err != nil {
			return err
		}
	}
	return nil
}

// writeCSV writes the rows as RFC 4180 has them, with a header line. Lists are joined by ListSeparator, null is empty.
func (d *Dataset) writeCSV(to io.Writer) error {
	w := csv.NewWriter(to)
	w.UseCRLF = true
	header := make([]string, len(d.Columns))
	for i, col := range d.Columns {
		header[i] = col.Name
	}
	w.Write(header)
	for row := range d.rows {
		record := make([]string, len(row))
		for i, v := range row {
			record[i] = csvValue(v)
		}
		w.Write(record)
	}
	w.Flush()
	return w.Error()
}

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
