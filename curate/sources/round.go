package sources

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/google/renameio/v2"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/load"
	"go.almanac.example/curate/links"
	"go.almanac.example/internal/wirejson"
)

// maxBody is the number of bytes read of a source, which also bounds the size of a compressed one.
const maxBody = 8 << 20

// A Round is one reading of the sources of some claims.
type Round struct {
	Claims   []Claim
	Signals  []Signal
	State    *State // of earlier rounds; nil for none
	Journal  string // file that records the round while it lasts
	Progress io.Writer
}

// A Report is the result of a round.
type Report struct {
	Findings []Finding // one for each claim, in their order
	News     []News
}

// Run reads every address of the claims and signals once, and saves the state. When ctx ends it early, the journal
// stays, and the next Run resumes.
func (r Round) Run(ctx context.Context, c *links.Checker) (Report, error) {
	asks, list := questions(r.Claims, r.Signals)
	readAddress := func(ctx context.Context, a catalog.Address, attempts int) found {
		return look(c.Read(ctx, a, maxBody, attempts), asks[a.URL])
	}
	done, err := links.RunRound(ctx, c, r.Journal, list, r.Progress, readAddress)
	if err != nil {
		return Report{}, err
	}
	report := r.judge(done)
	if r.State != nil {
		if err := r.State.save(); err != nil {
			return Report{}, err
		}
	}
	return report, os.Remove(r.Journal)
}

// judge compares the results of a round with the state of earlier rounds, and updates the state.
func (r Round) judge(done map[string]found) Report {
	read := func(address string) *found {
		if f, ok := done[address]; ok {
			return &f
		}
		return nil
	}
	report := Report{Findings: make([]Finding, len(r.Claims))}
	for i, claim := range r.Claims {
		report.Findings[i] = judge(claim, read, r.State.remembered(claim))
	}
	if r.State == nil {
		return report
	}
	for _, s := range r.Signals {
		now := done[s.address].Values[s.Kind]
		if news, ok := s.compare(r.State.Signals[s.address], now); ok {
			report.News = append(report.News, news)
		}
		if now != "" {
			r.State.Signals[s.address] = now
		}
	}
	r.State.remember(report.Findings)
	return report
}

// questions returns the asks by address, and the addresses in the order of the claims and signals.
func questions(claims []Claim, signals []Signal) (asks map[string]*ask, list []catalog.Address) {
	asks = make(map[string]*ask)
	at := func(address string) *ask {
		if asks[address] == nil {
			asks[address] = &ask{values: make(map[string]func(links.Page) string)}
			list = append(list, catalog.Address{URL: address})
		}
		return asks[address]
	}
	for _, c := range claims {
		for _, address := range []string{c.Source, c.Pinned} {
			if address == "" {
				continue
			}
			a := at(readable(address))
			if c.Quote != "" {
				a.quotes = append(a.quotes, c.Quote)
			}
		}
		if v, ok := versionsOf(c.Source); ok {
			at(v.list).values[v.current] = v.newest
		}
	}
	for _, s := range signals {
		at(s.address).values[s.Kind] = s.value
	}
	return asks, list
}

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
		return nil, fmt.Errorf("read the sections that were seen: %w; restore %s, or remove it to begin again", err, path)
	}
	return s, nil
}

// remembered returns the section that an earlier round saw for a claim. A reading of a later day starts again: somebody
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
