package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/peterbourgon/ff/v3"
	"github.com/peterbourgon/ff/v3/ffcli"
	"golang.org/x/term"
)

// newCommand returns a command whose flags can also be set by environment variables: -base-url is ALMANAC_BASE_URL. A flag wins over its
// variable.
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
