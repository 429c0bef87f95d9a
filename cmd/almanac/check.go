package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/google/renameio/v2"
	"github.com/peterbourgon/ff/v3/ffcli"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/load"
	"go.almanac.example/httpmirror"
	"go.almanac.example/index"
	"go.almanac.example/server"
)

// checkFlags are the flags of check.
type checkFlags struct {
	write   bool
	against string
	record  bool
	links   linkFlags

	contents func(dir string, cat *catalog.Catalog) (questions string, err error) // checkContents, but for tests
}

// checkCommand lints the curated files.
func checkCommand(stdout, stderr io.Writer) *ffcli.Command {
	cmd := newCommand(stderr, "check", "almanac check [flags] [DIR]", "check the curated files")
	cmd.LongHelp = "Reads the curated files in DIR (default: fixtures) and prints every fault, one per line, with the path of its file. Without a fault, renders every page and document of the site and keeps none."
	c := checkFlags{contents: checkContents}
	cmd.FlagSet.BoolVar(&c.write, "w", false,
		"rewrite files into their canonical form first; with -facts also write seen_at where the section of a quote is unchanged")
	cmd.FlagSet.StringVar(&c.against, "against", "",
		"`directory` of the data published now: no record may vanish, no date go back, and the history must record every change")
	cmd.FlagSet.BoolVar(&c.record, "record", false,
		"add the changes since -against to the history, if the files have no other fault; without -against, the records that are new to it")
	c.links.register(cmd.FlagSet)
	cmd.Exec = func(ctx context.Context, args []string) error {
		if len(args) > 1 {
			return usageError("check takes one directory; flags come before it")
		}
		if err := c.links.check(cmd.FlagSet); err != nil {
			return err
		}
		collectLess()
		dir := "fixtures"
		if len(args) == 1 {
			dir = args[0]
		}
		return c.run(ctx, stdout, stderr, dir)
	}
	return cmd
}

// collectLess lets more garbage lie, for a command that renders all files and ends: collecting it would take a fifth of
// its processor time. GOGC still decides where it is set.
func collectLess() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}

// run checks the files in dir, after rewriting them when asked to. It compares them with -against, and when asked to,
// records their changes, once all that does not judge the history finds no fault.
func (c checkFlags) run(ctx context.Context, stdout, stderr io.Writer, dir string) error {
	if c.write {
		if err := rewrite(stdout, dir); err != nil {
			return err
		}
	}
	old, err := readAgainst(c.against)
	if err != nil {
		return err
	}
	cat, version, err := loadDir(dir)
	if err == nil && old != nil {
		err = checkUpdate(stdout, dir, old, version, cat)
	}
	var questions string
	if err == nil && !c.links.on && !c.links.facts {
		questions, err = c.contents(dir, cat)
	}
	if err == nil && c.record {
		if err = recordHistory(stdout, dir, old); err == nil {
			cat, version, err = loadDir(dir)
		}
	}
	if err == nil && old != nil {
		err = server.LocateFaults(dir, load.CheckHistory(old, version, today()))
	}
	switch {
	case err != nil:
		return err
	case c.links.on:
		return c.links.run(ctx, stdout, stderr, dir, cat, version)
	case c.links.facts:
		return c.links.runFacts(ctx, stdout, stderr, dir, cat, version, c.write)
	}
	if err := version.Check(today()); err != nil {
		return server.LocateFaults(dir, err)
	}
	_, err = fmt.Fprintf(stdout, "%s: %d entries, %d protocols, %d articles, %d datasets, no faults\n%s",
		dir, len(cat.Entries()), len(cat.ProtocolPageIDs()), len(cat.Articles()), len(cat.Datasets()), questions)
	return err
}

// checkContents checks what a load does not: readings, questions, and that every file can be rendered. It returns a line about
// the passages if any has a question.
func checkContents(dir string, cat *catalog.Catalog) (questions string, err error) {
	if err := load.CheckReadings(cat); err != nil {
		return "", server.LocateFaults(dir, err)
	}
	passages, open, err := load.CheckQuestions(cat, func(record string) (texts []string) {
		for _, p := range index.Passages(cat, record) {
			if p.Asks() || cat.PassageQuestion(record, p.Text) != "" {
				texts = append(texts, p.Text)
			}
		}
		return texts
	})
	if err != nil {
		return "", server.LocateFaults(dir, err)
	}
	if open < passages {
		questions = fmt.Sprintf("%d passages, %d without a question\n", passages, open)
	}
	return questions, httpmirror.Check(cat, httpmirror.Options{})
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

// today returns the day on which changes are recorded.
var today = func() catalog.Date { return catalog.DateOf(time.Now()) }

// checkUpdate compares the files in dir with those that were published: nothing may be lost. It lists the paragraphs of articles that link to a protocol of which a fact changed, for somebody to
// read.
func checkUpdate(stdout io.Writer, dir string, old, new *load.Version, cat *catalog.Catalog) error {
	changed := load.ChangedFacts(old, new)
	for _, a := range cat.Articles() {
		line := 1
		for paragraph := range strings.SplitSeq(a.Body, "\n\n") {
			for _, id := range slices.Sorted(maps.Keys(changed)) {
				if strings.Contains(paragraph, "(/protocols/"+id+"/") {
					fmt.Fprintf(stdout, "read articles/%s/article.md:%d, which links to %s: changed %s\n", a.ID, line, id, strings.Join(slices.Sorted(slices.Values(changed[id])), ", "))
				}
			}
			line += strings.Count(paragraph, "\n") + 2
		}
	}
	return server.LocateFaults(dir, load.CheckUpdate(old, new))
}

func loadDir(dir string) (*catalog.Catalog, *load.Version, error) {
	source := server.Source{Dir: dir}
	files, err := source.Files()
	if err != nil {
		return nil, nil, err
	}
	cat, version, err := load.LoadVersion(files, catalog.Options{Site: catalog.DefaultSite})
	return cat, version, server.LocateFaults(dir, err)
}

// recordHistory adds to the history of dir the changes since a version, or without one the records that are new to the
// history, as changes of today.
func recordHistory(stdout io.Writer, dir string, old *load.Version) error {
	day := today()
	_, new, err := loadDir(dir)
	if err != nil {
		return err
	}
	data, err := load.Record(old, new, day)
	if err != nil || data == nil {
		return err
	}
	name := filepath.Join(dir, filepath.FromSlash(load.HistoryFile(day)))
	err = os.MkdirAll(filepath.Dir(name), 0o755)
	if err == nil {
		err = renameio.WriteFile(name, data, 0o644, renameio.WithExistingPermissions())
	}
	if err != nil {
		return fmt.Errorf("record the changes: %w", err)
	}
	_, err = fmt.Fprintf(stdout, "%s has %d events\n", name, strings.Count(string(data), "\n"))
	return err
}

// readAgainst reads the files that were published, of -against; nil without it.
func readAgainst(against string) (*load.Version, error) {
	if against == "" {
		return nil, nil
	}
	if _, err := os.Stat(against); err != nil {
		return nil, fmt.Errorf("-against: %w; give the directory of the data that were published", err)
	}
	old, err := load.PublishedVersion(os.DirFS(against))
	if err != nil {
		return nil, fmt.Errorf("-against: %w", server.LocateFaults(against, err))
	}
	return old, nil
}
