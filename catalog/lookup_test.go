package catalog_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/load"
)

// What was found by one way is found by the others.
func TestLookUps(t *testing.T) {
	c := realCatalog(t)
	for _, e := range c.Entries() {
		if byID, ok := c.Entry(e.ID); !ok || byID != e {
			t.Errorf("%s: the look-up returns another entry", e.ID)
		}
		if load.EntryFile(e) != "library/"+e.Category+"/"+e.ID+".json" {
			t.Errorf("%s: file %s", e.ID, load.EntryFile(e))
		}
	}
	for _, p := range c.Protocols().Protocols {
		if got, _ := c.Protocol(p.ID); got != p || p.VerifiedAt() == "" {
			t.Errorf("%s: look-up returns another protocol, or no fact is dated", p.ID)
		}
	}
	_, a := c.Entry("nosuch")
	_, d := c.Category("nosuch")
	_, e := c.Tag("nosuch")
	_, g := c.Protocol("nosuch")
	_, h := c.Article("nosuch")
	_, i := c.Dataset("nosuch")
	if a || d || e || g || h || i {
		t.Error("something that does not exist is found")
	}
}

// Payments are live, or the support document does not speak of them; nothing else changes.
func TestWithPayments(t *testing.T) {
	c := realCatalog(t)
	for p, live := range map[catalog.Payments]bool{catalog.PaymentsOff: false, catalog.PaymentsDown: false, catalog.PaymentsLive: true} {
		d := c.WithPayments(p)
		if got := d.Support().PaidAPI; (got != nil) != live || d.Payments() != p {
			t.Errorf("payments %v: paid_api is %v", p, got)
		}
		if d.Entries()[0] != c.Entries()[0] {
			t.Error("the records are not shared")
		}
	}
	if c.Payments() != catalog.PaymentsOff {
		t.Error("the catalog itself changed")
	}
}

// The link checker's report is published as far as it speaks of what the library lists.
func TestLinkDocument(t *testing.T) {
	e, _ := realCatalog(t).Entry("mqtt-5")
	finding := catalog.LinkFinding{ID: e.ID, URL: e.URL, Kind: "dns", Detail: "no such host", FinalURL: e.URL, CheckedAt: "2026-11-21T12:00:00Z"}
	moved := finding
	moved.ID, moved.URL = "bolt-11-invoices", "https://example.org/before"
	report := &catalog.LinkReport{CheckedAt: "2026-11-21T12:00:00Z", Links: 185, Answered: 184, Findings: []catalog.LinkFinding{moved, finding}}
	c := loadWith(t, map[string][]byte{load.LinkReportFile: load.EncodeLinkReport(report)})
	doc := c.LinkDocument()
	if doc.Count != 1 || doc.CheckedAt == nil || doc.Links != 185 || doc.Answered != 184 {
		t.Errorf("%+v", doc)
	}
	if diff := cmp.Diff([]catalog.LinkFinding{finding}, doc.Entries); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	if err := resolvedSchemas(t, c)["links"].Validate(plainJSON(t, doc)); err != nil {
		t.Error(err)
	}
}
