package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/google/renameio/v2"
	"github.com/peterbourgon/ff/v3/ffcli"

	"almanac/catalog"
	"almanac/catalog/load"
	"almanac/httpmirror"
	"almanac/server"
)

// checkFlags are the flags of check.
type checkFlags struct {
	write   bool
	against string
	record  bool
	on      string
	links   linkFlags
}

// checkCommand lints the curated files.
func checkCommand(stdout, stderr io.Writer) *ffcli.Command {
	cmd := newCommand(stderr, "check", "almanac check [flags] [DIR]", "check the curated files")
	cmd.LongHelp = "Reads the curated files in DIR (default: fixtures) and prints every fault, one per line, with the path of its file. Without a fault, renders every file of the site and keeps none."
	var c checkFlags
	cmd.FlagSet.BoolVar(&c.write, "w", false, "rewrite files into their canonical form first; with -facts also write seen_at where the section of a quote is unchanged")
	cmd.FlagSet.StringVar(&c.against, "against", "", "`directory` of the data published now: no record may vanish, no date go back, and the history must record every change")
	cmd.FlagSet.BoolVar(&c.record, "record", false, "add the changes since -against to the history first; without -against, the records that are new to it")
	cmd.FlagSet.StringVar(&c.on, "on", "", "`day` under which -record adds changes (default: today)")
	c.links.register(cmd.FlagSet)
	cmd.Exec = func(ctx context.Context, args []string) error {
		dir, err := checkDir(args)
		if err != nil {
			return err
		}
		if err := c.links.check(cmd.FlagSet); err != nil {
			return err
		}
		return c.run(ctx, stdout, stderr, dir)
	}
	return cmd
}

// checkDir returns the directory that the arguments name.
func checkDir(args []string) (string, error) {
	switch len(args) {
	case 0:
		return "fixtures", nil
	case 1:
		return args[0], nil
	}
	return "", usageError("check takes one directory; flags come before it")
}

// run checks the files in dir, after rewriting them when asked to.
func (c checkFlags) run(ctx context.Context, stdout, stderr io.Writer, dir string) error {
	cat, err := c.load(stdout, dir)
	if err != nil {
		return err
	}
	switch {
	case c.links.on:
		return c.links.run(ctx, stdout, stderr, dir, cat)
	case c.links.facts:
		return c.links.runFacts(ctx, stdout, stderr, dir, cat, c.write)
	}
	if err := checkNewest(dir); err != nil {
		return err
	}
	if err := load.JoinFaults(load.CheckReadings(cat), load.CheckItems(cat)); err != nil {
		return server.LocateFaults(dir, err)
	}
	if err := httpmirror.Check(cat, httpmirror.Options{}); err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "%s: %d entries, %d protocols, %d articles, %d datasets, no faults\n",
		dir, len(cat.Entries()), cat.Protocols().Count, len(cat.Articles()), len(cat.Datasets()))
	return err
}

// load reads the files in dir, after rewriting and recording them when asked to, and compares them with -against.
func (c checkFlags) load(stdout io.Writer, dir string) (*catalog.Catalog, error) {
	if c.write {
		if err := rewrite(stdout, dir); err != nil {
			return nil, err
		}
	}
	cat, err := loadDir(dir)
	if err != nil {
		return nil, err
	}
	if c.record {
		if err := recordHistory(stdout, dir, c.against, catalog.Date(c.on)); err != nil {
			return nil, err
		}
		if cat, err = loadDir(dir); err != nil {
			return nil, err
		}
	}
	if c.against != "" {
		err = checkUpdate(dir, c.against, cat)
	}
	return cat, err
}

// rewrite brings files into canonical form, each atomically. Files with other faults stay as they are; the load that
// follows reports them.
func rewrite(stdout io.Writer, dir string) error {
	files, err := load.Rewrite(os.DirFS(dir))
	if faults := (load.Faults)(nil); err != nil && !errors.As(err, &faults) {
		return err
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		name := filepath.Join(dir, filepath.FromSlash(path))
		if err := renameio.WriteFile(name, files[path], 0o644, renameio.WithExistingPermissions()); err != nil {
			return fmt.Errorf("rewrite %s: %w", name, err)
		}
		fmt.Fprintln(stdout, "rewrote", name)
	}
	return nil
}
