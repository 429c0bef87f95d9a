package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/peterbourgon/ff/v3/ffcli"

	"go.almanac.example/catalog"
	"go.almanac.example/fixtures"
)

// The template is a library of one entry, with which a curator begins.
//
//go:embed template
var template embed.FS

// initCommand writes a small library.
func initCommand(stdout, stderr io.Writer) *ffcli.Command {
	cmd := newCommand(stderr, "init", "almanac init DIR", "begin a library of your own")
	cmd.LongHelp = "Writes a small library into DIR, a new or an empty folder: its subject, two categories, three tags and one example entry with its evidence.\n" +
		"DIR/README.md says how to go on."
	cmd.Exec = oneArgument("init takes one folder, for example: almanac init birds",
		func(_ context.Context, dir string) error { return initLibrary(stdout, dir) })
	return cmd
}

// initLibrary writes the template into dir, which may have nothing but dot files.
func initLibrary(stdout io.Writer, dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("begin a library: %w", err)
	}
	if i := slices.IndexFunc(files, func(f os.DirEntry) bool { return !strings.HasPrefix(f.Name(), ".") }); i >= 0 {
		return fmt.Errorf("%s is not empty, it has %s: name a new or an empty folder", dir, files[i].Name())
	}
	library, err := fs.Sub(template, "template")
	if err != nil {
		return err
	}
	const bot = "bots/" + catalog.LinkCheckerID + ".json" // says what the program does, for every library alike
	checker, err := fixtures.FS.ReadFile(bot)
	if err = errors.Join(err, os.CopyFS(dir, library), os.Mkdir(filepath.Join(dir, "bots"), 0o755)); err != nil {
		return fmt.Errorf("begin a library: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, bot), checker, 0o644); err != nil {
		return fmt.Errorf("begin a library: %w", err)
	}
	_, err = fmt.Fprintf(stdout, `%[1]s has a library of one entry. Write your subject into %[1]s/site.json; %[1]s/README.md says how to add entries. Then:
  almanac check -record %[1]s
  almanac serve -fixtures %[1]s -payments demo
`, dir)
	return err
}
