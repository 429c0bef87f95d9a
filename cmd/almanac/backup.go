package main

import (
	"context"
	"fmt"
	"io"

	"github.com/peterbourgon/ff/v3/ffcli"

	"almanac/server"
)

// stateFlags say where a service keeps its state.
type stateFlags struct{ state, ledger string }

func (f *stateFlags) register(cmd *ffcli.Command) {
	cmd.FlagSet.StringVar(&f.state, "state", defaultState, "`directory` of the key file and the SQLite ledger")
	registerLedger(cmd.FlagSet, &f.ledger)
	acceptConfigFile(cmd, false)
}

// backupCommand copies the keys and the ledger.
func backupCommand(stdout, stderr io.Writer) *ffcli.Command {
	cmd := newCommand(stderr, "backup", "almanac backup [flags] DIR", "copy the keys and the credits, also of a running service")
	cmd.LongHelp = "Writes the key file and a copy of the SQLite ledger into DIR, which must not exist, and checks them there.\n" +
		"Whoever has the copy can make credentials: keep it as safe as the state directory."
	var f stateFlags
	f.run(cmd, stdout, "backup takes the directory to write to; flags come before it", func(ctx context.Context, dir string) (string, server.BackupReport, error) {
		report, err := server.Backup(ctx, f.state, ledgerURL(f.ledger, f.state), dir)
		return dir, report, err
	})
	return cmd
}

// restoreCommand puts a backup back.
func restoreCommand(stdout, stderr io.Writer) *ffcli.Command {
	cmd := newCommand(stderr, "restore", "almanac restore [flags] DIR", "put the keys and the credits of a backup back")
	cmd.LongHelp = "Checks the backup in DIR and copies it to where the flags say. Nothing is overwritten.\n" +
		"Credits that were spent after the backup was made can be spent again."
	var f stateFlags
	f.run(cmd, stdout, "restore takes the directory of a backup; flags come before it", func(ctx context.Context, dir string) (string, server.BackupReport, error) {
		report, err := server.Restore(ctx, dir, f.state, ledgerURL(f.ledger, f.state))
		return f.state, report, err
	})
	return cmd
}

// run registers the flags and makes do the action of the command. do returns the directory it wrote; usage is the error
// without one.
func (f *stateFlags) run(cmd *ffcli.Command, stdout io.Writer, usage string, do func(ctx context.Context, dir string) (string, server.BackupReport, error)) {
	f.register(cmd)
	cmd.Exec = func(ctx context.Context, args []string) error {
		if len(args) != 1 {
			return usageError(usage)
		}
		written, report, err := do(ctx, args[0])
		if err != nil {
			return err
		}
		return printBackup(stdout, written, report)
	}
}

func printBackup(out io.Writer, dir string, r server.BackupReport) error {
	credits := "the ledger is in PostgreSQL, which pg_dump backs up"
	if r.Ledger {
		credits = fmt.Sprintf("%d accounts", r.Accounts)
	}
	_, err := fmt.Fprintf(out, "%s: %d keys, %s; checked\n", dir, r.Keys, credits)
	return err
}
