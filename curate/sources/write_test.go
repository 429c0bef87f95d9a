package sources

import (
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/load"
	"go.almanac.example/internal/parttest"
)

// TestWrite: a machine writes only seen_at of evidence, for sections that it saw unchanged. It writes no verified_at, changes no other
// member of any file, and moves no day back.
func TestWrite(t *testing.T) {
	dir := parttest.TempDir(t)
	if err := os.CopyFS(dir, os.DirFS("../../fixtures")); err != nil {
		t.Fatal(err)
	}
	cat := loaded(t, dir)
	var findings []Finding
	verdicts := []string{Stands, Superseded, Moved, Changed, Gone, Unread}
	want := 0
	for _, c := range Claims(cat) {
		if e, ok := cat.Evidence(catalog.HistoryPathID(c.Record)); !ok || c.Quote == "" || len(e.Members) == 0 {
			continue
		}
		v := verdicts[len(findings)%len(verdicts)]
		if v == Stands || v == Superseded {
			want++
		}
		findings = append(findings, Finding{Claim: c, Verdict: v, Read: day})
	}
	if _, err := Write(dir, cat, findings); err != nil {
		t.Fatal(err)
	}
	after := loaded(t, dir)
	if diff := cmp.Diff(cat.Entries(), after.Entries()); diff != "" {
		t.Errorf("entries changed:\n%s", diff)
	}
	if diff := cmp.Diff(cat.Protocols(), after.Protocols()); diff != "" {
		t.Errorf("facts changed:\n%s", diff)
	}
	seen := 0
	for _, id := range after.EvidenceIDs() {
		before, _ := cat.Evidence(id)
		e, _ := after.Evidence(id)
		for i, m := range e.Members {
			for j, r := range m.Readings {
				if r.SeenAt != nil {
					if *r.SeenAt != catalog.DateOf(day) || !r.Holds {
						t.Errorf("%s %s: seen at %s, want %s", e.Record, m.Member, *r.SeenAt, catalog.DateOf(day))
					}
					seen++
					r.SeenAt = nil
				}
				if diff := cmp.Diff(before.Members[i].Readings[j], r); diff != "" {
					t.Errorf("%s %s changed:\n%s", e.Record, m.Member, diff)
				}
			}
		}
	}
	if seen == 0 || seen > want {
		t.Errorf("%d readings were seen, want up to %d", seen, want)
	}
	for i := range findings {
		findings[i].Read = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	if n, err := Write(dir, after, findings); err != nil || n != 0 {
		t.Errorf("an older round changed %d files: %v", n, err)
	}
}

func loaded(t *testing.T, dir string) *catalog.Catalog {
	t.Helper()
	cat, err := load.Load(os.DirFS(dir), catalog.Options{Site: catalog.DefaultSite})
	if err != nil {
		t.Fatal(err)
	}
	return cat
}
