package main

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/peterbourgon/ff/v3/ffcli"

	"almanac/server"
)

// doctorCommand looks for faults of an installation.
func doctorCommand(stdout, stderr io.Writer) *ffcli.Command {
	cmd := newCommand(stderr, "doctor", "almanac doctor [flags of serve]", "look for faults of an installation")
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

// healthCommand asks a running service whether it is ready, for containers without a shell.
func healthCommand(stdout, stderr io.Writer) *ffcli.Command {
	cmd := newCommand(stderr, "health", "almanac health [flags]", "ask a running service whether it is ready")
	addr := cmd.FlagSet.String("admin", "localhost:8404", "`address` of the admin listener")
	acceptConfigFile(cmd, false)
	cmd.Exec = func(ctx context.Context, args []string) error {
		if err := noArguments(args); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(ctx, 2*server.ReadyTimeout)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+server.LocalAddress(*addr)+"/readyz", nil)
		if err != nil {
			return usageError(fmt.Sprintf("-admin %q is not host:port", *addr))
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return fmt.Errorf("ask the service: %w; is it running, and is this its -admin address?", err)
		}
		defer res.Body.Close()
		if _, err := io.Copy(stdout, io.LimitReader(res.Body, 64<<10)); err != nil {
			return fmt.Errorf("read the answer: %w", err)
		}
		if res.StatusCode != http.StatusOK {
			return fmt.Errorf("the service is not ready: %s", res.Status)
		}
		return nil
	}
	return cmd
}
