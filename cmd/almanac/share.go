package main

import (
	"context"
	"io"

	"github.com/peterbourgon/ff/v3/ffcli"

	"almanac/l402/client/buyer"
)

// shareCommand prints a copy of a credential that can do less.
func shareCommand(stdout, stderr io.Writer) *ffcli.Command {
	s := &buyer.Share{Stdout: stdout}
	cmd := newBuyerCommand(stderr, "share", "almanac share [flags] URL", "hand a part of what was bought to a helper", &s.Settings)
	cmd.LongHelp = "Prints a copy of the credential that was bought for URL, as the value of Authorization. It can make at most -requests requests, and\n" +
		"only -for so long. An almanac counts them as a budget of their own; another seller may count until so many more requests were made\n" +
		"with the payment, whoever makes them. The helper cannot widen the copy. Nothing is paid.\n\n" +
		"Example: almanac share -requests 5 -for 1h https://api.example.com/v1/search"
	cmd.FlagSet.Int64Var(&s.Requests, "requests", 0, "the `number` of requests that the copy may make; 0 sets no limit of its own")
	cmd.FlagSet.DurationVar(&s.For, "for", 0, "`time` that the copy lasts; 0 sets no limit of its own")
	cmd.Exec = func(ctx context.Context, args []string) error {
		args, err := argumentsAfter(cmd, args)
		if err != nil {
			return err
		}
		if len(args) != 1 {
			return usageError("give one address, for example: almanac share -requests 5 https://example.com/paid")
		}
		if s.Requests < 0 || s.For < 0 || s.Requests == 0 && s.For == 0 {
			return usageError("say what the copy can do, with -requests or -for: without them it would be the whole credential")
		}
		s.URL = args[0]
		return s.Run(ctx)
	}
	return cmd
}
