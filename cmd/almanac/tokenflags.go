package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/peterbourgon/ff/v3/ffcli"

	"almanac/l402"
	"almanac/l402/ledger"
)

// tokenFlags are the flags of the token commands.
type tokenFlags struct {
	ledger, state string
	json          bool
}

func (c *tokenFlags) register(cmd *ffcli.Command) {
	registerLedger(cmd.FlagSet, &c.ledger)
	cmd.FlagSet.StringVar(&c.state, "state", defaultState, "`directory` of the key file and the SQLite ledger")
	acceptConfigFile(cmd, false)
	cmd.FlagSet.BoolVar(&c.json, "json", false, "print JSON")
}

// with opens the ledger for do.
func (c *tokenFlags) with(ctx context.Context, do func(*ledger.Ledger) error) error {
	l, err := c.open(ctx)
	if err != nil {
		return err
	}
	return errors.Join(do(l), l.Close())
}

// open opens the ledger, which must exist: a mistyped path must not create an empty one.
func (c *tokenFlags) open(ctx context.Context) (*ledger.Ledger, error) {
	url := ledgerURL(c.ledger, c.state)
	if file, ok := strings.CutPrefix(url, "sqlite:"); ok {
		if _, err := os.Stat(file); err != nil {
			return nil, fmt.Errorf("open the ledger: %w; give its place with -state or -ledger", err)
		}
	}
	return ledger.Open(ctx, url)
}

// A tokenID is a payment hash.
type tokenID = [32]byte

// parseTokenID reads the one argument, or refuses any when none is wanted.
func parseTokenID(args []string, wanted bool) (tokenID, error) {
	if !wanted {
		return tokenID{}, noArguments(args)
	}
	if len(args) != 1 {
		return tokenID{}, usageError("this command takes one token id: the payment hash, 64 hexadecimal digits")
	}
	id, err := l402.ParseTokenID(args[0])
	if err != nil {
		return tokenID{}, usageError(err.Error())
	}
	return id, nil
}
