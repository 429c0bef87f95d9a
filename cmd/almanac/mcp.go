package main

import (
	"context"
	"io"
	"log/slog"
	"os"

	"github.com/peterbourgon/ff/v3/ffcli"

	"almanac/l402/client"
	"almanac/l402/client/bridge"
	"almanac/l402/client/buyer"
)

// mcpCommand is an MCP server on the standard input and output that forwards a remote one and pays for its paid tools.
func mcpCommand(stdout, stderr io.Writer) *ffcli.Command {
	var s buyer.Settings
	cmd := newBuyerCommand(stderr, "mcp", "almanac mcp [flags] URL", "an MCP server for hosts that start commands, which pays for a remote one", &s)
	cmd.LongHelp = "Speaks MCP on the standard input and output. It forwards the tools, resources and prompts of the MCP server at URL, and pays for\n" +
		"those that cost money, within the budget. The model sees what was spent, and never an invoice, a credential or a wallet."
	ask := cmd.FlagSet.Int64("ask-above", -1, "ask the user, through the host, about payments above this many `satoshis`; below 0 nothing is asked")
	cmd.Exec = func(ctx context.Context, args []string) error {
		address, err := oneAddress(cmd, args, "give the address of one MCP server, for example: almanac mcp https://almanac.example/mcp")
		if err != nil {
			return err
		}
		if err := s.Check(); err != nil {
			return usageError(err.Error())
		}
		log := slog.New(slog.NewTextHandler(stderr, nil)) // the host shows or keeps it
		b, err := bridge.New(bridge.Config{Endpoint: mcpAddress(address), Version: versionText(), AskAbove: *ask, Log: log})
		if err != nil {
			return usageError(err.Error())
		}
		c, err := s.Open(ctx, b.Approve, log)
		if err != nil {
			return err
		}
		defer c.Close()
		return b.RunStdio(ctx, c, os.Stdin, writeCloser{stdout})
	}
	return cmd
}

// mcpAddress adds the usual path to an address that has none.
func mcpAddress(text string) string {
	if u, err := client.ParseAddress(text); err == nil && (u.Path == "" || u.Path == "/") {
		return u.JoinPath("mcp").String()
	}
	return text
}

// A writeCloser is a writer that stays open.
type writeCloser struct{ io.Writer }

// Close implements io.Closer.
func (writeCloser) Close() error { return nil }
