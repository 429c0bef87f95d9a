package main

import (
	"context"
	"flag"
	"io"
	"log/slog"
	"os"
	"slices"

	"github.com/peterbourgon/ff/v3/ffcli"

	"go.almanac.example/catalog"
	"go.almanac.example/cmd/almanac/bridge"
	"go.almanac.example/cmd/almanac/buyer"
	"go.almanac.example/fixtures"
	"go.almanac.example/http402/client"
	"go.almanac.example/httpmirror"
	"go.almanac.example/mcpserver"
	"go.almanac.example/server"
	"go.almanac.example/tools"
)

// mcpCommand is an MCP server on the standard input and output: of this program's data, or of a remote server whose
// paid tools it pays for.
func mcpCommand(stdout, stderr io.Writer) *ffcli.Command {
	var s buyer.Settings
	cmd := newBuyerCommand(stderr, "mcp", "almanac mcp [flags] [URL]", "an MCP server for hosts that start commands", &s)
	cmd.LongHelp = "Speaks MCP on the standard input and output. Without URL it serves the data built in, or those of -fixtures,\n" +
		"opens no socket and sells nothing. With URL it forwards the MCP server there, also when that comes and goes, and\n" +
		"pays for what costs money, within the budget; if none is set, it asks the user before the first payment.\n" +
		"The model sees what was spent, and never an invoice, a credential or a wallet."
	source := server.Source{Builtin: fixtures.FS, Terms: catalog.DefaultTerms}
	f := cmd.FlagSet
	f.StringVar(&source.Dir, "fixtures", "", "without URL: `directory` of the curated files (empty: those built in)")
	f.StringVar(&source.BaseURL, "base-url", "", "without URL: public `address` of the data (empty: http://"+
		defaultHTTP+")")
	log := slog.New(slog.NewTextHandler(stderr, nil)) // the host shows or keeps it
	ask := f.Int64("ask-above", -1, "ask the user, through the host, about payments above this many `satoshis`; below 0 about none")
	var address string
	remote := forAddress(cmd, "https://almanac.example/mcp", &address, s.Check, func(ctx context.Context) error {
		cfg := bridge.Config{Endpoint: mcpAddress(address), Version: versionText(), Log: log, AskAbove: *ask}
		if s.Wallet != "" {
			cfg.Budget, cfg.AskFirst = s.Budget, !setsBudget(f)
		}
		b, err := bridge.New(cfg)
		if err != nil {
			return usageError(err.Error())
		}
		c, err := s.Open(ctx, b.Approve, log)
		if err != nil {
			return err
		}
		defer c.Close()
		return b.RunStdio(ctx, c, os.Stdin, stdout)
	})
	cmd.Exec = func(ctx context.Context, args []string) error {
		if len(args) > 0 && source.Dir+source.BaseURL != "" {
			return usageError("-fixtures and -base-url belong to the data served without an address")
		}
		if len(args) > 0 {
			return remote(ctx, args)
		}
		return serveStdio(ctx, source, stdout, log)
	}
	return cmd
}

// setsBudget reports whether the user has decided on payments, by flags, variables or the file of settings.
func setsBudget(f *flag.FlagSet) (set bool) {
	f.Visit(func(f *flag.Flag) {
		set = set || slices.Contains([]string{"max-cost", "max-host-day", "max-day", "max-total", "ask-above"}, f.Name)
	})
	return set
}

// serveStdio serves the data to the host that started this program.
func serveStdio(ctx context.Context, source server.Source, stdout io.Writer, log *slog.Logger) error {
	if err := checkSource(&source); err != nil {
		return err
	}
	site, note := source.Site(defaultHTTP), ""
	if source.BaseURL == "" {
		note = " Addresses at " + site.Base +
			" work only while almanac serve runs on this machine; fetch reads the same by id."
	}
	options := mcpserver.Options{Version: versionText(), Log: log, Explain: explainText}
	load := func() (*catalog.Catalog, tools.ResourceFiles, error) {
		c, err := source.Load(site, catalog.PaymentsOff)
		if err != nil {
			return nil, nil, err
		}
		m, err := httpmirror.Build(c, httpmirror.Options{Version: versionText(), Log: log})
		return c, m, err
	}
	return mcpserver.RunStdio(ctx, os.Stdin, stdout, source.Identity(), site, options, note, load)
}

// mcpAddress adds the usual path to an address that has none.
func mcpAddress(text string) string {
	if u, err := client.ParseAddress(text); err == nil && (u.Path == "" || u.Path == "/") {
		return u.JoinPath("mcp").String()
	}
	return text
}
