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

	"almanac/l402/client"
	"almanac/l402/client/journal"
	"almanac/l402/client/probe"
)

// Credits print what the user owns: the credentials, the requests left of each, and the rest of the budget.
type Credits struct {
	Settings
	JSON   bool
	Stdout io.Writer
}

// A credit is a credential as Credits print it, without its secret.
type credit struct {
	ID         string    `json:"id"`
	Origin     string    `json:"origin"`
	Resource   string    `json:"resource"`
	Scheme     string    `json:"scheme"`
	Remaining  *int64    `json:"remaining"` // null: the seller has not said
	ValidUntil time.Time `json:"valid_until,omitzero"`
	BoughtAt   time.Time `json:"bought_at"`
}

// Run prints the credits of a journal. It asks neither wallet nor seller: each balance is that of the last answer.
func (r *Credits) Run(ctx context.Context, c *client.Client) error {
	owned, err := c.Credentials(ctx)
	if err != nil {
		return err
	}
	spending, err := c.Spending(ctx)
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
	if r.JSON {
		return printJSON(r.Stdout, map[string]any{"credentials": list, "spent_today_msat": spending.Today, "spent_msat": spending.All,
			"day_limit_msat": limit(spending.TodayLimit), "limit_msat": limit(spending.AllLimit)})
	}
	return printCredits(r.Stdout, list, spending)
}

// limit returns a limit, or nil for none.
func limit(msat int64) *int64 {
	if msat == 0 {
		return nil
	}
	return &msat
}

func printCredits(to io.Writer, list []credit, s client.Spending) error {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	for _, c := range list {
		left := "unknown"
		if c.Remaining != nil {
			left = fmt.Sprint(*c.Remaining)
		}
		fmt.Fprintf(w, "%s left\tuntil %s\t%s%s\t%s\t%s\n", left, cmp.Or(date(c.ValidUntil), "unknown"),
			probe.Plain(c.Origin), probe.Plain(c.Resource), c.Scheme, c.ID)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	limitText := func(limit int64) string {
		if limit == 0 {
			return "no limit"
		}
		return "a limit of " + client.Sats(limit)
	}
	_, err := fmt.Fprintf(to, "credentials: %d; spent today %s of %s, in all %s of %s\n",
		len(list), client.Sats(s.Today), limitText(s.TodayLimit), client.Sats(s.All), limitText(s.AllLimit))
	return err
}

// Forget removes a credential from those that are presented.
type Forget struct {
	Settings
	ID     string // as Credits print it
	Stdout io.Writer
}

// Run forgets. The receipt stays.
func (f *Forget) Run(ctx context.Context, c *client.Client) error {
	err := c.Forget(ctx, f.ID)
	if errors.Is(err, journal.ErrUnknown) {
		return fmt.Errorf("there is no credential %q that may be used; almanac credits lists them", f.ID)
	}
	if err == nil {
		_, err = fmt.Fprintf(f.Stdout, "credential %s is not presented any more; its receipt stays\n", f.ID)
	}
	return err
}

// Import keeps a credential that somebody else bought.
type Import struct {
	Settings
	URL    string // that it opens
	Stdin  io.Reader
	Stdout io.Writer
}

// maxCredential bounds a credential, in bytes.
const maxCredential = 64 << 10

// Run reads the value of Authorization, as Share prints it, from Stdin.
func (i *Import) Run(ctx context.Context, c *client.Client) error {
	u, err := client.ParseAddress(i.URL)
	if err != nil {
		return err
	}
	value, err := io.ReadAll(io.LimitReader(i.Stdin, maxCredential))
	if err != nil {
		return fmt.Errorf("read the credential: %w", err)
	}
	credential := strings.TrimSpace(strings.TrimPrefix(string(value), "Authorization:")) // the search page's file has a header
	if err := c.Import(ctx, client.Origin(u), u.EscapedPath(), credential); err != nil {
		return err
	}
	_, err = fmt.Fprintf(i.Stdout, "the credential is presented to %s from now on\n", client.Origin(u))
	return err
}
