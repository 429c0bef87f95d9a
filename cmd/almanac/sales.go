package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/peterbourgon/ff/v3/ffcli"

	"go.almanac.example/l402"
	"go.almanac.example/l402/ledger"
)

// salesCommand prints the sales, by day.
func salesCommand(stdout, stderr io.Writer) *ffcli.Command {
	cmd := newCommand(stderr, "sales", "almanac sales [flags]", "print sales by day, with the credits used and those still owed")
	cmd.LongHelp = "Adds up the accounts of the ledger, also while the service runs, and those that were pruned. A day (UTC) is that of the invoice.\n" +
		"A payment is known from its first request on. The kinds are paid, demo (no money moved), granted (nobody paid) and unknown\n" +
		"(from before sales were recorded). OPEN is what can still be used, and OPEN SAT its part of the price.\n\n" +
		"Example: almanac sales -state /var/lib/almanac -json"
	var c tokenFlags
	c.register(cmd)
	cmd.Exec = flagsOnly(func(ctx context.Context) error {
		return c.useLedger(ctx, func(l *ledger.Ledger) error {
			days, err := l.Sales(ctx, time.Now())
			if err != nil {
				return err
			}
			return printSales(stdout, days, c.json)
		})
	})
	return cmd
}

// A salesRow is the sales of one day and kind as they are printed. A day that is not known is empty.
type salesRow struct {
	Day  string `json:"day,omitempty"`
	Kind string `json:"kind,omitempty"`
	l402.SalesTotals
}

func printSales(out io.Writer, days []l402.DayOfSales, asJSON bool) error {
	rows := []salesRow{}
	var total salesRow
	for _, d := range days {
		r := salesRow{Kind: d.Kind.String(), SalesTotals: d.SalesTotals}
		if !d.Day.IsZero() {
			r.Day = d.Day.Format(time.DateOnly)
		}
		total.Add(d.SalesTotals)
		rows = append(rows, r)
	}
	if asJSON {
		return json.NewEncoder(out).Encode(map[string]any{"days": rows, "total": total})
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "DAY\tKIND\tSOLD\tSAT\tUSED\tOF\tREFUNDED\tREFUNDED SAT\tOPEN\tOPEN SAT")
	total.Day = "total"
	for _, r := range append(rows, total) {
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%.3f\n",
			cmp.Or(r.Day, "unknown"), r.Kind, r.Accounts, r.Sats, r.Used, r.Credits, r.Reimbursed, r.ReimbursedSats,
			r.OpenCredits, float64(r.OpenMilliSats)/1000)
	}
	return w.Flush()
}
