package main

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/peterbourgon/ff/v3/ffcli"

	"go.almanac.example/server"
)

// doctorCommand looks for faults of an installation.
func doctorCommand(stdout, stderr io.Writer) *ffcli.Command {
	cmd := newCommand(stderr, "doctor", "almanac doctor [flags of serve]", "look for faults of an installation")
	cmd.LongHelp = "Takes the flags of serve, and looks at the data, addresses, certificate, disk, ledger, node, the running service\n" +
		"and, if it runs, its public addresses. It serves and changes nothing. The exit status is 1 when something does not work."
	var f serveFlags
	f.register(cmd.FlagSet)
	acceptConfigFile(cmd, "", true)
	cmd.Exec = flagsOnly(func(ctx context.Context) error {
		cfg, err := f.config()
		if err != nil {
			return err
		}
		return printFindings(stdout, server.Diagnose(ctx, cfg))
	})
	return cmd
}

// printFindings prints a line for each finding, and fails when something does not work.
func printFindings(out io.Writer, findings []server.CheckResult) error {
	failed := 0
	for _, f := range findings {
		line := fmt.Sprintf("ok    %-20s %s", f.Name, f.Note)
		if f.Err != nil {
			word := "warn"
			if !f.Warning {
				word = "FAIL"
				failed++
			}
			line = fmt.Sprintf("%s  %-20s %s\n      %-20s → %s", word, f.Name, oneLine(f.Err), "", f.Then)
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
	acceptConfigFile(cmd, "", false)
	cmd.Exec = flagsOnly(func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, 2*server.ReadyTimeout)
		defer cancel()
		status, body, err := server.AskReadiness(ctx, *addr)
		if err != nil {
			return fmt.Errorf("ask the service: %w; is it running, and is this its -admin address?", err)
		}
		if _, err := stdout.Write(body); err != nil {
			return err
		}
		if status != http.StatusOK {
			return fmt.Errorf("the service is not ready: %d %s", status, http.StatusText(status))
		}
		return nil
	})
	return cmd
}

// backupCommand copies the keys and the ledger.
func backupCommand(stdout, stderr io.Writer) *ffcli.Command {
	cmd := newCommand(stderr, "backup", "almanac backup [flags] DIR", "copy the keys and the credits, also of a running service")
	cmd.LongHelp = "Writes the key file and a copy of the SQLite ledger into DIR, which must not exist, and checks them there.\n" +
		"The copy lets its holder make credentials: keep it as safe as the state directory."
	var f stateFlags
	f.register(cmd)
	cmd.Exec = oneArgument("backup takes the directory to write to; flags come before it",
		func(ctx context.Context, dir string) error {
			report, err := server.Backup(ctx, f.state, f.ledgerURL(), dir)
			return printBackup(stdout, dir, report, err)
		})
	return cmd
}

// restoreCommand puts a backup back.
func restoreCommand(stdout, stderr io.Writer) *ffcli.Command {
	cmd := newCommand(stderr, "restore", "almanac restore [flags] DIR", "put the keys and the credits of a backup back")
	cmd.LongHelp = "Checks the backup in DIR and copies it to where the flags say. Nothing is overwritten.\n" +
		"Credits that were spent after the backup was made can be spent again."
	var f stateFlags
	f.register(cmd)
	cmd.Exec = oneArgument("restore takes the directory of a backup; flags come before it",
		func(ctx context.Context, dir string) error {
			report, err := server.Restore(ctx, dir, f.state, f.ledgerURL())
			return printBackup(stdout, f.state, report, err)
		})
	return cmd
}

// printBackup prints a line about the copy in dir, unless it failed.
func printBackup(out io.Writer, dir string, r server.BackupReport, failed error) error {
	if failed != nil {
		return failed
	}
	credits := "the ledger is in PostgreSQL, which pg_dump backs up"
	if r.Ledger {
		credits = fmt.Sprintf("%d accounts", r.Accounts)
	}
	_, err := fmt.Fprintf(out, "%s: %d keys, %s; checked\n", dir, r.Keys, credits)
	return err
}
