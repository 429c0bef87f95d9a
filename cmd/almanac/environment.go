package main

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/peterbourgon/ff/v3"
	"github.com/peterbourgon/ff/v3/ffcli"

	"almanac/nearest"
)

// envPrefix begins the names of the variables that set flags: -base-url is ALMANAC_BASE_URL.
const envPrefix = "ALMANAC"

// variableName returns the name of the variable that sets a flag.
func variableName(flagName string) string {
	return envPrefix + "_" + strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(flagName))
}

// foreignVariables begin the names of variables that the build, the tests and the deployment files use.
var foreignVariables = []string{"ALMANAC_BENCH_", "ALMANAC_BUILD_", "ALMANAC_CACHE", "ALMANAC_DOMAIN", "ALMANAC_MCP_BENCH_", "ALMANAC_MODULE",
	"ALMANAC_REAL", "ALMANAC_SHOTS", "ALMANAC_TEST_"}

// checkEnvironment refuses variables that look like ours and set no flag of any command: a mistyped variable would be
// ignored in silence.
func checkEnvironment(root *ffcli.Command, environ []string) error {
	known := variables(root)
	var suffixes []string
	for _, name := range known {
		if suffix := withoutPrefix(name); len(suffix) > 1 { // -X is near to anything with an X
			suffixes = append(suffixes, suffix)
		}
	}
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		if !strings.HasPrefix(name, envPrefix+"_") || value == "" || slices.Contains(known, name) || isForeign(name) {
			continue
		}
		hint := "each is named after a flag, which almanac serve -h lists"
		if near := nearest.Words(withoutPrefix(name), suffixes, 1); len(near) > 0 {
			hint = "did you mean " + envPrefix + "_" + strings.ToUpper(near[0]) + "?"
		}
		return usageError(fmt.Sprintf("the variable %s sets no flag; %s", name, hint))
	}
	return nil
}

// variables returns the variables of every flag of every command.
func variables(cmd *ffcli.Command) (names []string) {
	cmd.FlagSet.VisitAll(func(f *flag.Flag) { names = append(names, variableName(f.Name)) })
	for _, sub := range cmd.Subcommands {
		names = append(names, variables(sub)...)
	}
	return names
}

// withoutPrefix returns the part of a variable's name that is like a flag, in lower case.
func withoutPrefix(name string) string {
	return strings.ToLower(strings.TrimPrefix(name, envPrefix+"_"))
}

func isForeign(name string) bool {
	return slices.ContainsFunc(foreignVariables, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// acceptConfigFile adds -config, which names a file of flags: one on each line, its name before its value, as in
// "base-url https://example.org". Flags and variables win over the file. Unless every flag must be one of cmd, others
// are left for the commands that have them.
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
