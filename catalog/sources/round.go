package sources

import (
	"context"
	"io"
	"os"

	"almanac/catalog"
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
