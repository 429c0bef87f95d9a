package main

import (
	"context"
	"io"
	"os"

	"github.com/peterbourgon/ff/v3/ffcli"

	"almanac/l402/client/buyer"
)

// getCommand gets an address, and pays for it when it must and may.
func getCommand(stdout, stderr io.Writer) *ffcli.Command {
	g := &buyer.Get{Agent: userAgent(), Stdin: os.Stdin, Stdout: stdout, Stderr: stderr, Terminal: isTerminal(stderr)}
	cmd := newBuyerCommand(stderr, "get", "almanac get [flags] URL", "get an address, and pay for it within a budget", &g.Settings)
	cmd.LongHelp = "Gets URL. When the answer is 402 Payment Required with a Lightning challenge (L402, or Payment), it checks the invoice,\n" +
		"pays it with -wallet if every limit allows, and asks again with the proof. What was bought is kept and used until it is used up.\n\n" +
		"Exit status: 0 served, 1 failure, 2 wrong command line, 3 the answer is an error, 4 not paid: a limit, 5 not paid: a wrong challenge,\n" +
		"6 the wallet could not pay, 7 not known yet whether it is paid, 8 paid and not accepted, 9 the wallet or the journal does not work."
	f := cmd.FlagSet
	f.Var((*listFlag)(&g.Headers), "H", "`header` to send, Name: value; may be repeated")
	f.StringVar(&g.Data, "d", "", "`data` to POST; @FILE reads a file, @- the standard input")
	f.StringVar(&g.Method, "X", "", "request `method` (default GET, or POST with -d)")
	f.StringVar(&g.Output, "o", "", "`file` for the answer (default the standard output)")
	f.BoolVar(&g.Include, "i", false, "write the status and the headers, too")
	f.BoolVar(&g.DryRun, "dry-run", false, "show the price and what would be paid, and pay nothing")
	cmd.Exec = func(ctx context.Context, args []string) error {
		args, err := argumentsAfter(cmd, args)
		if err != nil {
			return err
		}
		if len(args) != 1 {
			return usageError("give one address, for example: almanac get https://example.com/paid")
		}
		if err := g.Check(); err != nil {
			return usageError(err.Error())
		}
		g.URL = args[0]
		return g.Run(ctx)
	}
	return cmd
}
