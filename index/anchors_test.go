package index_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/load"
	"go.almanac.example/httpmirror"
	"go.almanac.example/index"
)

// TestPassageAddresses: the mirror has the page of every passage that a search can return, with its
// anchor, or the file with its row (RFC 7111).
func TestPassageAddresses(t *testing.T) {
	c, err := load.Load(os.DirFS("../fixtures"), catalog.Options{
		Site: catalog.DefaultSite, GeneratedAt: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC),
	})
	if err != nil {
		t.Fatal(err)
	}
	mirror, err := httpmirror.Build(c, httpmirror.Options{})
	if err != nil {
		t.Fatal(err)
	}
	kinds := make(map[string]int)
	for _, p := range index.AllPassages(c) {
		kinds[p.Kind]++
		u, err := url.Parse(p.URL)
		if err != nil {
			t.Fatal(err)
		}
		file, ok := mirror.File(u.Path)
		if !ok {
			t.Errorf("%s: there is no such file", p.URL)
			continue
		}
		if row, isRow := strings.CutPrefix(u.Fragment, "row="); isRow {
			lines, err := csv.NewReader(bytes.NewReader(file.Body)).ReadAll()
			var n int
			if _, scanErr := fmt.Sscan(row, &n); err != nil || scanErr != nil || n < 2 || n > len(lines) {
				t.Errorf("%s: no row %s of %d", p.URL, row, len(lines))
				continue
			}
			for i, value := range lines[n-1] {
				if column := lines[0][i]; column != "name" && column != "protocol_name" && column != "network" && column != "caip2" && column != "contract" {
					continue // the others are said in words, or belong to the asset
				}
				if !strings.Contains(p.Text+p.Source+string(p.VerifiedAt), value) {
					t.Errorf("%s: the row has %q, the passage is %q", p.URL, value, p.Text)
				}
			}
		} else if u.Fragment != "" && !bytes.Contains(file.Body, []byte(` id="`+u.Fragment+`"`)) {
			t.Errorf("%s: the page has no such anchor", p.URL)
		}
	}
	for _, kind := range []string{index.PassageSummary, index.PassageSection, index.PassageFact, index.PassageRow} {
		if kinds[kind] == 0 {
			t.Errorf("there are no passages of kind %s", kind)
		}
	}
}
