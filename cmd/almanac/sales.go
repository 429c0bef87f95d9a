package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/peterbourgon/ff/v3/ffcli"

	"go.almanac.example/l402"
	"go.almanac.example/l402/ledger"
	"go.almanac.example/server"
)

// salesCommand prints the sales, by day.
func salesCommand(stdout, stderr io.Writer) *ffcli.Command {
	cmd := newCommand(stderr, "sales", "almanac sales [flags]", "print sales by day, with the credits used and those still owed")
	cmd.LongHelp = "Adds up the accounts of the ledger, also while the service runs, and those that were pruned. A day (UTC) is that of the invoice.\n" +
		"A payment is known from its first request on. With -node and the flags of serve that name the node, those without a request\n" +
		"are listed too, and accounts that the node knows no payment of; docs/nodes.md says which right that needs. The kinds are paid, demo (no money moved),\n" +
		"granted (nobody paid) and unknown (from before sales were recorded). OPEN is what can still be used, and OPEN SAT its part of the price.\n\n" +
		"Example: almanac sales -state /var/lib/almanac -json"
	var c tokenFlags
	c.register(cmd)
	ask := cmd.FlagSet.Bool("node", false, "compare the last 30 days with the payments that the node lists")
	var payments server.PaymentConfig
	cmd.FlagSet.StringVar((*string)(&payments.Backend), "payments", "", "`backend` of the node, as for serve")
	registerNodes(cmd.FlagSet, &payments)
	cmd.Exec = flagsOnly(func(ctx context.Context) error {
		return c.useLedger(ctx, func(l *ledger.Ledger) error {
			days, err := l.Sales(ctx, time.Now())
			if err != nil {
				return err
			}
			var books *nodeBooks
			if *ask {
				if err := checkNode(&payments); err != nil {
					return err
				}
				if books, err = compareWithNode(ctx, l, payments); err != nil {
					return err
				}
			}
			return printSales(stdout, days, books, c.json)
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

func printSales(out io.Writer, days []l402.DayOfSales, books *nodeBooks, asJSON bool) error {
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
		doc := map[string]any{"days": rows, "total": total}
		if books != nil {
			doc["node"] = books
		}
		return json.NewEncoder(out).Encode(doc)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "DAY\tKIND\tSOLD\tSAT\tUSED\tOF\tREFUNDED\tREFUNDED SAT\tOPEN\tOPEN SAT")
	total.Day = "total"
	for _, r := range append(rows, total) {
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%.3f\n",
			cmp.Or(r.Day, "unknown"), r.Kind, r.Accounts, r.Sats, r.Used, r.Credits, r.Reimbursed, r.ReimbursedSats,
			r.OpenCredits, float64(r.OpenMilliSats)/1000)
	}
	if books != nil {
		books.print(w)
	}
	return w.Flush()
}

// nodeBooks are the payments that a node lists, beside the accounts.
type nodeBooks struct {
	Since    time.Time     `json:"since"`
	Payments int           `json:"payments"`
	Sats     int64         `json:"sats"`
	Unused   []nodePayment `json:"unused"` // paid, without a request yet
	Unpaid   []string      `json:"unpaid"` // payment hashes of accounts that the node knows no payment of
}

type nodePayment struct {
	Hash   string    `json:"payment_hash"`
	PaidAt time.Time `json:"paid_at"`
	Sats   int64     `json:"sats"`
}

// comparedDays is how many days are compared: accounts are forgotten later.
const comparedDays = 30

func compareWithNode(ctx context.Context, l *ledger.Ledger, cfg server.PaymentConfig) (*nodeBooks, error) {
	b := &nodeBooks{Since: time.Now().UTC().AddDate(0, 0, -comparedDays).Truncate(time.Second), Unused: []nodePayment{}, Unpaid: []string{}}
	// The accounts come first: each was paid before it was opened.
	accounts, err := allAccounts(ctx, l)
	if err != nil {
		return nil, err
	}
	list, err := server.Settled(ctx, cfg, b.Since)
	if err != nil {
		return nil, err
	}
	unused := map[tokenID]nodePayment{}
	for _, p := range list {
		unused[p.Hash] = nodePayment{p.Hash.String(), p.At.UTC(), p.MilliSats / 1000}
		b.Payments++
		b.Sats += p.MilliSats / 1000
	}
	for _, a := range accounts {
		if _, paid := unused[a.Hash]; !paid && a.Sale.Kind == l402.SalePaid && a.Sale.At.After(b.Since) {
			b.Unpaid = append(b.Unpaid, a.Hash.String())
		}
		delete(unused, a.Hash)
	}
	b.Unused = slices.AppendSeq(b.Unused, maps.Values(unused))
	slices.SortFunc(b.Unused, func(x, y nodePayment) int { return x.PaidAt.Compare(y.PaidAt) })
	return b, nil
}

func (b *nodeBooks) print(w io.Writer) {
	sats := int64(0)
	for _, p := range b.Unused {
		sats += p.Sats
	}
	fmt.Fprintf(w, "\nThe node lists %d payments of %d sat since %s; %d of them, %d sat, have no request yet:\n",
		b.Payments, b.Sats, b.Since.Format(time.DateOnly), len(b.Unused), sats)
	for _, p := range b.Unused {
		fmt.Fprintf(w, "%s\t%d sat\t%s\n", p.PaidAt.Format(time.RFC3339), p.Sats, p.Hash)
	}
	if len(b.Unpaid) > 0 {
		fmt.Fprintf(w, "%d accounts were used, and are not among its payments; is it another node, or does somebody read its preimages?\n", len(b.Unpaid))
	}
	for _, hash := range b.Unpaid {
		fmt.Fprintf(w, "unpaid\t\t%s\n", hash)
	}
}

// allAccounts returns every account.
func allAccounts(ctx context.Context, l *ledger.Ledger) (all []l402.Account, err error) {
	var last tokenID
	for {
		page, err := l.Accounts(ctx, last, tokenPage)
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
		if len(page) < tokenPage {
			return all, nil
		}
		last = page[len(page)-1].Hash
	}
}
