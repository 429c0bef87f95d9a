package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// houses is the table of DESIGN.md, section 1: what of ours each package may import. Imports go
// down only. A package that is not in the table fails the test.
var houses = map[string][]string{
	"almanac/catalog":        {},
	"almanac/fixtures":       {},
	"almanac/l402":           {},
	"almanac/index":          {"catalog", "index/searchpb"},
	"almanac/index/searchpb": {},
	"almanac/httpmirror":     {"catalog"},
	"almanac/catalog/links":  {"catalog"},
	"almanac/ops":            {"catalog", "l402"},
	"almanac/l402/lnd":       {"l402"},
	"almanac/l402/demo":      {"l402"},
	"almanac/l402/ledger":    {"l402"},
	"almanac/tools":          {"catalog", "index"},
	"almanac/mcpserver":      {"catalog", "index", "tools"},
	"almanac/cmd/almanac":    {"*"},

	// Test support, which no program imports.
	"almanac/l402/lnd/simnet":   {},
	"almanac/l402/invoicertest": {"l402"},
}

// l402Packages are the packages that know what a macaroon and a payment hash are.
var l402Packages = []string{"almanac/l402", "almanac/l402/lnd", "almanac/l402/demo", "almanac/l402/ledger", "almanac/l402/invoicertest", "almanac/ops"}

// guarded are modules that only some packages may import, by the prefix of the import path.
var guarded = map[string][]string{
	"github.com/blevesearch/":            {"almanac/index"},
	"github.com/modelcontextprotocol/":   {"almanac/tools", "almanac/mcpserver"},
	"gopkg.in/macaroon.v2":               l402Packages,
	"github.com/lightningnetwork/lnd":    l402Packages,
	"modernc.org/sqlite":                 {"almanac/l402/ledger"},
	"github.com/jackc/pgx/":              {"almanac/l402/ledger"},
	"almanac/fixtures":                   {"almanac/cmd/almanac"},
	"github.com/yuin/goldmark":           {"almanac/httpmirror"},
	"github.com/microcosm-cc/bluemonday": {"almanac/httpmirror"},
}

func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "almanac/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	dec := json.NewDecoder(strings.NewReader(string(out)))
	seen := 0
	for {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		seen++
		checkImports(t, p.ImportPath, p.Imports)
	}
	if seen < len(houses)/2 {
		t.Errorf("go list gave %d packages; the table has %d", seen, len(houses))
	}
}

func checkImports(t *testing.T, path string, imports []string) {
	allowed, ok := houses[path]
	if !ok {
		t.Errorf("%s is not in the table of the house: give it a layer", path)
		return
	}
	for _, imp := range imports {
		if ours, ok := strings.CutPrefix(imp, "almanac/"); ok && !slices.Contains(allowed, ours) && !slices.Contains(allowed, "*") {
			t.Errorf("%s imports %s; the table allows it %v", path, imp, allowed)
		}
		for prefix, may := range guarded {
			if strings.HasPrefix(imp, prefix) && !slices.Contains(may, path) {
				t.Errorf("%s imports %s; only %v may", path, imp, may)
			}
		}
	}
}
