package links

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/load"
)

// A LibraryRound is one round over every address that the records in a directory cite.
type LibraryRound struct {
	Dir        string           // of the curated files
	Catalog    *catalog.Catalog // as loaded from Dir
	Journal    string           // file that keeps the round while it lasts
	ArchiveAPI string           // asked for copies of entries that have none; "" for no API
	Progress   io.Writer
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
		}
	}
	if err := errors.Join(err, r.record(seen)); err != nil {
		return seen, err
	}
	report := Report(seen, c.cfg.Now())
	report.Observed = r.statuses(seen)
	if err := writeReport(r.Dir, report); err != nil {
		return seen, err
	}
	if err := r.archive(ctx, c); err != nil {
		return seen, err
	}
	return seen, os.Remove(r.Journal)
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

// recordArchive writes the address of an archived copy into an entry that has none.
func recordArchive(dir string, e *catalog.Entry, archived string) error {
	return load.Edit(dir, load.EntryFile(e), func(e *catalog.Entry) bool {
		if e.ArchiveURL != nil {
			return false
		}
		e.ArchiveURL = &archived
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

// archiveBytes is how much of an availability answer is read.
const archiveBytes = 64 << 10

// archived asks an availability API for the newest archived copy of an address, and returns "" when there is none. The
// API is called with ?url=… and answers {"archived_snapshots":{"closest":{"available":true,"status":"200","url":"…"}}},
// as the Internet Archive's does (https://archive.org/help/wayback_api.php).
func (c *Checker) archived(ctx context.Context, api, address string) (string, error) {
	u, err := parse(api)
	if err != nil {
		return "", fmt.Errorf("archive API: %w", err)
	}
	q := u.Query()
	q.Set("url", address)
	u.RawQuery = q.Encode()
	p := c.Read(ctx, catalog.Address{URL: u.String()}, archiveBytes, c.cfg.Attempts)
	if p.Kind != "" || p.Status != http.StatusOK {
		return "", fmt.Errorf("archive API: %s", cmp.Or(p.Detail, http.StatusText(p.Status)))
	}
	return snapshot(p.Body)
}

func snapshot(body []byte) (string, error) {
	var found struct {
		Snapshots struct {
			Closest struct {
				Available bool   `json:"available"`
				Status    string `json:"status"`
				URL       string `json:"url"`
			} `json:"closest"`
		} `json:"archived_snapshots"`
	}
	if err := json.Unmarshal(body, &found); err != nil {
		return "", fmt.Errorf("archive API: not an availability answer: %s", oneLine(err.Error()))
	}
	copied := found.Snapshots.Closest
	if !copied.Available || copied.Status != "200" {
		return "", nil
	}
	u, err := url.Parse(copied.URL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") ||
		strings.TrimSpace(copied.URL) != copied.URL || oneLine(copied.URL) != copied.URL {
		return "", errors.New("archive API: the address of its copy is not a web address")
	}
	return copied.URL, nil
}
