package httpmirror

import (
	"os"
	"strings"
	"testing"

	"almanac/catalog"
	"almanac/catalog/load"
)

// A finding of the link checker is on the page with its entry, its status and its line; one about an address that the library no longer lists is not.
func TestLinksPage(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/small")); err != nil {
		t.Fatal(err)
	}
	opts := catalog.Options{Site: catalog.DefaultSite}
	before, err := load.Load(os.DirFS(dir), opts)
	if err != nil {
		t.Fatal(err)
	}
	e := before.Entries()[0]
	report := &catalog.LinkReport{CheckedAt: "2026-11-21T10:00:00Z", Links: 7, Answered: 6, Findings: []catalog.LinkFinding{
		{ID: e.ID, URL: e.URL, Kind: "status", Status: 410, Detail: "410 Gone <b>", FinalURL: e.URL, CheckedAt: "2026-11-21T09:59:00Z"},
		{ID: "long-gone", URL: "https://example.org/", Kind: "dns", Detail: "no such host", FinalURL: "https://example.org/", CheckedAt: "2026-11-21T09:59:00Z"},
	}}
	if err := os.WriteFile(dir+"/"+load.LinkReportFile, load.EncodeLinkReport(report), 0o644); err != nil {
		t.Fatal(err)
	}
	cat, err := load.Load(os.DirFS(dir), opts)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Build(cat, Options{})
	if err != nil {
		t.Fatal(err)
	}
	file, ok := m.File(catalog.LinksPath)
	if !ok {
		t.Fatal("there is no page")
	}
	text := string(file.Body)
	for _, want := range []string{"2026-11-21T10:00:00Z", "7 links, 6 answered", catalog.EntryPath(e.ID), "410", "answers with an error status: 410 Gone &lt;b&gt;"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(text, "no such host") {
		t.Error("the page tells of an address that the library does not list")
	}
}
