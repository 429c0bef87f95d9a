package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/peterbourgon/ff/v3/ffcli"

	"almanac/l402"
	"almanac/l402/ledger"
)

// tokenPage is how many accounts are read from the ledger at a time.
const tokenPage = 500

type tokenFlags struct {
	ledger, state string
	json          bool
}

// tokenCommand groups what an operator does with the credits that were sold.
func tokenCommand(stdout, stderr io.Writer) *ffcli.Command {
	cmd := newCommand(stderr, "token", "almanac token <list|show|revoke> [flags]", "look at the credits sold, and revoke them")
	cmd.LongHelp = "A token is named by the payment hash of the invoice that bought it, 64 hexadecimal digits."
	cmd.Subcommands = []*ffcli.Command{
		tokenSubcommand(stdout, stderr, "list", "", "list every token that was used", (*tokenFlags).list),
		tokenSubcommand(stdout, stderr, "show", " ID", "show one token", (*tokenFlags).show),
		tokenSubcommand(stdout, stderr, "revoke", " ID", "end a token for good, on every replica", (*tokenFlags).revoke),
	}
	cmd.Exec = func(context.Context, []string) error {
		return usageError("say what to do: almanac token list, show ID or revoke ID")
	}
	return cmd
}

// open opens the ledger, and makes none where there is none.
func (c *tokenFlags) open(ctx context.Context) (l402.Ledger, error) {
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

type tokenAction func(c *tokenFlags, ctx context.Context, l l402.Ledger, out io.Writer, id tokenID) error

func tokenSubcommand(stdout, stderr io.Writer, name, arg, help string, do tokenAction) *ffcli.Command {
	cmd := newCommand(stderr, name, "almanac token "+name+" [flags]"+arg, help)
	var c tokenFlags
	registerLedger(cmd.FlagSet, &c.ledger)
	cmd.FlagSet.StringVar(&c.state, "state", defaultState, "`directory` of the SQLite ledger")
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

func (c *tokenFlags) list(ctx context.Context, l l402.Ledger, out io.Writer, _ tokenID) error {
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

func (c *tokenFlags) show(ctx context.Context, l l402.Ledger, out io.Writer, id tokenID) error {
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

func (c *tokenFlags) revoke(ctx context.Context, l l402.Ledger, out io.Writer, id tokenID) error {
	if err := l.Revoke(ctx, id, time.Now()); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "revoked %x\n", id)
	return err
}
