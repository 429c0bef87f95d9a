package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/peterbourgon/ff/v3/ffcli"

	"almanac/l402"
	"almanac/l402/ledger"
)

// tokenPage is how many accounts are read from the ledger at a time.
const tokenPage = 500

type tokenConfig struct {
	ledger, state string
	json          bool
}

// tokenCommand groups what an operator does with the credits that were sold.
func tokenCommand(stdout, stderr io.Writer) *ffcli.Command {
	cmd := newCommand(stderr, "token", "almanac token <list|show|revoke> [flags]", "look at the credits sold, and revoke them")
	cmd.LongHelp = "A token is named by the payment hash of the invoice that bought it, 64 hexadecimal digits."
	cmd.Subcommands = []*ffcli.Command{
		tokenSubcommand(stdout, stderr, "list", "", "list every token that was used", (*tokenConfig).list),
		tokenSubcommand(stdout, stderr, "show", " ID", "show one token", (*tokenConfig).show),
		tokenSubcommand(stdout, stderr, "revoke", " ID", "end a token for good, on every replica", (*tokenConfig).revoke),
	}
	cmd.Exec = func(context.Context, []string) error {
		return usageError("say what to do: almanac token list, show ID or revoke ID")
	}
	return cmd
}

// open opens the ledger, and makes none where there is none.
func (c *tokenConfig) open(ctx context.Context) (l402.Ledger, error) {
	url := ledgerURL(c.ledger, c.state)
	if file, ok := strings.CutPrefix(url, "sqlite:"); ok {
		if _, err := os.Stat(file); err != nil {
			return nil, fmt.Errorf("open the ledger: %w; say with -state or -ledger where it is", err)
		}
	}
	return ledger.Open(ctx, url)
}

// A tokenID is the payment hash that names a token.
type tokenID = [32]byte

type tokenAction func(c *tokenConfig, ctx context.Context, l l402.Ledger, out io.Writer, id tokenID) error

func tokenSubcommand(stdout, stderr io.Writer, name, arg, help string, do tokenAction) *ffcli.Command {
	cmd := newCommand(stderr, name, "almanac token "+name+" [flags]"+arg, help)
	var c tokenConfig
	cmd.FlagSet.StringVar(&c.ledger, "ledger", "", "`place` where credits are kept: sqlite:FILE or postgres://… (empty: SQLite in -state)")
	cmd.FlagSet.StringVar(&c.state, "state", "almanac-state", "`directory` of the SQLite ledger")
	cmd.FlagSet.BoolVar(&c.json, "json", false, "print JSON, one token a line")
	cmd.Exec = func(ctx context.Context, args []string) error {
		id, err := parseTokenID(args, arg != "")
		if err != nil {
			return err
		}
		l, err := c.open(ctx)
		if err != nil {
			return err
		}
		return errors.Join(do(&c, ctx, l, stdout, id), l.Close())
	}
	return cmd
}

func parseTokenID(args []string, wanted bool) (tokenID, error) {
	if !wanted {
		return tokenID{}, noArguments(args)
	}
	if len(args) != 1 {
		return tokenID{}, usageError("give one token id: the payment hash, 64 hexadecimal digits")
	}
	id, err := l402.ParseTokenID(args[0])
	if err != nil {
		return tokenID{}, usageError(err.Error())
	}
	return id, nil
}

func (c *tokenConfig) list(ctx context.Context, l l402.Ledger, out io.Writer, _ tokenID) error {
	print, flush := c.printer(out)
	var last tokenID
	for {
		accounts, err := l.Accounts(ctx, last, tokenPage)
		if err != nil {
			return err
		}
		for _, a := range accounts {
			print(a)
			last = a.Hash
		}
		if len(accounts) < tokenPage {
			return flush()
		}
	}
}

func (c *tokenConfig) show(ctx context.Context, l l402.Ledger, out io.Writer, id tokenID) error {
	a, err := l.Account(ctx, id)
	if errors.Is(err, l402.ErrUnknownAccount) {
		return fmt.Errorf("token %x was never used: the ledger knows a token from its first request on", id)
	}
	if err != nil {
		return err
	}
	print, flush := c.printer(out)
	print(a)
	return flush()
}

func (c *tokenConfig) revoke(ctx context.Context, l l402.Ledger, out io.Writer, id tokenID) error {
	if err := l.Revoke(ctx, id, time.Now()); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "revoked %x\n", id)
	return err
}

// printer gives a function that prints an account as a row or as JSON, and one that ends the list.
func (c *tokenConfig) printer(out io.Writer) (print func(l402.Account), flush func() error) {
	if c.json {
		enc := json.NewEncoder(out)
		var failed error
		return func(a l402.Account) { failed = errors.Join(failed, enc.Encode(tokenRow(a))) }, func() error { return failed }
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tUSED\tCREDITS\tFIRST USED\tLAST USED\tEXPIRES\tREVOKED")
	return func(a l402.Account) {
		r := tokenRow(a)
		fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%s\t%s\t%s\n", r.ID, r.Used, r.Credits, r.FirstUsed, r.LastUsed, r.ExpiresAt, r.RevokedAt)
	}, w.Flush
}

// A row is a token as it is printed. Times that are not known are empty.
type row struct {
	ID        string `json:"id"`
	Credits   int    `json:"credits"`
	Used      int    `json:"used"`
	FirstUsed string `json:"first_used"`
	LastUsed  string `json:"last_used"`
	ExpiresAt string `json:"expires_at"`
	RevokedAt string `json:"revoked_at"`
}

func tokenRow(a l402.Account) row {
	stamp := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return t.UTC().Format(time.RFC3339)
	}
	return row{a.Hash.String(), a.Credits, a.Used, stamp(a.FirstUsed), stamp(a.LastUsed), stamp(a.ExpiresAt), stamp(a.RevokedAt)}
}
