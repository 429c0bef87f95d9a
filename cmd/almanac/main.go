// Command almanac publishes the catalogue: to agents over MCP, to paying agents behind L402, and
// to people as a mirror of plain files. This package reads flags and wires; it decides nothing.
package main

import (
	"cmp"
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

	"github.com/peterbourgon/ff/v3/ffcli"

	"almanac/catalog/load"
	"almanac/l402/client/buyer"
)

// The exit statuses: 1 when a command fails, 2 when its command line is wrong. Those that pay have more
// (buyer.ExitStatus).
const (
	exitFailure = 1
	exitUsage   = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the first signal lets the work at hand finish, a second one ends the process at once
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// run is the whole program. It returns the exit status, at the latest soon after ctx ends.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := rootCommand(stdout, stderr)
	if len(args) == 1 && strings.TrimLeft(args[0], "-") == "version" {
		args = []string{"version"} // -version and --version too
	}
	err := cmp.Or(checkEnvironment(root, os.Environ()), root.Parse(args))
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case errors.As(err, new(ffcli.NoExecError)):
		fmt.Fprint(stderr, ffcli.DefaultUsageFunc(root))
		if name := root.FlagSet.Arg(0); name != "" {
			fmt.Fprintf(stderr, "almanac: %q is not a command; the commands are listed above\n", name)
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
		fmt.Fprintln(stderr, "almanac:", oneLine(err))
		return cmp.Or(buyer.ExitStatus(err), exitFailure)
	}
}

// oneLine returns the message of err in one line, except that faults of the data keep a line each.
func oneLine(err error) string {
	if errors.As(err, new(load.Faults)) {
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

// rootCommand returns the command that has all others below it.
func rootCommand(stdout, stderr io.Writer) *ffcli.Command {
	root := newCommand(stderr, "almanac", "almanac <command> [flags]", "publish the catalogue of payment and agent protocols")
	root.Subcommands = []*ffcli.Command{
		serveCommand(stdout, stderr),
		exportCommand(stdout, stderr),
		checkCommand(stdout, stderr),
		tokenCommand(stdout, stderr),
		salesCommand(stdout, stderr),
		getCommand(stdout, stderr),
		searchCommand(stdout, stderr),
		receiptsCommand(stdout, stderr),
		shareCommand(stdout, stderr),
		mcpCommand(stdout, stderr),
		probeCommand(stdout, stderr),
		healthCommand(stdout, stderr),
		doctorCommand(stdout, stderr),
		backupCommand(stdout, stderr),
		restoreCommand(stdout, stderr),
		versionCommand(stdout, stderr),
	}
	root.Subcommands = append(root.Subcommands, completionCommand(stdout, stderr, root), helpCommand(stdout, stderr, root))
	return root
}
