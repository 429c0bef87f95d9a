package catalog

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestSiteCheck(t *testing.T) {
	for url, want := range map[string]string{
		"https://almanac.example":   "",
		"http://localhost:8402":     "",
		"https://almanac.example/":  "carries more than scheme and host; remove what follows the host",
		"https://almanac.example/x": "carries more than scheme and host",
		"https://almanac.example?q": "carries more than scheme and host",
		"https://me@almanac":        "carries more than scheme and host",
		"almanac.example":           "give scheme and host",
		"ftp://almanac.example":     "give scheme and host",
		"https://":                  "give scheme and host",
		"":                          "give scheme and host",
	} {
		wantError(t, Site{url, "https://api.example", "https://mcp.example"}.Check(), want)
		wantError(t, Site{"https://base.example", "https://api.example", url}.Check(), want)
	}
	if _, err := Load(os.DirFS("../fixtures"), Options{}); err == nil {
		t.Error("loads for no site")
	}
}

// What was found by one way is found by the others.
func TestLookUps(t *testing.T) {
	c := realCatalog(t)
	for _, e := range c.Entries() {
		byURL, ok := c.EntryByURL(e.URL)
		byID, _ := c.Entry(e.ID)
		if !ok || byURL != e || byID != e {
			t.Errorf("%s: the look-ups give other entries", e.ID)
		}
		if EntryFile(e) != "library/"+e.Category+"/"+e.ID+".json" {
			t.Errorf("%s: file %s", e.ID, EntryFile(e))
		}
	}
	for _, p := range c.Protocols().Protocols {
		if got, _ := c.Protocol(p.ID); got != p || p.VerifiedAt() == "" {
			t.Errorf("%s: look-up gives another protocol, or no fact is dated", p.ID)
		}
	}
	_, a := c.Entry("nosuch")
	_, b := c.EntryByURL("https://nosuch.example/")
	_, d := c.Category("nosuch")
	_, e := c.CategoryList("nosuch")
	_, f := c.TagList("nosuch")
	_, g := c.Protocol("nosuch")
	_, h := c.Article("nosuch")
	_, i := c.Dataset("nosuch")
	if a || b || d || e || f || g || h || i {
		t.Error("something that does not exist is found")
	}
}

// Payments are live, or the support document does not speak of them; nothing else changes.
func TestWithPayments(t *testing.T) {
	c := realCatalog(t)
	for p, live := range map[Payments]bool{PaymentsOff: false, PaymentsDown: false, PaymentsLive: true} {
		d := c.WithPayments(p)
		if got := d.Support().PaidAPI; (got != nil) != live || d.Payments() != p {
			t.Errorf("payments %v: paid_api is %v", p, got)
		}
		if d.Entries()[0] != c.Entries()[0] {
			t.Error("the records are not shared")
		}
	}
	if c.Payments() != PaymentsOff {
		t.Error("the catalog itself changed")
	}
}

func TestDates(t *testing.T) {
	for s, ok := range map[string]bool{
		"2026-11-21": true, "2024-02-29": true, "2026-02-29": false, "2026-02-30": false, "2026-13-01": false,
		"2026-11-1": false, "26-11-21": false, "2026-11-21T00:00:00Z": false, "": false, "today": false,
	} {
		if d, err := ParseDate(s); (err == nil) != ok || ok && string(d) != s {
			t.Errorf("%q: %q, %v", s, d, err)
		}
	}
	late := time.Date(2026, 11, 21, 23, 30, 0, 0, time.FixedZone("", -3600))
	if got := DateOf(late); got != "2026-11-22" {
		t.Errorf("the day of %v is %s, want the day in UTC", late, got)
	}
	if got := Date("2026-11-21").Time(); !got.Equal(time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("time of a date: %v", got)
	}
	if !Date("nonsense").Time().IsZero() {
		t.Error("what is no date has a time")
	}
}

// A rewrite gives the canonical bytes of what is only out of form, and leaves alone what is wrong.
func TestRewrite(t *testing.T) {
	files, err := Rewrite(os.DirFS("../fixtures"))
	if err != nil || len(files) != 0 {
		t.Fatalf("the fixtures would be rewritten: %d files, %v", len(files), err)
	}
	spaced := replace(t, mqtt, `"authors":`, `"authors"   :`)
	wrong := replace(t, bolt12, `"title":`, `"titel":`)
	twice := replace(t, bolt11, `"authors":`, `"authors": [],`+"\n"+`  "authors":`)
	files, err = Rewrite(overlay(t, map[string][]byte{mqtt: spaced, bolt12: wrong, bolt11: twice}))
	var faults Faults
	if !errors.As(err, &faults) || !reported(faults, bolt12, `"titel" is not known`) || !reported(faults, bolt11, "stands twice") {
		t.Errorf("faults: %v", err)
	}
	if len(files) != 1 || string(files[mqtt]) != string(content(t, mqtt, "", "")) {
		t.Errorf("%d files are rewritten; %s as\n%s", len(files), mqtt, files[mqtt])
	}
}

// The link checker's report is published as far as it speaks of what the library lists.
func TestLinkDocument(t *testing.T) {
	e, _ := realCatalog(t).Entry("mqtt-5")
	finding := LinkFinding{ID: e.ID, URL: e.URL, Kind: "dns", Detail: "no such host", FinalURL: e.URL, CheckedAt: "2026-11-21T12:00:00Z"}
	moved := finding
	moved.ID, moved.URL = "bolt-11-invoices", "https://example.org/before"
	report := &LinkReport{CheckedAt: "2026-11-21T12:00:00Z", Links: 185, Answered: 184, Findings: []LinkFinding{moved, finding}}
	c := loadOverlay(t, map[string][]byte{LinkReportFile: report.Encode()})
	doc := c.LinkDocument()
	if doc.Count != 1 || doc.CheckedAt == nil || doc.Links != 185 || doc.Answered != 184 {
		t.Errorf("%+v", doc)
	}
	if diff := cmp.Diff([]LinkFinding{finding}, doc.Entries); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	if err := resolvedSchemas(t, c)["links"].Validate(plainJSON(t, doc)); err != nil {
		t.Error(err)
	}
}

// An edit keeps the rest of the file as it is, and does not touch a file that has faults.
func TestEditEntry(t *testing.T) {
	data := content(t, mqtt, "", "")
	edited, err := EditEntry(mqtt, data, func(e *Entry) { e.HTTPStatus = 200 })
	if want := replace(t, mqtt, `"http_status": 0`, `"http_status": 200`); err != nil || string(edited) != string(want) {
		t.Errorf("%v\n%s", err, edited)
	}
	if _, err := EditEntry(mqtt, append(data, ' '), func(*Entry) {}); err == nil {
		t.Error("a file with a fault is edited")
	}
}
