package sources

import (
	"os"
	"strings"
	"testing"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/load"
)

// TestClaims: every quote of the data is looked for, at the current address of its source and where it was read, and those of earlier
// versions only there; every entry and every fact has a claim at the address that it cites, and every fact has a quote.
func TestClaims(t *testing.T) {
	cat, err := load.Load(os.DirFS("../../fixtures"), catalog.Options{Site: catalog.DefaultSite})
	if err != nil {
		t.Fatal(err)
	}
	own, quoted, quotes := make(map[string]bool), make(map[string]bool), 0
	for _, c := range Claims(cat) {
		own[c.Name()] = own[c.Name()] || c.Own
		own[c.Record] = own[c.Record] || c.Own
		if c.Quote != "" {
			quotes++
			quoted[c.Name()] = true
		}
		if atCommit.MatchString(c.Source) != strings.Contains(c.Member, "@") {
			t.Errorf("%s: %s does not move, so that nothing newer is found there", c.Name(), c.Source)
		}
		if strings.Contains(c.Source, "/HEAD/") && c.Quote != "" && c.Pinned == "" {
			t.Errorf("%s: the text that was read is not looked at", c.Name())
		}
	}
	readings := 0
	for _, e := range cat.Entries() {
		for _, s := range cat.Statements(e.ID) {
			for _, r := range s.Readings {
				if r.Holds {
					readings++
				}
			}
		}
	}
	for _, p := range cat.Profiles() {
		for _, f := range p.Fields() {
			if f.Value != nil {
				readings++
			}
		}
		readings += len(p.Events)
		for _, d := range p.Disagreements {
			readings += len(d.Evidence)
		}
		if flow, ok := cat.Flow(p.ID); ok {
			readings += len(flow.Steps)
		}
	}
	for _, id := range cat.EvidenceIDs() {
		e, _ := cat.Evidence(id)
		for _, m := range e.Members {
			for _, r := range m.Readings {
				if strings.Contains(m.Member, "@") && r.Commit() == "" {
					t.Errorf("%s of %s: the text of an earlier version is not read at a commit, so that it can change unseen", m.Member, id)
				}
				if r.Holds {
					readings++
				}
			}
		}
	}
	if quotes != readings || readings < 700 {
		t.Errorf("%d quotes are looked for, the records have %d", quotes, readings)
	}
	facts := 0
	for _, p := range cat.Protocols().Protocols {
		for _, f := range p.Facts() {
			if f.Value == nil {
				continue
			}
			facts++
			if name := "protocol:" + p.ID + " " + f.Name; !own[name] || !quoted[name] {
				t.Errorf("%s: at its own address %v, with a quote %v", name, own[name], quoted[name])
			}
		}
	}
	for _, e := range cat.Entries() {
		if !own[e.ID] {
			t.Errorf("%s has no claim at its address", e.ID)
		}
	}
	t.Logf("%d entries and %d facts, %d quotes", len(cat.Entries()), facts, quotes)
}
