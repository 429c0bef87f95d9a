package sources

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"almanac/catalog/links"
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
	journal, err := links.OpenJournal[found](r.Journal, c.Clock().Add(-links.JournalAge))
	if err != nil {
		return Report{}, err
	}
	asks, list := questions(r.Claims)
	for _, s := range r.Signals {
		if asks[s.address] == nil {
			asks[s.address] = &ask{}
			list = append(list, s.address)
		}
		asks[s.address].signals = append(asks[s.address].signals, s)
	}
	var left []links.Link
	for _, a := range list {
		if _, ok := journal.Done[a]; !ok {
			left = append(left, links.Link{ID: a, URL: a})
		}
	}
	var journalErr error
	stopped := c.ReadAll(ctx, left, maxBody, func(p links.Page) {
		f := look(p, asks[p.URL])
		journalErr = cmp.Or(journalErr, journal.Add(f)) // a full disk is one error
		fmt.Fprintf(r.Progress, "%d of %d %s\n", len(journal.Done), len(list), p.URL)
	})
	if journalErr != nil {
		return Report{}, errors.Join(journalErr, journal.Close())
	}
	if stopped != nil {
		return Report{}, errors.Join(fmt.Errorf("interrupted after %d of %d addresses; run the same command to resume: %w",
			len(journal.Done), len(list), stopped), journal.Close())
	}
	report := r.judge(journal.Done)
	if r.State != nil {
		if err := r.State.save(); err != nil {
			return Report{}, errors.Join(err, journal.Close())
		}
	}
	return report, journal.Remove()
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
		now := done[s.address].Signals[s.Kind]
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

// questions returns the asks by address, and the addresses in the order of the claims.
func questions(claims []Claim) (asks map[string]*ask, addresses []string) {
	asks = make(map[string]*ask)
	at := func(address string) *ask {
		if asks[address] == nil {
			asks[address], addresses = &ask{}, append(addresses, address)
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
			a := at(v.list)
			a.versions = append(a.versions, v)
		}
	}
	return asks, addresses
}
