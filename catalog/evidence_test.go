package catalog_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.almanac.example/catalog"
)

// TestEveryFactHasEvidence: each fact that is stated has a reading on which it rests, of a text that has a permanent address; and
// what its source says now is among what was read.
func TestEveryFactHasEvidence(t *testing.T) {
	c := realCatalog(t)
	facts, contradicted := 0, 0
	for _, p := range c.Protocols().Protocols {
		e, ok := c.Evidence(catalog.HistoryPathID("protocol:" + p.ID))
		if !ok {
			t.Errorf("%s has no evidence", p.ID)
			continue
		}
		for _, f := range p.Facts() {
			if f.Value == nil {
				continue
			}
			facts++
			m, ok := e.Member(f.Name)
			if !ok {
				t.Errorf("%s.%s has no evidence", p.ID, f.Name)
				continue
			}
			if slices.ContainsFunc(m.Readings, func(r catalog.SourceReading) bool { return !r.Holds }) {
				contradicted++
			}
			if r := m.Readings[0]; r.ReadAt < f.VerifiedAt {
				t.Errorf("%s.%s was verified on %s, and its evidence was read on %s", p.ID, f.Name, f.VerifiedAt, r.ReadAt)
			}
			if strings.Contains(f.Source, "/blob/") && !slices.ContainsFunc(m.Readings, func(r catalog.SourceReading) bool { return r.Holds && r.URL == f.Source }) {
				t.Errorf("%s.%s cites %s, and its evidence %s", p.ID, f.Name, f.Source, m.Readings[0].URL)
			}
		}
	}
	t.Logf("%d facts have evidence, %d of them are contradicted by another text; %d records have evidence", facts, contradicted, len(c.EvidenceIDs()))
}

// TestQuotes finds each quote in the copy that was read. The copies belong to their publishers and are not kept here:
// ALMANAC_COPIES names a folder with one file for each, named by its SHA-256.
func TestQuotes(t *testing.T) {
	dir := os.Getenv("ALMANAC_COPIES")
	if dir == "" {
		t.Skip("the copies that were read are not kept here; ALMANAC_COPIES=DIR names a folder of them, each named by its SHA-256")
	}
	c := realCatalog(t)
	found, unhashed := 0, 0
	for _, id := range c.EvidenceIDs() {
		e, _ := c.Evidence(id)
		for _, m := range e.Members {
			for _, r := range m.Readings {
				if r.SHA256 == nil {
					unhashed++
					continue
				}
				text, err := os.ReadFile(filepath.Join(dir, *r.SHA256))
				if errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%s.%s: no copy of %s", e.Record, m.Member, r.URL)
					continue
				} else if err != nil {
					t.Fatal(err)
				}
				if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != *r.SHA256 {
					t.Errorf("%s.%s: the copy of %s has another hash than its name", e.Record, m.Member, r.URL)
				}
				if !strings.Contains(spaced(string(text)), spaced(r.Quote)) {
					t.Errorf("%s.%s: %s does not have %q", e.Record, m.Member, r.URL, r.Quote)
				}
				found++
			}
		}
	}
	t.Logf("%d quotes looked for in their copies; %d readings have no hash, because only parts of a stored copy were seen", found, unhashed)
}

// spaced returns a text with single spaces, since sources break their lines where they like.
func spaced(s string) string { return strings.Join(strings.Fields(s), " ") }
