package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/peterbourgon/ff/v3/ffcli"

	"almanac/l402"
	"almanac/l402/ledger"
)

// grantCommand creates an account without a payment.
func grantCommand(stdout, stderr io.Writer) *ffcli.Command {
	cmd := newCommand(stderr, "grant", "almanac token grant [flags]", "give credits away: an account without a payment, and its credential")
	cmd.LongHelp = "Creates an account for which nobody has paid, marked as granted, and prints its credential, which is the value of Authorization.\n" +
		"Whoever has it can use it: hand it over as you would a password. It is printed once and kept nowhere.\n\n" +
		"Example: almanac token grant -state /var/lib/almanac -credits 500 -days 90"
	var c tokenFlags
	c.register(cmd)
	credits := cmd.FlagSet.Int("credits", 100, "`number` of requests")
	days := cmd.FlagSet.Int("days", 30, "`number` of days that they can be used")
	cmd.Exec = func(ctx context.Context, args []string) error {
		if err := noArguments(args); err != nil {
			return err
		}
		if *credits < 1 || *days < 1 || *days > 36500 {
			return usageError("-credits and -days are at least 1, and -days at most 36500")
		}
		return c.with(ctx, func(l *ledger.Ledger) error {
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
	}
	return cmd
}

// keys reads the key file of the service, which must be the ledger's.
func (c *tokenFlags) keys(ctx context.Context, l *ledger.Ledger) (l402.Keys, error) {
	path := filepath.Join(c.state, "keys")
	if _, err := os.Stat(path); err != nil {
		return l402.Keys{}, fmt.Errorf("open the key file: %w; give the directory of the service with -state", err)
	}
	keys, err := l402.OpenKeys(path)
	if err != nil {
		return l402.Keys{}, err
	}
	return keys, l.Adopt(ctx, keys.IDs())
}
