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

// A LibraryRound is one round over every link of the library in a directory.
type LibraryRound struct {
	Dir        string           // of the curated files
	Catalog    *catalog.Catalog // as loaded from Dir
	Journal    string           // file that keeps the round while it goes on
	ArchiveAPI string           // asked for copies of entries that have none; "" asks nobody
	Progress   io.Writer
	Terminal   bool // Progress is a terminal
}

// journalAge is how old an observation may be to count for a round that goes on.
const journalAge = 24 * time.Hour

// Run makes the round and writes into the files what was observed, also when ctx ends it early; then the journal stays, and the
// next Run goes on with the links that are left. It gives the observations of the whole round, those of
// an earlier run among them.
func (r LibraryRound) Run(ctx context.Context, c *Checker) (_ []Observation, err error) {
	journal, err := OpenJournal(r.Journal, c.cfg.Now().Add(-journalAge))
	if err != nil {
		return nil, err
	}
	var seen []Observation
	var left []Link
	for _, e := range r.Catalog.Entries() {
		l := Link{ID: e.ID, URL: e.URL}
		if o, ok := journal.Done(l); ok {
			seen = append(seen, o)
		} else {
			left = append(left, l)
		}
	}
	total := len(seen) + len(left)
	progress := NewProgress(r.Progress, r.Terminal, len(left), c.cfg.Now)
	var journalErr error
	stopped := c.Round(ctx, left, func(o Observation) {
		seen = append(seen, o)
		journalErr = cmp.Or(journalErr, journal.Add(o)) // one full disk is one error
		progress.Seen(o)
	})
	progress.Done()
	if err := errors.Join(journalErr, r.record(seen)); err != nil {
		return seen, errors.Join(err, journal.Close())
	}
	if stopped != nil {
		return seen, errors.Join(fmt.Errorf("interrupted after %d of %d links; run the same command to go on: %w", len(seen), total, stopped), journal.Close())
	}
	if err := WriteReport(r.Dir, Report(seen, c.cfg.Now())); err != nil {
		return seen, errors.Join(err, journal.Close())
	}
	if err := r.archive(ctx, c); err != nil {
		return seen, errors.Join(err, journal.Close())
	}
	return seen, journal.Remove()
}

// record writes all observations into their entries.
func (r LibraryRound) record(seen []Observation) error {
	var errs []error
	for _, o := range seen {
		if e, ok := r.Catalog.Entry(o.ID); ok {
			errs = append(errs, Record(r.Dir, e, o))
		}
	}
	return errors.Join(errs...)
}

// archive asks for a copy of every entry that has none. An API that fails is told of once and not asked further.
func (r LibraryRound) archive(ctx context.Context, c *Checker) error {
	if r.ArchiveAPI == "" {
		return nil
	}
	found, asked := 0, 0
	for _, e := range r.Catalog.Entries() {
		if e.ArchiveURL != nil {
			continue
		}
		asked++
		copied, err := c.Archived(ctx, r.ArchiveAPI, e.URL)
		if err != nil {
			return fmt.Errorf("-archive: %w; %d copies were found before", err, found)
		}
		if copied == "" {
			continue
		}
		if err := RecordArchive(r.Dir, e, copied); err != nil {
			return err
		}
		found++
	}
	fmt.Fprintf(r.Progress, "%d of %d links without an archived copy have one now\n", found, asked)
	return nil
}
