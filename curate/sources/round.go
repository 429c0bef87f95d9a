package sources

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/load"
	"go.almanac.example/curate/links"
)

// maxBody is the number of bytes read of a source, which also bounds the size of a compressed one.
const maxBody = 8 << 20

// A Round is one reading of the sources of some claims.
type Round struct {
	Claims   []Claim
	Signals  []Signal
	State    *State // of earlier rounds
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
	asks, list := questions(r.Claims, r.State.unsettled(r.Signals))
	r.State.asks = asks
	readAddress := func(ctx context.Context, a catalog.Address, attempts int) found {
		return look(c.Read(ctx, a, maxBody, attempts), asks[a.URL])
	}
	done, err := links.RunRound(ctx, c, r.Journal, list, r.Progress, readAddress)
	if err != nil {
		return Report{}, err
	}
	report := r.judge(done)
	if err := r.State.save(); err != nil {
		return Report{}, err
	}
	return report, os.Remove(r.Journal)
}

// judge compares the results of a round with the state of earlier rounds, and updates the state.
func (r Round) judge(done map[string]found) Report {
	r.State.recall(done)
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
	for _, s := range r.Signals {
		now := done[s.address].Values[s.Kind]
		if s.Kind == Pin && done[s.address].Status == http.StatusNotFound {
			now = pinUnknown
		}
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
					day, ok := seen[reading{e.Record, m.Member, sourceOf(m.Member, r.URL), r.Quote}]
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
