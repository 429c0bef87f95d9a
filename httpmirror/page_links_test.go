package httpmirror

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/catalogtest"
	"go.almanac.example/catalog/load"
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
		t.Error("the page mentions an address that the library does not list")
	}
}

// TestNoLinkCheckSaidSo: while no link check has run in this installation, no form of an entry says that its link was checked on
// a day; after one, those that answered have day and status.
func TestNoLinkCheckSaidSo(t *testing.T) {
	checked := catalogtest.Files(t, "../fixtures", nil)
	data := checked[mqttFile].Data
	checked[mqttFile].Data = regexp.MustCompile(`"last_checked": "[^"]*"`).ReplaceAll(bytes.Replace(data, []byte(`"http_status": 0`), []byte(`"http_status": 200`), 1),
		[]byte(`"last_checked": "2026-12-02"`))
	c, err := load.Load(checked, catalog.Options{Site: catalog.DefaultSite})
	if err != nil {
		t.Fatal(err)
	}
	after, err := Build(c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	before := mirrorOf(t)
	for _, path := range []string{catalog.EntryPath("mqtt-5"), catalog.MarkdownPath(catalog.EntryPath("mqtt-5"))} {
		f, _ := before.File(path)
		g, _ := after.File(path)
		text, then := string(f.Body), string(g.Body)
		if strings.Contains(text, "Link last checked") {
			t.Errorf("%s says that its link was checked:\n%s", path, text)
		}
		if !strings.Contains(then, "Link last checked") || !strings.Contains(then, "2026-12-02") {
			t.Errorf("%s does not say when the link was checked:\n%s", path, then)
		}
	}
}
