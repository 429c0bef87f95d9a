package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/peterbourgon/ff/v3/ffcli"

	"go.almanac.example/http402/explain"
	"go.almanac.example/http402/shape"
	"go.almanac.example/http402/testvectors"
)

// measuredClients returns the table by which clients are predicted.
var measuredClients = sync.OnceValue(func() shape.Table {
	return testvectors.Table(func(*testvectors.Shape) bool { return true })
})

// explainText returns the meaning of a text from a payment, for the command and for the service.
func explainText(text string) explain.Reading {
	return explain.Read(text, time.Now(), measuredClients())
}

// explainCommand names the thing that somebody holds from a payment.
func explainCommand(stdout, stderr io.Writer) *ffcli.Command {
	cmd := newCommand(stderr, "explain", "almanac explain [-json] [FILE|-]",
		"explain a 402, an invoice, an offer, a macaroon, a credential or a receipt")
	cmd.LongHelp = "Reads FILE, or the standard input, and fetches nothing. It shows no secret: no preimage, signature or token.\n\n" +
		"Exit status: 0 explained, 1 nothing known or not readable, 2 wrong command line."
	asJSON := cmd.FlagSet.Bool("json", false, "print JSON, for programs")
	cmd.Exec = func(_ context.Context, args []string) error {
		if len(args) > 1 {
			return usageError("give one file, or - for the standard input, for example: curl -si URL | almanac explain")
		}
		in := io.Reader(os.Stdin)
		if len(args) == 1 && args[0] != "-" {
			f, err := os.Open(args[0])
			if err != nil {
				return fmt.Errorf("open what to explain: %w", err)
			}
			defer f.Close()
			in = f
		}
		text, err := io.ReadAll(io.LimitReader(in, explain.MaxInput+1))
		if err != nil {
			return fmt.Errorf("read what to explain: %w", err)
		}
		r := explainText(string(text))
		if *asJSON {
			err = r.WriteJSON(stdout)
		} else {
			_, err = io.WriteString(stdout, r.Text())
		}
		if err == nil && r.Kind == explain.None {
			err = errors.New("nothing known is there. " + r.Reason)
		}
		return err
	}
	return cmd
}
