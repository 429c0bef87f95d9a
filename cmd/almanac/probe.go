package main

import (
	"context"
	"io"

	"github.com/peterbourgon/ff/v3/ffcli"

	"almanac/l402/client/buyer"
)

// probeCommand returns the command that examines an address as a paying client would.
func probeCommand(stdout, stderr io.Writer) *ffcli.Command {
	p := &buyer.Probe{Stdout: stdout, Stderr: stderr}
	p.Agent = userAgent()
	cmd := newBuyerCommand(stderr, "probe", "almanac probe [flags] URL", "say what a paying client would meet at an address", &p.Settings)
	cmd.LongHelp = "Asks URL without a credential, and with credentials that prove nothing, and judges how it asks for payment: challenge by challenge,\n" +
		"with the specification behind each finding, and what each kind of client would do. It pays nothing without -pay.\n\n" +
		"Exit status: 0 no faults, 10 faults, 1 it cannot be probed, 2 wrong command line."
	f := cmd.FlagSet
	f.Var((*listFlag)(&p.Headers), "H", "`header` to send, Name: value; may be repeated")
	f.StringVar(&p.Method, "X", "", "request `method` (default GET)")
	f.StringVar(&p.MCP, "mcp", "", "look at the MCP server at this `address` as well")
	f.BoolVar(&p.JSON, "json", false, "print the report as JSON")
	f.BoolVar(&p.All, "all", false, "print what is in order, too")
	f.BoolVar(&p.Pay, "pay", false, "pay once with -wallet, and look at what comes back")
	cmd.Exec = func(ctx context.Context, args []string) error {
		args, err := argumentsAfter(cmd, args)
		if err != nil {
			return err
		}
		if len(args) != 1 {
			return usageError("give one address, for example: almanac probe https://example.com/paid")
		}
		if err := p.Check(); err != nil {
			return usageError(err.Error())
		}
		p.URL = args[0]
		return p.Run(ctx)
	}
	return cmd
}
