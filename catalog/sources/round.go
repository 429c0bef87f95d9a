package sources

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"almanac/catalog/links"
)

// maxBody is how much of a source is read, which also bounds what a compressed one can grow to.
const maxBody = 8 << 20

// A Round is one reading of the sources of some claims.
type Round struct {
	Claims   []Claim
	Journal  string // file that keeps the round while it lasts
	Progress io.Writer
}

// Run reads every address of the claims once, and returns what it found about each claim in their order. When ctx ends it early, the
// journal stays, and the next Run resumes with what is left.
func (r Round) Run(ctx context.Context, c *links.Checker) ([]Finding, error) {
	journal, err := links.OpenJournal[found](r.Journal, c.Now().Add(-links.JournalAge))
	if err != nil {
		return nil, err
	}
	asks := questions(r.Claims)
	var left []links.Link
	for _, a := range addresses(r.Claims) {
		if _, ok := journal.Done[a]; !ok {
			left = append(left, links.Link{ID: a, URL: a})
		}
	}
	total := len(asks)
	var journalErr error
	stopped := c.ReadAll(ctx, left, maxBody, func(p links.Page) {
		f := look(p, asks[p.URL])
		journalErr = cmp.Or(journalErr, journal.Add(f)) // a full disk is one error
		fmt.Fprintf(r.Progress, "%d of %d %s\n", len(journal.Done), total, p.URL)
	})
	if journalErr != nil {
		return nil, errors.Join(journalErr, journal.Close())
	}
	if stopped != nil {
		return nil, errors.Join(fmt.Errorf("interrupted after %d of %d addresses; run the same command to resume: %w", len(journal.Done), total, stopped), journal.Close())
	}
	findings := make([]Finding, len(r.Claims))
	for i, claim := range r.Claims {
		findings[i] = judge(claim, func(address string) *found {
			if f, ok := journal.Done[address]; ok {
				return &f
			}
			return nil
		})
	}
	return findings, journal.Remove()
}

// questions returns what is looked for at each address.
func questions(claims []Claim) map[string]*ask {
	asks := make(map[string]*ask)
	at := func(address string) *ask {
		if asks[address] == nil {
			asks[address] = &ask{}
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
	return asks
}

// addresses returns the addresses of claims in their order, each once.
func addresses(claims []Claim) []string {
	var list []string
	seen := make(map[string]bool)
	add := func(address string) {
		if address != "" && !seen[address] {
			seen[address] = true
			list = append(list, address)
		}
	}
	for _, c := range claims {
		add(readable(c.Source))
		if c.Pinned != "" {
			add(readable(c.Pinned))
		}
		if v, ok := versionsOf(c.Source); ok {
			add(v.list)
		}
	}
	return list
}
