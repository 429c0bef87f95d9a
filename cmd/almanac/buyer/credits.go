package buyer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"go.almanac.example/http402/challenge"
	"go.almanac.example/http402/client"
	"go.almanac.example/http402/journal"
)

// A credit is a credential as PrintCredits prints it, without its secret.
type credit struct {
	ID         string    `json:"id"`
	Origin     string    `json:"origin"`
	Resource   string    `json:"resource"`
	Scheme     string    `json:"scheme"`
	Remaining  *int64    `json:"remaining"` // null: the seller has not said
	ValidUntil time.Time `json:"valid_until,omitzero"`
	BoughtAt   time.Time `json:"bought_at"`
}

// PrintCredits prints the credentials, the requests left of each, and the rest of the budget. It asks neither wallet nor
// seller: each balance is that of the last answer.
func PrintCredits(ctx context.Context, c *client.Client, asJSON bool, to io.Writer) error {
	owned, err := c.Journal().Credentials(ctx, "")
	if err != nil {
		return err
	}
	taken, limits, err := c.Spending(ctx)
	if err != nil {
		return err
	}
	list := []credit{}
	for _, o := range owned {
		one := credit{o.ID, o.Origin, o.Resource, o.Scheme, nil, o.ValidUntil, o.BoughtAt}
		if o.Remaining >= 0 {
			one.Remaining = &o.Remaining
		}
		list = append(list, one)
	}
	if asJSON {
		all := map[string]any{"credentials": list, "spent_today_msat": taken.Day, "spent_msat": taken.Total,
			"day_limit_msat": nil, "limit_msat": nil} // null is no limit
		for name, limit := range map[string]int64{"day_limit_msat": limits.Day, "limit_msat": limits.Total} {
			if limit > 0 {
				all[name] = limit
			}
		}
		return printJSON(to, all)
	}
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	for _, c := range list {
		left := "unknown"
		if c.Remaining != nil {
			left = fmt.Sprint(*c.Remaining)
		}
		fmt.Fprintf(w, "%s left\tuntil %s\t%s%s\t%s\t%s\n", left, cmp.Or(date(c.ValidUntil), "unknown"),
			challenge.Plain(c.Origin), challenge.Plain(c.Resource), c.Scheme, c.ID)
	}
	limit := func(msat int64) string {
		if msat == 0 {
			return "no limit"
		}
		return "a limit of " + client.Sats(msat)
	}
	fmt.Fprintf(w, "credentials: %d; spent today %s of %s, in all %s of %s\n", len(list),
		client.Sats(taken.Day), limit(limits.Day), client.Sats(taken.Total), limit(limits.Total))
	return w.Flush()
}

// Forget removes a credential from those that are presented, by its id as PrintCredits prints it, or gives up a payment
// whose outcome is not known, by its hash. The receipt stays.
func Forget(ctx context.Context, c *client.Client, id string, to io.Writer) error {
	id = strings.ToLower(strings.TrimSpace(id))
	lost, err := c.Journal().Forget(ctx, id)
	switch {
	case errors.Is(err, journal.ErrUnknown):
		return fmt.Errorf("there is no credential %q that may be used, and no payment under way; almanac credits and almanac receipts list them", id)
	case err != nil:
		return err
	case lost:
		_, err = fmt.Fprintf(to, "payment %s is given up: it counts as spent, and its seller can be paid again; its receipt stays\n", id)
	default:
		_, err = fmt.Fprintf(to, "credential %s is not presented any more; its receipt stays\n", id)
	}
	return err
}

// Import keeps a credential for an address that somebody else bought: the value of Authorization.
func Import(ctx context.Context, c *client.Client, address string, from io.Reader, to io.Writer) error {
	u, err := client.ParseAddress(address)
	if err != nil {
		return err
	}
	value, err := io.ReadAll(io.LimitReader(from, 64<<10))
	if err != nil {
		return fmt.Errorf("read the credential: %w", err)
	}
	if err := c.Import(ctx, client.Origin(u), u.EscapedPath(), string(value)); err != nil {
		return err
	}
	_, err = fmt.Fprintf(to, "the credential is presented to %s from now on\n", client.Origin(u))
	return err
}
