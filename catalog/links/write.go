package links

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"almanac/catalog"
	"almanac/catalog/load"
)

// recordStatus writes what was observed into the entry's file below dir: http_status and last_checked, and nothing when the
// link did not answer. verified_at is the day on which a person read the source and is never touched. An entry whose address
// has changed since is left as it is.
func recordStatus(dir string, e *catalog.Entry, o Observation) error {
	if !o.Answered() || o.URL != e.URL {
		return nil
	}
	day := catalog.DateOf(o.CheckedAt)
	if day < e.LastChecked {
		return fmt.Errorf("record %s: last_checked is %s but the clock shows %s; correct the clock", e.ID, e.LastChecked, day)
	}
	return edit(dir, e, func(e *catalog.Entry) {
		if e.URL == o.URL {
			e.HTTPStatus, e.LastChecked = o.Status, day
		}
	})
}

// recordArchive writes the address of an archived copy into an entry that has none.
func recordArchive(dir string, e *catalog.Entry, archived string) error {
	return edit(dir, e, func(e *catalog.Entry) {
		if e.ArchiveURL == nil {
			e.ArchiveURL = &archived
		}
	})
}

func edit(dir string, e *catalog.Entry, change func(*catalog.Entry)) error {
	path := filepath.Join(dir, filepath.FromSlash(load.EntryFile(e)))
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("record %s: %w", e.ID, err)
	}
	data, err = load.EditEntry(load.EntryFile(e), data, change)
	if err != nil {
		return fmt.Errorf("record %s: %w", e.ID, err)
	}
	if err := renameio.WriteFile(path, data, 0o644, renameio.WithExistingPermissions()); err != nil {
		return fmt.Errorf("record %s: %w", e.ID, err)
	}
	return nil
}

// writeReport writes the report of a round beside the records below dir, from where the mirror publishes it.
func writeReport(dir string, r *catalog.LinkReport) error {
	path := filepath.Join(dir, load.LinkReportFile)
	if err := renameio.WriteFile(path, load.EncodeLinkReport(r), 0o644, renameio.WithExistingPermissions()); err != nil {
		return fmt.Errorf("write the report of the round: %w", err)
	}
	return nil
}
