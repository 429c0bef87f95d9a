package catalog_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"go.almanac.example/catalog"
	"go.almanac.example/internal/wirejson"
)

// Every line of the library's JSON Lines is the entry itself, member for member in the same order.
func TestLibraryLinesAreTheEntries(t *testing.T) {
	c := realCatalog(t)
	d, _ := c.Dataset("library")
	lines := strings.Split(strings.TrimSuffix(string(d.Files[0].Body()), "\n"), "\n")
	if len(lines) != len(c.Entries()) {
		t.Fatalf("%d lines of %d entries", len(lines), len(c.Entries()))
	}
	for i, e := range c.Entries() {
		if want := string(wirejson.Must(wirejson.Compact(e))); lines[i] != want {
			t.Errorf("line %d:\n got %s\nwant %s", i+1, lines[i], want)
		}
	}
}

// Both forms of each dataset read back as its rows; in CSV an apostrophe stands before what a spreadsheet would run.
func TestDatasetFormsAgree(t *testing.T) {
	for _, d := range realCatalog(t).Datasets() {
		records, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(d.Files[1].Body(), []byte(catalog.ByteOrderMark)))).ReadAll()
		if err != nil {
			t.Fatalf("%s: %v", d.ID, err)
		}
		lines := bytes.Split(bytes.TrimSuffix(d.Files[0].Body(), []byte("\n")), []byte("\n"))
		if len(records) != d.RowCount()+1 || len(lines) != d.RowCount() {
			t.Fatalf("%s: %d rows, %d CSV records with the header, %d lines", d.ID, d.RowCount(), len(records), len(lines))
		}
		for i, line := range lines {
			var object map[string]any
			if err := json.Unmarshal(line, &object); err != nil {
				t.Fatalf("%s line %d: %v", d.ID, i+1, err)
			}
			for j, col := range d.Columns {
				if records[0][j] != col.Name {
					t.Fatalf("%s: column %d is %q in CSV, %q in the card", d.ID, j, records[0][j], col.Name)
				}
				v, ok := object[col.Name]
				if !ok && col.Name == "featured" { // present only where true
					v = false
				} else if !ok {
					t.Errorf("%s line %d has no %s", d.ID, i+1, col.Name)
				}
				got, cell := csvForm(v), records[i+1][j]
				if strings.IndexAny(cell, "=+-@") == 0 && strings.Trim(cell, "-0123456789") != "" {
					t.Errorf("%s line %d, %s is a formula: %q", d.ID, i+1, col.Name, cell)
				}
				if got != cell && "'"+got != cell {
					t.Errorf("%s line %d, %s: %q in JSON, %q in CSV", d.ID, i+1, col.Name, got, records[i+1][j])
				}
			}
		}
		if !bytes.HasSuffix(d.Files[1].Body(), []byte("\r\n")) {
			t.Errorf("%s: the lines of CSV do not end as RFC 4180 says", d.ID)
		}
	}
}

// csvForm writes a JSON value as the CSV does.
func csvForm(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return strconv.Itoa(int(v))
	case bool:
		return strconv.FormatBool(v)
	case []any:
		var items []string
		for _, item := range v {
			items = append(items, item.(string))
		}
		return strings.Join(items, catalog.ListSeparator)
	}
	return ""
}

// Every value has the type that the card states for its column.
func TestDatasetColumnTypes(t *testing.T) {
	for _, d := range realCatalog(t).Datasets() {
		i := 0
		for row := range d.Rows() {
			i++
			for j, v := range row {
				if v == nil && nullable[d.ID] {
					continue
				}
				if !hasType(v, d.Columns[j].Type) {
					t.Errorf("%s row %d: %s is %#v, no %s", d.ID, i, d.Columns[j].Name, v, d.Columns[j].Type)
				}
			}
		}
	}
}

// nullable are the datasets in which numbers and booleans can be null, too: of some networks nothing is known but the name.
var nullable = map[string]bool{"payment-networks": true}

func hasType(v any, typ string) bool {
	switch v := v.(type) {
	case nil:
		return typ != "integer" && typ != "boolean" && typ != "list"
	case int:
		return typ == "integer"
	case bool:
		return typ == "boolean"
	case []string:
		return typ == "list"
	case string:
		switch typ {
		case "string":
			return true
		case "date":
			_, err := catalog.ParseDate(v)
			return err == nil
		case "url":
			return strings.HasPrefix(v, "https://") || strings.HasPrefix(v, "http://")
		}
	}
	return false
}

// The derived tables hold what the facts hold, and nothing more.
func TestDatasetsAgreeWithFacts(t *testing.T) {
	c := realCatalog(t)
	var http, networks []string
	for _, p := range c.Protocols().Protocols {
		if f := p.HTTPStatusCodes; f != nil {
			for _, s := range f.Value {
				http = append(http, strings.Join([]string{p.ID, "status_code", strconv.Itoa(s), f.Source}, " "))
			}
		}
		if f := p.HTTPHeaders; f != nil {
			for _, h := range f.Value {
				http = append(http, strings.Join([]string{p.ID, "header", h.Name, f.Source}, " "))
			}
		}
		if f := p.Networks; f != nil {
			for _, n := range f.Value {
				networks = append(networks, strings.Join([]string{p.ID, n.Name, orEmpty(n.CAIP2), orEmpty(n.Contract), f.Source}, " "))
			}
		}
	}
	for _, tt := range []struct {
		dataset, columns string
		want             []string
	}{
		{"payment-http", "protocol element name source", http},
		{"payment-networks", "protocol network caip2 contract source", networks},
	} {
		d, _ := c.Dataset(tt.dataset)
		var got []string
		for row := range d.Rows() {
			var values []string
			for _, name := range strings.Fields(tt.columns) {
				i := slices.IndexFunc(d.Columns, func(col catalog.Column) bool { return col.Name == name })
				value, _ := row[i].(string) // or null
				values = append(values, value)
			}
			got = append(got, strings.Join(values, " "))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-facts +rows):\n%s", tt.dataset, diff)
		}
	}
}

// TestSelectBySymbol: a payer who selects the symbol USDC finds every network on which the facts of x402 name USDC, with all
// that a signature needs.
func TestSelectBySymbol(t *testing.T) {
	c := realCatalog(t)
	p, _ := c.Protocol("x402")
	var want []string
	for _, n := range p.Networks.Value {
		if n.Asset != nil && *n.Asset == "USDC" {
			want = append(want, *n.CAIP2)
		}
	}
	d, _ := c.Dataset("payment-networks")
	var got []string
	for _, line := range bytes.Split(bytes.TrimSpace(d.Files[0].Body()), []byte("\n")) {
		var row struct {
			Protocol, CAIP2, Symbol, Contract string
			Decimals                          int
			EIP712Name                        *string `json:"eip712_name"`
			EIP712Version                     *string `json:"eip712_version"`
			TransferMethod                    string  `json:"transfer_method"`
		}
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatal(err)
		}
		if row.Protocol != "x402" || row.Symbol != "USDC" {
			continue
		}
		got = append(got, row.CAIP2)
		signed := strings.HasPrefix(row.CAIP2, "eip155:")
		if row.Contract == "" || row.Decimals == 0 || row.TransferMethod == "" || signed != (row.EIP712Name != nil && row.EIP712Version != nil) {
			t.Errorf("%s lacks what a signature needs: %s", row.CAIP2, line)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("networks of USDC (-facts +rows):\n%s", diff)
	}
	for _, network := range []string{"eip155:8453", "eip155:1", "eip155:137", "eip155:42161", "eip155:43114"} { // whose domain is "USD Coin"
		if !slices.Contains(got, network) {
			t.Errorf("%s is not found by its symbol", network)
		}
	}
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
