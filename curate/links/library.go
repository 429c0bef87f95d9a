package links

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/load"
)

// A LibraryRound is one round over every address that the records in a directory cite.
type LibraryRound struct {
	Dir      string           // of the curated files
	Catalog  *catalog.Catalog // as loaded from Dir
	Journal  string           // file that keeps the round while it lasts
	Progress io.Writer
}

// Run checks every link and writes its observations into the files, also when ctx ends it early; then the journal
// stays, and the next Run resumes with the links that are left. It returns the observations of the whole round, those
// of an earlier run included: one for each record that cites an address.
func (r LibraryRound) Run(ctx context.Context, c *Checker) ([]Observation, error) {
	cited := r.Catalog.Addresses()
	var list []catalog.Address
	listed := make(map[string]bool) // each address is requested once
	for _, a := range cited {
		if !listed[a.URL] {
			listed[a.URL] = true
			list = append(list, a)
		}
	}
	done, err := RunRound(ctx, c, r.Journal, list, r.Progress, c.check)
	var seen []Observation
	for _, a := range cited {
		if o, ok := done[a.URL]; ok {
			o.ID = a.Record
			seen = append(seen, o)
			if e, ok := r.Catalog.Entry(o.ID); ok {
				err = errors.Join(err, recordStatus(r.Dir, e, o))
			}
		}
	}
	if err != nil {
		return seen, err
	}
	report := Report(seen, c.cfg.Now())
	report.Observed = r.statuses(seen)
	if err := writeReport(r.Dir, report); err != nil {
		return seen, err
	}
	return seen, os.Remove(r.Journal)
}

// statuses returns the newest status of each entry's address: of this round, or of an earlier one if it did not answer.
func (r LibraryRound) statuses(seen []Observation) map[string]int {
	statuses := make(map[string]int)
	for _, e := range r.Catalog.Entries() {
		if s := r.Catalog.ObservedStatus(e.URL); s != 0 {
			statuses[e.URL] = s
		}
	}
	for _, o := range seen {
		if e, ok := r.Catalog.Entry(o.ID); ok && e.URL == o.URL && o.Answered() {
			statuses[o.URL] = o.Status
		}
	}
	return statuses
}

// recordStatus writes an observation into the entry's file below dir: http_status and last_checked, and nothing when
// the link did not answer. verified_at is the day on which a person read the source and is never touched. An entry
// whose address has changed since is left as it is.
func recordStatus(dir string, e *catalog.Entry, o Observation) error {
	if !o.Answered() {
		return nil
	}
	day := catalog.DateOf(o.CheckedAt)
	if day < e.LastChecked {
		return fmt.Errorf("record %s: last_checked is %s but the clock shows %s; correct the clock", e.ID, e.LastChecked, day)
	}
	return load.Edit(dir, load.EntryFile(e), func(e *catalog.Entry) bool {
		if e.URL != o.URL {
			return false
		}
		e.HTTPStatus, e.LastChecked = o.Status, day
		return true
	})
}

// writeReport writes the report of a round beside the records below dir, from where the mirror publishes it.
func writeReport(dir string, r *catalog.LinkReport) error {
	path := filepath.Join(dir, load.LinkReportFile)
	if err := renameio.WriteFile(path, load.EncodeLinkReport(r), 0o644, renameio.WithExistingPermissions()); err != nil {
		return fmt.Errorf("write the report of the round: %w", err)
	}
	return nil
}
