package buyer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"almanac/l402/client"
	"almanac/l402/client/journal"
	"almanac/l402/client/wallet"
)

// Repair writes a damaged journal anew, of its intact lines and of the wallet's list of payments, and prints its
// findings and the losses.
func (s *Settings) Repair(ctx context.Context, to io.Writer) error {
	w, _, err := s.wallet()
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
				SeenAt: p.At, ReservedAt: p.At, PaidAt: p.At, UsedAt: p.At}
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
