package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/peterbourgon/ff/v3/ffcli"

	"go.almanac.example/l402"
	"go.almanac.example/l402/ledger"
)

// tokenCommand groups the commands about sold credits.
func tokenCommand(stdout, stderr io.Writer) *ffcli.Command {
	cmd := newCommand(stderr, "token", "almanac token <list|show|grant|refund|revoke> [flags]",
		"list, show, grant, refund and revoke credits")
	cmd.LongHelp = "A token's id is the payment hash of the invoice that bought it, 64 hexadecimal digits."
	cmd.Subcommands = []*ffcli.Command{
		listTokensCommand(stdout, stderr),
		tokenSubcommand(stdout, stderr, "show", "show one token", (*tokenFlags).show),
		tokenSubcommand(stdout, stderr, "revoke", "revoke a token for good, on every replica", (*tokenFlags).revoke),
		tokenSubcommand(stdout, stderr, "refund", "mark a token as paid back, and revoke it; this sends no money", (*tokenFlags).refund),
		grantCommand(stdout, stderr),
	}
	cmd.Exec = func(context.Context, []string) error {
		return usageError("token needs a command: almanac token list, show ID, grant, refund ID or revoke ID")
	}
	return cmd
}

// listTokensCommand prints every account.
func listTokensCommand(stdout, stderr io.Writer) *ffcli.Command {
	cmd := newCommand(stderr, "list", "almanac token list [flags]", "list every token that has been used")
	var c tokenFlags
	c.register(cmd)
	cmd.Exec = flagsOnly(func(ctx context.Context) error {
		return c.useLedger(ctx, func(l *ledger.Ledger) error {
			accounts, err := l.Accounts(ctx)
			if err != nil {
				return err
			}
			return c.print(stdout, accounts...)
		})
	})
	return cmd
}

// A tokenAction is the work of a subcommand for one token on the open ledger.
type tokenAction func(c *tokenFlags, ctx context.Context, l *ledger.Ledger, out io.Writer, id tokenID) error

func tokenSubcommand(stdout, stderr io.Writer, name, help string, do tokenAction) *ffcli.Command {
	cmd := newCommand(stderr, name, "almanac token "+name+" [flags] ID", help)
	var c tokenFlags
	c.register(cmd)
	cmd.Exec = oneArgument("this command takes one token id: the payment hash, 64 hexadecimal digits",
		func(ctx context.Context, arg string) error {
			id, err := l402.ParseTokenID(arg)
			if err != nil {
				return usageError(err.Error())
			}
			return c.useLedger(ctx, func(l *ledger.Ledger) error { return do(&c, ctx, l, stdout, id) })
		})
	return cmd
}

func (c *tokenFlags) show(ctx context.Context, l *ledger.Ledger, out io.Writer, id tokenID) error {
	a, err := l.Account(ctx, id)
	if errors.Is(err, l402.ErrUnknownAccount) {
		return fmt.Errorf("token %x has never been used: the ledger knows a token from its first request on", id)
	}
	if err != nil {
		return err
	}
	return c.print(out, a)
}

func (c *tokenFlags) revoke(ctx context.Context, l *ledger.Ledger, out io.Writer, id tokenID) error {
	_, warning, err := seen(ctx, l, id)
	if err != nil {
		return err
	}
	if err := l.Revoke(ctx, id, time.Now()); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "revoked %x\n%s", id, warning)
	return err
}

func (c *tokenFlags) refund(ctx context.Context, l *ledger.Ledger, out io.Writer, id tokenID) error {
	a, warning, err := seen(ctx, l, id)
	if err != nil {
		return err
	}
	if err := l.Reimburse(ctx, id, time.Now()); err != nil {
		return err
	}
	price := "what it was sold for is not known"
	if a.Sale.Kind != l402.SaleUnknown {
		price = fmt.Sprintf("it was %s, for %d sat", a.Sale.Kind, a.Sale.PriceSats)
	}
	_, err = fmt.Fprintf(out, "marked %x as refunded, and revoked it: %s, and %d of %d credits were used\n"+
		"no money was sent: a Lightning payment cannot be returned to its sender, so pay an invoice that the buyer gives you\n%s",
		id, price, a.Used, a.Credits, warning)
	return err
}

// seen returns the account of a token, or a warning if the ledger does not know it, perhaps because of a mistyped id.
func seen(ctx context.Context, l *ledger.Ledger, id tokenID) (a l402.Account, warning string, err error) {
	a, err = l.Account(ctx, id)
	if errors.Is(err, l402.ErrUnknownAccount) {
		return a, "warning: the ledger has never seen this token; if it should have been used, check the id\n", nil
	}
	return a, "", err
}

// tokenFlags are the flags of the token commands.
type tokenFlags struct {
	stateFlags
	json bool
}

func (c *tokenFlags) register(cmd *ffcli.Command) {
	c.stateFlags.register(cmd)
	cmd.FlagSet.BoolVar(&c.json, "json", false, "print JSON")
}

// useLedger opens the ledger for do, and closes it. It must exist: a mistyped path must not create an empty one.
func (c *tokenFlags) useLedger(ctx context.Context, do func(*ledger.Ledger) error) error {
	url := c.ledgerURL()
	if file, ok := strings.CutPrefix(url, "sqlite:"); ok {
		if _, err := os.Stat(file); err != nil {
			return fmt.Errorf("open the ledger: %w; give its place with -state or -ledger", err)
		}
	}
	l, err := ledger.Open(ctx, url)
	if err != nil {
		return err
	}
	return errors.Join(do(l), l.Close())
}

// A tokenID is a payment hash.
type tokenID = [32]byte

// grantCommand creates an account without a payment.
func grantCommand(stdout, stderr io.Writer) *ffcli.Command {
	cmd := newCommand(stderr, "grant", "almanac token grant [flags]", "give credits away: an account without a payment, and its credential")
	cmd.LongHelp = "Creates an account for which nobody has paid, marked as granted, and prints its credential, which is the value of Authorization.\n" +
		"Anybody who has it can use it: hand it over as you would a password. It is printed once and kept nowhere.\n\n" +
		"Example: almanac token grant -state /var/lib/almanac -credits 500 -days 90"
	var c tokenFlags
	c.register(cmd)
	credits := cmd.FlagSet.Int("credits", 100, "`number` of requests")
	days := cmd.FlagSet.Int("days", 30, "`number` of days that they can be used")
	cmd.Exec = flagsOnly(func(ctx context.Context) error {
		if *credits < 1 || *days < 1 || *days > 36500 {
			return usageError("-credits and -days are at least 1, and -days at most 36500")
		}
		return c.useLedger(ctx, func(l *ledger.Ledger) error {
			keys, err := c.keys(ctx, l)
			if err != nil {
				return err
			}
			now := time.Now()
			authorization, account, err := l402.NewGrant(keys, *credits, now, now.AddDate(0, 0, *days))
			if err != nil {
				return err
			}
			if err := l.Grant(ctx, account); err != nil {
				return err
			}
			if c.json {
				return json.NewEncoder(stdout).Encode(struct {
					tokenRow
					Authorization string `json:"authorization"`
				}{tokenRowOf(account), authorization})
			}
			_, err = fmt.Fprintf(stdout, "%s\n", authorization)
			return err
		})
	})
	return cmd
}

// keys reads the key file of the service, which must be the ledger's.
func (c *tokenFlags) keys(ctx context.Context, l *ledger.Ledger) (l402.Keys, error) {
	keys, err := l402.ReadKeys(filepath.Join(c.state, "keys"))
	if errors.Is(err, fs.ErrNotExist) {
		return l402.Keys{}, fmt.Errorf("%w; give the directory of the service with -state", err)
	}
	if err != nil {
		return l402.Keys{}, err
	}
	return keys, l.Adopt(ctx, keys.IDs())
}

// print prints accounts as a table, or as one JSON object per line.
func (c *tokenFlags) print(out io.Writer, accounts ...l402.Account) error {
	if c.json {
		e := json.NewEncoder(out)
		for _, a := range accounts {
			if err := e.Encode(tokenRowOf(a)); err != nil {
				return err
			}
		}
		return nil
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tUSED\tCREDITS\tFIRST USED\tLAST USED\tVALID UNTIL\tREVOKED\tSALE\tSAT\tSOLD\tREFUNDED")
	for _, a := range accounts {
		r := tokenRowOf(a)
		fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%s\t%s\t%s\t%s\t%d\t%s\t%s\n", r.ID, r.Used, r.Credits, r.FirstUsed,
			r.LastUsed, r.ValidUntil, r.RevokedAt, r.Sale, r.PriceSats, r.SoldAt, r.RefundedAt)
	}
	return w.Flush()
}

// A tokenRow is a token as it is printed. Times that are not known are empty.
type tokenRow struct {
	ID         string `json:"id"`
	Credits    int    `json:"credits"`
	Used       int    `json:"used"`
	FirstUsed  string `json:"first_used"`
	LastUsed   string `json:"last_used"`
	ValidUntil string `json:"valid_until"`
	RevokedAt  string `json:"revoked_at"`
	Sale       string `json:"sale"`
	PriceSats  int64  `json:"price_sats"`
	SoldAt     string `json:"sold_at"`
	RefundedAt string `json:"refunded_at"`
}

func tokenRowOf(a l402.Account) tokenRow {
	stamp := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return t.UTC().Format(time.RFC3339)
	}
	return tokenRow{a.Hash.String(), a.Credits, a.Used, stamp(a.FirstUsed), stamp(a.LastUsed), stamp(a.ExpiresAt),
		stamp(a.RevokedAt), a.Sale.Kind.String(), a.Sale.PriceSats, stamp(a.Sale.At), stamp(a.ReimbursedAt)}
}
