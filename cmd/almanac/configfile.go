package main

import (
	"flag"
	"fmt"
	"io"

	"github.com/peterbourgon/ff/v3"
	"github.com/peterbourgon/ff/v3/ffcli"

	"almanac/nearest"
)

// acceptConfigFile adds -config, which names a file of flags: one on each line, its name before its value, as in "base-url https://example.org".
// Flags and variables win over the file. Unless every flag must be one of cmd, others are left for the commands that have them.
func acceptConfigFile(cmd *ffcli.Command, every bool) {
	cmd.FlagSet.String("config", "", "`file` of flags, one a line, each as: name value")
	cmd.Options = append(cmd.Options, ff.WithConfigFileFlag("config"), ff.WithIgnoreUndefined(!every),
		ff.WithConfigFileParser(func(r io.Reader, set func(name, value string) error) error {
			return ff.PlainParser(r, func(name, value string) error {
				if every && cmd.FlagSet.Lookup(name) == nil {
					return fmt.Errorf("%q is not a flag of almanac %s%s", name, cmd.Name, nearest.DidYouMean(name, flagNames(cmd.FlagSet), 1))
				}
				if err := set(name, value); err != nil {
					return fmt.Errorf("%q: %w", name+" "+value, err)
				}
				return nil
			})
		}))
}

func flagNames(fs *flag.FlagSet) (names []string) {
	fs.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	return names
}
