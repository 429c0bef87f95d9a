package main

import (
	"context"
	"fmt"
	"io"

	"github.com/peterbourgon/ff/v3/ffcli"

	"almanac/server"
)

// doctorCommand looks for what is wrong with an installation.
func doctorCommand(stdout, stderr io.Writer) *ffcli.Command {
	cmd := newCommand(stderr, "doctor", "almanac doctor [flags of serve]", "look for what is wrong with an installation")
	cmd.LongHelp = "Takes the flags of serve, and looks at the data, addresses, certificate, disk, ledger, node, clock, the running service\n" +
		"and its public addresses. It changes nothing. The exit status is 1 when something does not work."
	var f serveFlags
	f.register(cmd.FlagSet)
	acceptConfigFile(cmd, true)
	cmd.Exec = func(ctx context.Context, args []string) error {
		if err := noArguments(args); err != nil {
			return err
		}
		cfg, err := f.config()
		if err != nil {
			return err
		}
		return printFindings(stdout, server.Doctor(ctx, cfg))
	}
	return cmd
}

// printFindings prints a line for each finding, and fails when something does not work.
func printFindings(out io.Writer, findings []server.CheckResult) error {
	failed := 0
	for _, f := range findings {
		line := fmt.Sprintf("ok    %-20s %s", f.Name, f.Note)
		if f.Err != nil {
			failed++
			line = fmt.Sprintf("FAIL  %-20s %s", f.Name, oneLine(f.Err))
		}
		if _, err := fmt.Fprintln(out, line); err != nil {
			return err
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d checks failed", failed, len(findings))
	}
	return nil
}
