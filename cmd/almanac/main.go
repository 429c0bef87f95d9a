// Command almanac publishes the catalogue: to agents over MCP, to paying agents behind L402, and
// to people as a mirror of plain files. This package reads flags and wires; it decides nothing.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/peterbourgon/ff/v3"
	"github.com/peterbourgon/ff/v3/ffcli"

	"almanac/catalog"
)

// The exit statuses: a fault is 1, a command line that cannot be understood is 2.
const (
	exitFault = 1
	exitUsage = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the first signal ends the work at hand well, a second one ends it at once
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// run is the whole program, and gives the exit status. It ends when ctx does.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := rootCommand(stdout, stderr)
	err := root.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case errors.As(err, new(ffcli.NoExecError)):
		fmt.Fprint(stderr, ffcli.DefaultUsageFunc(root))
		if name := root.FlagSet.Arg(0); name != "" {
			fmt.Fprintf(stderr, "almanac: %q is no command; they are listed above\n", name)
		}
		return exitUsage
	case err != nil:
		fmt.Fprintln(stderr, "almanac:", err)
		return exitUsage
	}
	err = root.Run(ctx)
	var usage usageError
	switch {
	case err == nil || errors.Is(err, flag.ErrHelp):
		return 0
	case errors.As(err, &usage):
		fmt.Fprintln(stderr, "almanac:", usage)
		return exitUsage
	default:
		fmt.Fprintln(stderr, "almanac:", sentence(err))
		return exitFault
	}
}

// sentence gives an error in one line, but for faults of the data, which have a line each.
func sentence(err error) string {
	if errors.As(err, new(catalog.Faults)) {
		return err.Error()
	}
	var parts []string
	for line := range strings.Lines(err.Error()) {
		if line = strings.TrimSpace(line); !slices.Contains(parts, line) {
			parts = append(parts, line)
		}
	}
	return strings.Join(parts, " ")
}

// A usageError is a fault of the command line.
type usageError string

func (e usageError) Error() string { return string(e) }

func rootCommand(stdout, stderr io.Writer) *ffcli.Command {
	root := newCommand(stderr, "almanac", "almanac <command> [flags]", "publish the catalogue of payment and agent protocols")
	root.Subcommands = []*ffcli.Command{
		serveCommand(stdout, stderr),
		exportCommand(stdout, stderr),
		checkCommand(stdout, stderr),
		tokenCommand(stdout, stderr),
		healthCommand(stdout, stderr),
		versionCommand(stdout, stderr),
	}
	return root
}

// newCommand makes a command whose flags can also be given as variables: -base-url is
// ALMANAC_BASE_URL. A flag wins over its variable.
func newCommand(stderr io.Writer, name, usage, help string) *ffcli.Command {
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.SetOutput(stderr)
	return &ffcli.Command{
		Name: name, ShortUsage: usage, ShortHelp: help, FlagSet: fs,
		Options: []ff.Option{ff.WithEnvVarPrefix("ALMANAC")},
	}
}

// noArguments refuses arguments after the flags, which are most often flags without their hyphen.
func noArguments(args []string) error {
	if len(args) > 0 {
		return usageError(fmt.Sprintf("argument %q is not expected here; flags begin with a hyphen", args[0]))
	}
	return nil
}
