package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/peterbourgon/ff/v3/ffcli"

	"almanac/l402/client/buyer"
)

// receiptsCommand prints the payments.
func receiptsCommand(stdout, stderr io.Writer) *ffcli.Command {
	r := &buyer.Receipts{Stdout: stdout}
	cmd := newBuyerCommand(stderr, "receipts", "almanac receipts [flags]", "print what was paid: when, to whom, for what, with the proof", &r.Settings)
	f := cmd.FlagSet
	asJSON := f.Bool("json", false, "print JSON, with preimages and invoices")
	asCSV := f.Bool("csv", false, "print CSV, with preimages and invoices")
	since := f.String("since", "", "only payments from this `day` (UTC) on, such as 2026-11-22")
	cmd.Exec = func(ctx context.Context, args []string) error {
		if err := noArguments(args); err != nil {
			return err
		}
		switch {
		case *asJSON && *asCSV:
			return usageError("give -json or -csv, not both")
		case *asJSON:
			r.Format = "json"
		case *asCSV:
			r.Format = "csv"
		}
		if *since != "" {
			day, err := time.Parse(time.DateOnly, *since)
			if err != nil {
				return usageError(fmt.Sprintf("-since %q is not a day such as 2026-11-22", *since))
			}
			r.Since = day
		}
		return r.Run(ctx)
	}
	return cmd
}
