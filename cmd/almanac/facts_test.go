package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.almanac.example/catalog/load"
	"go.almanac.example/curate/sources"
	"go.almanac.example/server/servertest"
)

// TestCheckFacts runs the command over all entries and facts with every address led to this machine: it says who asks,
// asks for each address, and fails when one is gone. Without a quote, nothing says that somebody's words still stand,
// so that -w writes nothing.
func TestCheckFacts(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if want := "almanac-link-checker/1.0 (+https://example.org/bot/)"; r.UserAgent() != want {
			t.Errorf("user agent %q, want %q", r.UserAgent(), want)
		}
		if strings.HasSuffix(r.URL.Path, "/lorawan-l2-1-0-4") {
			w.WriteHeader(http.StatusGone)
		}
	}))
	defer srv.Close()
	dir := servertest.CopyFixtures(t)
	for _, e := range mustLoad(t, dir).Entries() {
		servertest.Edit(t, dir, load.EntryFile(e), fmt.Sprintf("%q", e.URL), fmt.Sprintf("%q", srv.URL+"/"+e.ID))
	}
	standInOthers(t, dir, srv.URL)
	standInEvidence(t, dir, srv.URL)
	_, before, err := loadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"check", "-facts", "-w", "-base-url", "https://example.org", "-pace", "0s", "-allow-private", "-journal", filepath.Join(t.TempDir(), "journal"),
		"-state", filepath.Join(t.TempDir(), "state"), dir}
	status, stdout, stderr := almanac(args...)
	if want := "gone       lorawan-l2-1-0-4 summary " + srv.URL + "/lorawan-l2-1-0-4: 410 Gone\n"; status != 1 || !strings.Contains(stdout, want) || !strings.Contains(stdout, "0 evidence files have a new seen_at") {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
	_, after, err := loadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := load.CheckHistory(before, after, ""); err != nil {
		t.Errorf("records were written: %v", err)
	}
}

// TestStaleReport: the report for the curator has the records that may be stale, those with the most questions first,
// with the reason and the page to read.
func TestStaleReport(t *testing.T) {
	cat := mustLoad(t, "../../fixtures")
	claim := func(record string) sources.Claim {
		return sources.Claim{Record: record, Member: "summary", Quote: "q", Source: "https://example.org/" + record}
	}
	report := sources.Report{Findings: []sources.Finding{
		{Claim: claim("openthread"), Verdict: sources.Changed, Detail: "was \"a\", is \"b\""},
		{Claim: claim("lorawan-l2-1-0-4"), Verdict: sources.Stands},
		{Claim: claim("lnd"), Verdict: sources.Unread},
		{Claim: claim("profile:l402"), Verdict: sources.Gone, Detail: "404 Not Found"},
	}}
	read := func(name string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := writeStale(path, cat, report); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	got := read("stale.md")
	want := "# What may be stale\n\n2 records may be stale. The most asked for come first.\n" +
		"\n## profile:l402\n\n- summary, **gone**: 404 Not Found. Read <https://example.org/profile:l402>.\n" +
		"\n## openthread\n\n- summary, **changed**: was \"a\", is \"b\". Read <https://example.org/openthread>.\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
