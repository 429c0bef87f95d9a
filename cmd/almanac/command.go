package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/peterbourgon/ff/v3"
	"github.com/peterbourgon/ff/v3/ffcli"
	"golang.org/x/term"

	"almanac/nearest"
)

// newCommand returns a command whose flags can also be set by environment variables: -base-url is ALMANAC_BASE_URL. A
// flag wins over its variable.
func newCommand(stderr io.Writer, name, usage, help string) *ffcli.Command {
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.SetOutput(stderr)
	return &ffcli.Command{
		Name: name, ShortUsage: usage, ShortHelp: help, FlagSet: fs,
		Options: []ff.Option{ff.WithEnvVarPrefix(envPrefix)},
	}
}

// A usageError means that the command line is wrong.
type usageError string

func (e usageError) Error() string { return string(e) }

// noArguments refuses arguments after the flags; most often they are flags without their hyphen.
func noArguments(args []string) error {
	if len(args) > 0 {
		return usageError(fmt.Sprintf("argument %q is not expected here; flags begin with a hyphen", args[0]))
	}
	return nil
}

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// helpCommand prints the help of the command that its arguments name, or of the program.
func helpCommand(stdout, stderr io.Writer, root *ffcli.Command) *ffcli.Command {
	cmd := newCommand(stderr, "help", "almanac help [command]", "print the help of a command")
	cmd.Exec = func(_ context.Context, args []string) error {
		about := root
		for _, name := range args {
			sub, err := subcommand(about, name)
			if err != nil {
				return err
			}
			about = sub
		}
		_, err := fmt.Fprint(stdout, ffcli.DefaultUsageFunc(about))
		return err
	}
	return cmd
}

func subcommand(cmd *ffcli.Command, name string) (*ffcli.Command, error) {
	var names []string
	for _, sub := range cmd.Subcommands {
		if sub.Name == name {
			return sub, nil
		}
		names = append(names, sub.Name)
	}
	return nil, usageError(fmt.Sprintf("%q is not a command%s", name, nearest.DidYouMean(name, names, 1)))
}

// version is set by the linker for a release: -ldflags "-X main.version=v1.2.3".
var version = ""

// versionText returns the version of this build: the release, the module's version, or the commit.
func versionText() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return "devel-" + s.Value[:12]
		}
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	return "devel"
}

// versionCommand prints the version.
func versionCommand(stdout, stderr io.Writer) *ffcli.Command {
	cmd := newCommand(stderr, "version", "almanac version", "print the version")
	cmd.Exec = func(_ context.Context, args []string) error {
		if err := noArguments(args); err != nil {
			return err
		}
		_, err := fmt.Fprintf(stdout, "almanac %s %s %s/%s\n", versionText(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
		return err
	}
	return cmd
}
