package sources

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"almanac/catalog"
	"almanac/catalog/load"
)

// Write writes into the evidence below dir the day on which each quoted section was seen unchanged, and returns the number of files it
// changed. It writes no verified_at: that is the day of a reading, and a machine does not read.
func Write(dir string, cat *catalog.Catalog, findings []Finding) (int, error) {
	type reading struct{ record, member, source, quote string }
	seen := make(map[reading]catalog.Date)
	for _, f := range findings {
		if f.Claim.Quote != "" && (f.Verdict == Stands || f.Verdict == Superseded) {
			seen[reading{f.Claim.Record, f.Claim.Member, f.Claim.Source, f.Claim.Quote}] = catalog.DateOf(f.Read)
		}
	}
	changed := 0
	for _, id := range cat.EvidenceIDs() {
		fresh := false
		mark := func(e *catalog.EvidenceRecord) {
			for _, m := range e.Members {
				for i := range m.Readings {
					r := &m.Readings[i]
					day, ok := seen[reading{e.Record, m.Member, current(r.URL), r.Quote}]
					if ok && r.Holds && day >= r.ReadAt && (r.SeenAt == nil || day > *r.SeenAt) {
						r.SeenAt, fresh = &day, true
					}
				}
			}
		}
		path := load.EvidenceFile(id)
		name := filepath.Join(dir, filepath.FromSlash(path))
		data, err := os.ReadFile(name)
		if err == nil {
			data, err = load.EditEvidence(path, data, mark)
		}
		if err == nil && fresh {
			changed++
			err = renameio.WriteFile(name, data, 0o644, renameio.WithExistingPermissions())
		}
		if err != nil {
			return changed, fmt.Errorf("write the day on which %s was seen: %w", path, err)
		}
	}
	return changed, nil
}
