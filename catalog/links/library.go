package links

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"almanac/catalog"
)

// A LibraryRound is one round over every address that the records in a directory cite.
type LibraryRound struct {
	Dir        string           // of the curated files
	Catalog    *catalog.Catalog // as loaded from Dir
	Journal    string           // file that keeps the round while it lasts
	ArchiveAPI string           // asked for copies of entries that have none; "" for no API
	Progress   io.Writer
	Terminal   bool // whether Progress is a terminal
}

// JournalAge is how old an observation may be to count for a round that is resumed.
const JournalAge = 24 * time.Hour

// Run checks every link and writes what it observed into the files, also when ctx ends it early; then the journal stays, and
// the next Run resumes with the links that are left. It returns the observations of the whole round, those of an earlier run
// included.
func (r LibraryRound) Run(ctx context.Context, c *Checker) ([]Observation, error) {
	journal, err := OpenJournal[Observation](r.Journal, c.cfg.Now().Add(-JournalAge))
	if err != nil {
		return nil, err
	}
	var seen []Observation
	var left []Link
	citing := make(map[string][]string) // records by address, which is requested once
	for _, a := range r.Catalog.Addresses() {
		citing[a.URL] = append(citing[a.URL], a.Record)
		if len(citing[a.URL]) > 1 {
			continue
		}
		if o, ok := journal.Done[a.URL]; ok {
			seen = append(seen, o)
		} else {
			left = append(left, Link{ID: a.Record, URL: a.URL})
		}
	}
	total := len(seen) + len(left)
	progress := newProgress(r.Progress, r.Terminal, len(left), c.cfg.Now)
	var journalErr error
	stopped := c.checkAll(ctx, left, func(o Observation) {
		seen = append(seen, o)
		journalErr = cmp.Or(journalErr, journal.Add(o)) // a full disk is one error
		progress.add(o)
	})
	progress.done()
	addresses := len(seen)
	seen = forEach(citing, seen)
	if err := errors.Join(journalErr, r.record(seen)); err != nil {
		return seen, errors.Join(err, journal.Close())
	}
	if stopped != nil {
		return seen, errors.Join(fmt.Errorf("interrupted after %d of %d links; run the same command to resume: %w", addresses, total, stopped), journal.Close())
	}
	if err := writeReport(r.Dir, Report(seen, c.cfg.Now())); err != nil {
		return seen, errors.Join(err, journal.Close())
	}
	if err := r.archive(ctx, c); err != nil {
		return seen, errors.Join(err, journal.Close())
	}
	return seen, journal.Remove()
}

// forEach returns what was observed of each address for each record that cites it.
func forEach(citing map[string][]string, seen []Observation) []Observation {
	var all []Observation
	for _, o := range seen {
		for _, o.ID = range citing[o.URL] {
			all = append(all, o)
		}
	}
	return all
}

// record writes all observations into their entries.
func (r LibraryRound) record(seen []Observation) error {
	var errs []error
	for _, o := range seen {
		if e, ok := r.Catalog.Entry(o.ID); ok {
			errs = append(errs, recordStatus(r.Dir, e, o))
		}
	}
	return errors.Join(errs...)
}

// archive asks for a copy of every entry that has none. It stops at the first failure of the API.
func (r LibraryRound) archive(ctx context.Context, c *Checker) error {
	if r.ArchiveAPI == "" {
		return nil
	}
	found, missing := 0, 0
	for _, e := range r.Catalog.Entries() {
		if e.ArchiveURL != nil {
			continue
		}
		missing++
		copied, err := c.archived(ctx, r.ArchiveAPI, e.URL)
		if err != nil {
			return fmt.Errorf("-archive: %w (%d copies were found before)", err, found)
		}
		if copied == "" {
			continue
		}
		if err := recordArchive(r.Dir, e, copied); err != nil {
			return err
		}
		found++
	}
	fmt.Fprintf(r.Progress, "%d of %d links without an archived copy have one now\n", found, missing)
	return nil
}
