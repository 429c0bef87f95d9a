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
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/peterbourgon/ff/v3"
	"github.com/peterbourgon/ff/v3/ffcli"
	"golang.org/x/term"

	"go.almanac.example/catalog/load"
	"go.almanac.example/cmd/almanac/buyer"
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
	if len(args) > 0 && args[0] == "help" {
		args = append(slices.Clone(args[1:]), "-h")
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
		printLast(stderr, "almanac: "+oneLine(err)+"\n")
		return cmp.Or(buyer.ExitStatus(err), exitFailure)
	}
}

// printLast prints the last line of the program. It waits a second at most: the end must not depend on a reader.
func printLast(w io.Writer, line string) {
	printed := make(chan struct{})
	go func() {
		io.WriteString(w, line)
		close(printed)
	}()
	select {
	case <-printed:
	case <-time.After(time.Second):
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
	root := newCommand(stderr, "almanac", "almanac <command> [flags]",
		"publish a library of checked sources: free as files, pages and tools, and sell searches")
	for _, command := range []func(stdout, stderr io.Writer) *ffcli.Command{
		initCommand, serveCommand, exportCommand, checkCommand, tokenCommand, salesCommand, getCommand,
		receiptsCommand, creditsCommand, importCommand, forgetCommand, repairCommand, mcpCommand, probeCommand,
		explainCommand, healthCommand, doctorCommand, backupCommand, restoreCommand, versionCommand,
	} {
		root.Subcommands = append(root.Subcommands, command(stdout, stderr))
	}
	return root
}

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

// flagsOnly returns the Exec of a command without arguments. Those that it refuses are most often flags without their
// hyphen.
func flagsOnly(run func(context.Context) error) func(context.Context, []string) error {
	return func(ctx context.Context, args []string) error {
		if len(args) > 0 {
			return usageError(fmt.Sprintf("argument %q is not expected here; flags begin with a hyphen", args[0]))
		}
		return run(ctx)
	}
}

// oneArgument returns the Exec of a command with one argument after its flags; usage is the error without it.
func oneArgument(usage string, run func(ctx context.Context, arg string) error) func(context.Context, []string) error {
	return func(ctx context.Context, args []string) error {
		if len(args) != 1 {
			return usageError(usage)
		}
		return run(ctx, args[0])
	}
}

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
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
	cmd.Exec = flagsOnly(func(_ context.Context) error {
		_, err := fmt.Fprintf(stdout, "almanac %s %s %s/%s\n", versionText(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
		return err
	})
	return cmd
}
