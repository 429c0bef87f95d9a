package main

import (
	"flag"
	"fmt"
	"slices"
	"strings"

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

// checkEnvironment refuses variables that look like ours and set no flag of any command: a mistyped variable would be ignored in silence.
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
