package main

import (
	"context"
	"io"

	"github.com/peterbourgon/ff/v3/ffcli"

	"almanac/l402/client/buyer"
)

// searchCommand searches an almanac, and pays for it when it must and may.
func searchCommand(stdout, stderr io.Writer) *ffcli.Command {
	s := &buyer.Search{Agent: userAgent(), Stdout: stdout, Stderr: stderr, Terminal: isTerminal(stderr)}
	cmd := newBuyerCommand(stderr, "search", "almanac search [flags] WORDS", "search an almanac, and pay for it within a budget", &s.Settings)
	cmd.LongHelp = "Searches the almanac at -at. It pays and exits as almanac get does."
	f := cmd.FlagSet
	f.StringVar(&s.At, "at", "http://localhost:8402", "`address` of the almanac, or of its paid interface")
	f.StringVar(&s.Category, "category", "", "only this `category`")
	f.StringVar(&s.Tag, "tag", "", "only this `tag`")
	f.IntVar(&s.Limit, "limit", 0, "at most this `number` of hits (default the almanac's)")
	f.BoolVar(&s.JSON, "json", false, "print the answer as it came, for programs")
	cmd.Exec = func(ctx context.Context, args []string) error {
		if len(args) == 0 {
			return usageError("give the words to search for, for example: almanac search macaroon caveats")
		}
		if err := s.Check(); err != nil {
			return usageError(err.Error())
		}
		s.Words = args
		return s.Run(ctx)
	}
	return cmd
}
