package sources

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/google/renameio/v2"

	"almanac/catalog"
	"almanac/catalog/load"
	"almanac/wirejson"
)

// A State remembers, from round to round, the sections of sources and the values of signals. It shows a change of a
// source that has no pinned text.
type State struct {
	path    string
	Seen    map[string]sighting `json:"sections"` // by Claim.key
	Signals map[string]string   `json:"signals"`  // by address
}

type sighting struct {
	Day catalog.Date `json:"seen_at"`
	section
}

// OpenState reads the state in a file, which need not exist yet.
func OpenState(path string) (*State, error) {
	s := &State{path: path, Seen: make(map[string]sighting), Signals: make(map[string]string)}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		err = json.Unmarshal(data, s)
	}
	if err != nil {
		return nil, fmt.Errorf("read the sections that were seen: %w; restore %s, or remove it to begin anew", err, path)
	}
	return s, nil
}

// remembered returns the section that an earlier round saw for a claim. A reading of a later day starts anew: somebody
// has read the section since.
func (s *State) remembered(c Claim) *section {
	if s == nil {
		return nil
	}
	seen, ok := s.Seen[c.key()]
	if !ok || c.ReadAt > seen.Day {
		return nil
	}
	return &seen.section
}

// remember notes the sections of a round. The section of a changed claim stays the one that was remembered, until
// somebody has read it; claims that no record makes any more are forgotten.
func (s *State) remember(findings []Finding) {
	next := make(map[string]sighting)
	for _, f := range findings {
		key := f.Claim.key()
		old, known := s.Seen[key]
		switch {
		case f.Claim.Quote == "":
		case f.Verdict == Stands || f.Verdict == Moved || f.Verdict == Superseded:
			next[key] = sighting{catalog.DateOf(f.Read), f.section}
		case known:
			next[key] = old
		}
	}
	s.Seen = next
}

func (s *State) save() error {
	data, err := wirejson.Indent(s)
	if err == nil {
		err = renameio.WriteFile(s.path, data, 0o644)
	}
	if err != nil {
		return fmt.Errorf("remember the sections that were seen: %w", err)
	}
	return nil
}

// Write writes into the evidence below dir the day on which each quoted section was seen unchanged, and returns the
// number of files it changed. It writes no verified_at: that is the day of a reading, and a machine does not read.
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
		err := load.Edit(dir, load.EvidenceFile(id), func(e *catalog.EvidenceRecord) (fresh bool) {
			for _, m := range e.Members {
				for i := range m.Readings {
					r := &m.Readings[i]
					day, ok := seen[reading{e.Record, m.Member, current(r.URL), r.Quote}]
					if ok && r.Holds && day >= r.ReadAt && (r.SeenAt == nil || day > *r.SeenAt) {
						r.SeenAt, fresh = &day, true
					}
				}
			}
			if fresh {
				changed++
			}
			return fresh
		})
		if err != nil {
			return changed, fmt.Errorf("write the day on which the sources of %s were seen: %w", id, err)
		}
	}
	return changed, nil
}
