package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/peterbourgon/ff/v3"
	"github.com/peterbourgon/ff/v3/ffcli"

	"almanac/l402/client/buyer"
)

// newBuyerCommand is newCommand for a command that pays: its settings can also stand in a file, one a line, the flag's name and its value.
func newBuyerCommand(stderr io.Writer, name, usage, help string, s *buyer.Settings) *ffcli.Command {
	cmd := newCommand(stderr, name, usage, help)
	cmd.FlagSet.String("config", defaultBuyerConfig(), "`file` of settings, one a line: a flag's name without its hyphen, and its value")
	cmd.Options = append(cmd.Options, ff.WithConfigFileFlag("config"), ff.WithConfigFileParser(ff.PlainParser),
		ff.WithAllowMissingConfigFile(true), ff.WithIgnoreUndefined(true))
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

// argumentsAfter parses flags that follow the first argument, as curl takes them, and returns the arguments.
func argumentsAfter(cmd *ffcli.Command, args []string) ([]string, error) {
	var plain []string
	for len(args) > 0 {
		plain = append(plain, args[0])
		if err := cmd.FlagSet.Parse(args[1:]); err != nil {
			return nil, usageError(err.Error())
		}
		args = cmd.FlagSet.Args()
	}
	return plain, nil
}

// A listFlag is a flag that may be given more than once.
type listFlag []string

// String implements flag.Value.
func (l *listFlag) String() string { return strings.Join(*l, ", ") }

// Set implements flag.Value.
func (l *listFlag) Set(s string) error {
	*l = append(*l, s)
	return nil
}
