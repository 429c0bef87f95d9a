package buyer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"go.almanac.example/http402/challenge"
	"go.almanac.example/http402/client"
	"go.almanac.example/http402/journal"
	"go.almanac.example/http402/probe"
	"go.almanac.example/http402/wallet"
	"go.almanac.example/internal/wirejson"
)

// PrintReceipts prints the payments, with payee, purpose and, as JSON, the proof.
func PrintReceipts(ctx context.Context, c *client.Client, asJSON bool, to io.Writer) error {
	all, err := c.Journal().Receipts(ctx)
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(to, append([]journal.Purchase{}, all...)) // an empty list is no null
	}
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	var sum, fees int64
	for _, p := range all {
		what := map[journal.State]string{journal.Paying: "  (not known yet whether it is paid)", journal.Lost: "  (given up; it may be paid)"}[p.State]
		if p.State != journal.Paying {
			sum, fees = sum+p.AmountMilliSats, fees+p.FeeMilliSats
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s %s%s\t%s%s\n", date(p.ReservedAt), client.Sats(p.AmountMilliSats), p.Scheme,
			p.Method, challenge.Plain(p.Origin), challenge.Plain(p.Resource), p.Hash, what)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(to, "payments: %d, of %s and %s for routing\n", len(all), client.Sats(sum), client.Sats(fees))
	return err
}

func printJSON(to io.Writer, v any) error {
	_, err := to.Write(wirejson.Must(wirejson.Indent(v)))
	return err
}

// PrintReport prints the report of a probe. The error is probe.ErrFaults when the address has faults.
func PrintReport(report *probe.Report, asJSON bool, to io.Writer) error {
	write := report.WriteText
	if asJSON {
		write = func(to io.Writer) error { return printJSON(to, report) }
	}
	if err := write(to); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	if report.Faults > 0 {
		return probe.ErrFaults
	}
	return nil
}

func date(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// Repair rebuilds a damaged journal from its intact lines and the wallet's list of payments, and prints its
// findings and the losses.
func (s *Settings) Repair(ctx context.Context, to io.Writer) error {
	w, _, _, err := s.wallet()
	if err != nil {
		return &client.Refusal{Reason: client.WalletFault, Message: err.Error(), Err: err}
	}
	lister, ok := w.(wallet.Lister)
	if !ok {
		return &client.Refusal{Reason: client.WalletFault, Message: "a repair counts the payments of the wallet: give -wallet"}
	}
	path, err := s.journalPath()
	if err != nil {
		return err
	}
	done, err := journal.RepairFile(ctx, path, func(ctx context.Context, since time.Time) ([]journal.Purchase, error) {
		records, err := lister.Payments(ctx, since)
		list := make([]journal.Purchase, len(records))
		for i, p := range records {
			list[i] = journal.Purchase{Hash: p.Hash, State: journal.Used, Description: "counted by a repair; the wallet may have paid it for others",
				AmountMilliSats: p.AmountMilliSats, FeeMilliSats: p.FeeMilliSats, Preimage: p.Preimage,
				ReservedAt: p.At, PaidAt: p.At, UsedAt: p.At}
		}
		return list, err
	}, time.Now())
	switch {
	case errors.Is(err, journal.ErrSound):
		_, err = fmt.Fprintf(to, "%s is in order\n", path)
		return err
	case err != nil:
		return &client.Refusal{Reason: client.JournalFault, Message: err.Error(), Err: err}
	}
	if done.Damaged != "" {
		fmt.Fprintf(to, "the damaged file is %s\n", done.Damaged)
	}
	since := "ever"
	if !done.Since.IsZero() {
		since = "since " + done.Since.UTC().Format(time.DateOnly)
	}
	_, err = fmt.Fprintf(to, "lines lost: %d; kept: %d purchases, %d credentials\n"+
		"payments of the wallet %s that the journal did not have, and that count against the limits now: %d, of %s\n",
		done.Lost, done.Purchases, done.Owned, since, done.Added, client.Sats(done.AddedMilliSats))
	return err
}
