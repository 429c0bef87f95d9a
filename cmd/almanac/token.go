package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/peterbourgon/ff/v3/ffcli"

	"almanac/l402"
	"almanac/l402/ledger"
)

// tokenPage is the number of accounts read from the ledger at a time.
const tokenPage = 500

// tokenCommand groups what an operator does with the credits that were sold.
func tokenCommand(stdout, stderr io.Writer) *ffcli.Command {
	cmd := newCommand(stderr, "token", "almanac token <list|show|grant|refund|revoke> [flags]", "list, show, grant, refund and revoke credits")
	cmd.LongHelp = "A token's id is the payment hash of the invoice that bought it, 64 hexadecimal digits."
	cmd.Subcommands = []*ffcli.Command{
		tokenSubcommand(stdout, stderr, "list", "", "list every token that has been used", (*tokenFlags).list),
		tokenSubcommand(stdout, stderr, "show", " ID", "show one token", (*tokenFlags).show),
		tokenSubcommand(stdout, stderr, "revoke", " ID", "revoke a token for good, on every replica", (*tokenFlags).revoke),
		tokenSubcommand(stdout, stderr, "refund", " ID", "mark a token as paid back, and revoke it; this sends no money", (*tokenFlags).refund),
		grantCommand(stdout, stderr),
	}
	cmd.Exec = func(context.Context, []string) error {
		return usageError("token needs a command: almanac token list, show ID, grant, refund ID or revoke ID")
	}
	return cmd
}

// A tokenAction is what a subcommand does with the open ledger.
type tokenAction func(c *tokenFlags, ctx context.Context, l *ledger.Ledger, out io.Writer, id tokenID) error

func tokenSubcommand(stdout, stderr io.Writer, name, arg, help string, do tokenAction) *ffcli.Command {
	cmd := newCommand(stderr, name, "almanac token "+name+" [flags]"+arg, help)
	var c tokenFlags
	c.register(cmd)
	cmd.Exec = func(ctx context.Context, args []string) error {
		id, err := parseTokenID(args, arg != "")
		if err != nil {
			return err
		}
		return c.with(ctx, func(l *ledger.Ledger) error { return do(&c, ctx, l, stdout, id) })
	}
	return cmd
}

func (c *tokenFlags) list(ctx context.Context, l *ledger.Ledger, out io.Writer, _ tokenID) error {
	p := newTokenPrinter(out, c.json)
	var last tokenID
	for {
		accounts, err := l.Accounts(ctx, last, tokenPage)
		if err != nil {
			return err
		}
		for _, a := range accounts {
			p.print(a)
			last = a.Hash
		}
		if len(accounts) < tokenPage {
			return p.flush()
		}
	}
}

func (c *tokenFlags) show(ctx context.Context, l *ledger.Ledger, out io.Writer, id tokenID) error {
	a, err := l.Account(ctx, id)
	if errors.Is(err, l402.ErrUnknownAccount) {
		return fmt.Errorf("token %x has never been used: the ledger knows a token from its first request on", id)
	}
	if err != nil {
		return err
	}
	p := newTokenPrinter(out, c.json)
	p.print(a)
	return p.flush()
}
