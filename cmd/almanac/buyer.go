package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/peterbourgon/ff/v3/ffcli"

	"go.almanac.example/cmd/almanac/buyer"
	"go.almanac.example/http402/client"
	"go.almanac.example/http402/probe"
	"go.almanac.example/http402/shape"
)

// newBuyerCommand is newCommand for a command that pays: its settings can also be in a file.
func newBuyerCommand(stderr io.Writer, name, usage, help string, s *buyer.Settings) *ffcli.Command {
	cmd := newCommand(stderr, name, usage, help)
	acceptConfigFile(cmd, defaultBuyerConfig(), false)
	s.Register(cmd.FlagSet)
	return cmd
}

func defaultBuyerConfig() string {
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "almanac", "buyer.conf")
}

// userAgent returns the name under which the buyer sends requests.
func userAgent() string { return "almanac/" + versionText() }

// forAddress returns the Exec of a command on one address, which flags may follow, as curl takes them. check judges the
// flags; run finds the address in to.
func forAddress(
	cmd *ffcli.Command, example string, to *string, check func() error, run func(context.Context) error,
) func(context.Context, []string) error {
	return func(ctx context.Context, args []string) error {
		addresses, err := splitWords(cmd.FlagSet, args)
		if err != nil {
			return err
		}
		if len(addresses) != 1 {
			return usageError("give one address, for example: almanac " + cmd.Name + " " + example)
		}
		_, err = client.ParseAddress(addresses[0])
		if err = cmp.Or(err, check()); err != nil {
			return usageError(err.Error())
		}
		*to = addresses[0]
		return run(ctx)
	}
}

// splitWords returns the words among args, and sets the flags of f among them, each with its value. After -- there are only
// words.
func splitWords(f *flag.FlagSet, args []string) (words []string, err error) {
	for len(args) > 0 && args[0] != "--" {
		text := strings.TrimLeft(args[0], "-")
		name, _, given := strings.Cut(text, "=")
		if text == args[0] || name == "" {
			words, args = append(words, args[0]), args[1:]
			continue
		}
		taken := 1
		if known := f.Lookup(name); known != nil && takesValue(known) && !given {
			taken = min(2, len(args))
		}
		if err := f.Parse(args[:taken]); errors.Is(err, flag.ErrHelp) {
			return nil, err
		} else if err != nil {
			return nil, usageError(err.Error())
		}
		args = args[taken:]
	}
	return append(words, args[min(1, len(args)):]...), nil
}

// registerHeaders adds the flag of headers, which may be given more than once.
func registerHeaders(f *flag.FlagSet) http.Header {
	headers := http.Header{}
	f.Func("H", "`header` to send, Name: value; may be repeated", func(header string) error {
		name, value, ok := strings.Cut(header, ":")
		if !ok || strings.TrimSpace(name) == "" {
			return errors.New("it is not of the form Name: value")
		}
		headers.Set(strings.TrimSpace(name), strings.TrimSpace(value))
		return nil
	})
	return headers
}

// getCommand gets an address, and pays for it when it must and may.
func getCommand(stdout, stderr io.Writer) *ffcli.Command {
	g := &buyer.Get{Agent: userAgent(), Stdin: os.Stdin, Stdout: stdout, Stderr: stderr, Terminal: isTerminal(stderr)}
	cmd := newBuyerCommand(stderr, "get", "almanac get [flags] URL", "get an address, and pay for it within a budget", &g.Settings)
	cmd.LongHelp = "Gets URL. When the answer is 402 Payment Required with a Lightning challenge (L402, or Payment), it checks the invoice,\n" +
		"pays it with -wallet if every limit allows, and asks again with the proof. What was bought is kept and used until it is used up.\n\n" +
		"Exit status: 0 served, 1 failure, 2 wrong command line, 3 the answer is an error or a redirect, 4 not paid: a limit, 5 not paid: a wrong challenge,\n" +
		"6 the wallet could not pay, 7 not known yet whether it is paid, 8 paid and not accepted, 9 the wallet or the journal does not work."
	f := cmd.FlagSet
	g.Headers = registerHeaders(f)
	f.StringVar(&g.Data, "d", "", "`data` to POST; @FILE reads a file, @- the standard input")
	f.StringVar(&g.Method, "X", "", "request `method` (default GET, or POST with -d)")
	f.StringVar(&g.Output, "o", "", "`file` for the answer (default the standard output)")
	f.BoolVar(&g.Follow, "L", false, "follow redirects, and never pay after one to another origin")
	f.BoolVar(&g.Private, "allow-private", false, "with -L, follow redirects from the Internet into private networks")
	f.DurationVar(&g.MaxTime, "max-time", 5*time.Minute,
		"the `time` that all may take, except that a payment that has begun is waited for; 0 sets no limit")
	f.BoolVar(&g.JSON, "json", false, "print a summary for programs: status, payment, credits left, and the reason of a refusal; the answer goes to -o")
	f.BoolVar(&g.DryRun, "dry-run", false, "show the price and what would be paid, and pay nothing")
	cmd.Exec = forAddress(cmd, "https://example.com/paid", &g.URL, g.Check, g.Run)
	return cmd
}

// listCommand prints something of the journal.
func listCommand(
	stdout, stderr io.Writer, name, help, jsonHelp string, print func(context.Context, *client.Client, bool, io.Writer) error,
) *ffcli.Command {
	var s buyer.Settings
	cmd := newBuyerCommand(stderr, name, "almanac "+name+" [flags]", help, &s)
	asJSON := cmd.FlagSet.Bool("json", false, jsonHelp)
	cmd.Exec = flagsOnly(func(ctx context.Context) error {
		return s.ReadJournal(ctx, stderr, func(c *client.Client) error { return print(ctx, c, *asJSON, stdout) })
	})
	return cmd
}

// receiptsCommand prints the payments.
func receiptsCommand(stdout, stderr io.Writer) *ffcli.Command {
	return listCommand(stdout, stderr, "receipts", "print what was paid: when, to whom, for what, with the proof",
		"print JSON, with preimages and invoices", buyer.PrintReceipts)
}

// creditsCommand prints what the user owns.
func creditsCommand(stdout, stderr io.Writer) *ffcli.Command {
	cmd := listCommand(stdout, stderr, "credits", "print what was bought and is left, and the rest of the budget", "print JSON",
		buyer.PrintCredits)
	cmd.LongHelp = "Lists the credentials of the journal, where each works, the requests that its seller last said are left, and the amounts spent\n" +
		"beside the limits. Secrets are not printed. It asks neither wallet nor seller."
	return cmd
}

// forgetCommand removes a credential, or gives up a payment.
func forgetCommand(stdout, stderr io.Writer) *ffcli.Command {
	var s buyer.Settings
	cmd := newBuyerCommand(stderr, "forget", "almanac forget [flags] ID", "present a credential no more, or give a payment up as lost", &s)
	cmd.LongHelp = "ID is that of almanac credits, or the hash of a payment whose preimage never came, which counts as spent from now on.\n" +
		"The receipt of the payment stays."
	cmd.Exec = oneArgument("give the id of one credential or payment; almanac credits and almanac receipts list them",
		func(ctx context.Context, id string) error {
			return s.ReadJournal(ctx, stderr, func(c *client.Client) error { return buyer.Forget(ctx, c, id, stdout) })
		})
	return cmd
}

// importCommand keeps a credential that somebody else bought.
func importCommand(stdout, stderr io.Writer) *ffcli.Command {
	var s buyer.Settings
	cmd := newBuyerCommand(stderr, "import", "almanac import [flags] URL < CREDENTIAL", "keep a credential that was bought elsewhere", &s)
	cmd.LongHelp = "Reads a credential from the standard input, so that it is in no list of processes: the value of Authorization, or the file that\n" +
		"the search page downloads. It is presented to URL's host from then on."
	address := ""
	cmd.Exec = forAddress(cmd, "https://example.com/paid", &address, s.Check, func(ctx context.Context) error {
		return s.UseJournal(ctx, func(c *client.Client) error { return buyer.Import(ctx, c, address, os.Stdin, stdout) })
	})
	return cmd
}

// repairCommand rebuilds a damaged journal.
func repairCommand(stdout, stderr io.Writer) *ffcli.Command {
	var s buyer.Settings
	cmd := newBuyerCommand(stderr, "repair", "almanac repair [flags]", "rebuild a damaged journal", &s)
	cmd.LongHelp = "Keeps the intact lines of a journal that is damaged or gone, and counts the payments that -wallet lists and the journal does not have.\n" +
		"The damaged file stays beside the new one. A credential in a lost line is gone."
	cmd.Exec = flagsOnly(func(ctx context.Context) error {
		if err := s.Check(); err != nil {
			return usageError(err.Error())
		}
		return s.Repair(ctx, stdout)
	})
	return cmd
}

// probeCommand returns the command that examines an address as a paying client would.
func probeCommand(stdout, stderr io.Writer) *ffcli.Command {
	p, address := probe.Probe{Now: time.Now, Agent: userAgent()}, ""
	cmd := newCommand(stderr, "probe", "almanac probe [flags] URL", "say what a paying client would meet at an address")
	cmd.LongHelp = "Asks URL without a credential, and with credentials that prove nothing, and judges how it asks for payment: challenge by challenge,\n" +
		"with the specification behind each finding, and what clients did that were measured with such an answer. It pays nothing.\n\n" +
		"Exit status: 0 no faults, 10 faults, 1 it cannot be probed, 2 wrong command line."
	f := cmd.FlagSet
	p.Headers = registerHeaders(f)
	f.StringVar(&p.Method, "X", "", "request `method` (default GET)")
	asJSON := f.Bool("json", false, "print the report as JSON")
	cmd.Exec = forAddress(cmd, "https://example.com/paid", &address, func() error { return nil }, func(ctx context.Context) error {
		p.Table = shape.Measured()
		report, err := p.Run(ctx, address)
		if err != nil {
			return err
		}
		return buyer.PrintReport(report, *asJSON, stdout)
	})
	return cmd
}
