package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/renameio/v2"

	"almanac/catalog"
	"almanac/catalog/load"
	"almanac/server"
)

// today returns the day on which changes are recorded.
var today = func() catalog.Date { return catalog.DateOf(time.Now()) }

// checkUpdate compares the data in dir, which are cat, with those published in against: nothing may be lost, and the
// history must record every change.
func checkUpdate(dir, against string, cat *catalog.Catalog) error {
	old, err := readAgainst(against, func(fsys fs.FS) (*catalog.Catalog, error) {
		return load.Published(fsys, catalog.Options{Site: catalog.DefaultSite, Terms: catalog.DefaultTerms})
	})
	if err != nil {
		return err
	}
	if err := load.CheckUpdate(old, cat); err != nil {
		return server.LocateFaults(dir, err)
	}
	return checkHistory(dir, against)
}

func loadDir(dir string) (*catalog.Catalog, error) {
	source := server.Source{Dir: dir, Terms: catalog.DefaultTerms}
	return source.Load(catalog.DefaultSite, catalog.PaymentsOff)
}

// checkNewest reports which records have other values than their history has last.
func checkNewest(dir string) error {
	v, err := readVersion(dir)
	if err != nil {
		return err
	}
	return server.LocateFaults(dir, load.JoinFaults(v.CheckNewest(), v.CheckDays(today())))
}

// checkHistory compares the files in dir with those in against, and reports the changes that the history of dir does
// not record.
func checkHistory(dir, against string) error {
	old, err := readAgainst(against, load.PublishedVersion)
	if err != nil {
		return err
	}
	new, err := readVersion(dir)
	if err != nil {
		return err
	}
	return server.LocateFaults(dir, load.CheckHistory(old, new, today()))
}

// recordHistory adds to the history of dir the changes since against, or without it the records that are new to the
// history, as changes of a day; "" is today.
func recordHistory(stdout io.Writer, dir, against string, day catalog.Date) error {
	if day == "" {
		day = today()
	}
	if _, err := catalog.ParseDate(string(day)); err != nil {
		return usageError("-on: " + err.Error())
	}
	var old *load.Version
	var err error
	if against != "" {
		if old, err = readAgainst(against, load.PublishedVersion); err != nil {
			return err
		}
	}
	new, err := readVersion(dir)
	if err != nil {
		return err
	}
	data, err := load.Record(old, new, day)
	if err != nil || data == nil {
		return err
	}
	name := filepath.Join(dir, filepath.FromSlash(load.HistoryFile(day)))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return fmt.Errorf("record the changes: %w", err)
	}
	if err := renameio.WriteFile(name, data, 0o644, renameio.WithExistingPermissions()); err != nil {
		return fmt.Errorf("record the changes: %w", err)
	}
	_, err = fmt.Fprintf(stdout, "%s has %d events\n", name, strings.Count(string(data), "\n"))
	return err
}

func readVersion(dir string) (*load.Version, error) {
	v, err := load.ReadVersion(os.DirFS(dir))
	return v, server.LocateFaults(dir, err)
}

// readAgainst reads the files that were published, of -against.
func readAgainst[T any](against string, read func(fs.FS) (*T, error)) (*T, error) {
	if _, err := os.Stat(against); err != nil {
		return nil, fmt.Errorf("-against: %w; give the directory of the data that were published", err)
	}
	old, err := read(os.DirFS(against))
	if err != nil {
		return nil, fmt.Errorf("-against: %w", server.LocateFaults(against, err))
	}
	return old, nil
}
