package main

import (
	"flag"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/peterbourgon/ff/v3"
	"github.com/peterbourgon/ff/v3/ffcli"

	"go.almanac.example/catalog"
	"go.almanac.example/fixtures"
	"go.almanac.example/internal/nearest"
	"go.almanac.example/server"
)

// defaultHTTP is where the mirror, the paid interface and the tool server listen, and therefore their public address,
// unless flags say otherwise.
const defaultHTTP = "localhost:8402"

// registerSource adds the flags of the data and its public addresses, which several commands share. unset names the
// source of the mirror's address when no flag sets it.
func registerSource(f *flag.FlagSet, s *server.Source, unset string) {
	s.Builtin, s.Terms = fixtures.FS, catalog.DefaultTerms
	f.StringVar(&s.Dir, "fixtures", "", "`directory` of the curated files (empty: those built in)")
	f.StringVar(&s.BaseURL, "base-url", "", "public `address` of the mirror (empty: "+unset+")")
	f.StringVar(&s.APIURL, "api-url", "", "public `address` of the paid interface (empty: as -base-url)")
	f.StringVar(&s.MCPURL, "mcp-url", "", "public `address` of the tool server (empty: as -base-url)")
	f.Int64Var(&s.Terms.PriceSats, "price", s.Terms.PriceSats, "`satoshis` for one payment")
	f.IntVar(&s.Terms.Credits, "credits", s.Terms.Credits, "`requests` that one payment buys")
	f.IntVar(&s.Terms.ValidDays, "valid-days", s.Terms.ValidDays, "`days` that the credits last")
}

// The largest terms that can be meant: all the satoshis there will be, and a hundred years.
const (
	maxPrice     = 2_100_000_000_000_000
	maxCredits   = 1_000_000_000
	maxValidDays = 36_500
)

// checkSource refuses malformed addresses, and terms that cannot be sold.
func checkSource(s *server.Source) error {
	if err := s.Site(defaultHTTP).Check(); err != nil {
		return usageError(err.Error())
	}
	switch t := s.Terms; {
	case t.PriceSats < 1 || t.Credits < 1 || t.ValidDays < 1:
		return usageError("-price, -credits and -valid-days must each be at least 1")
	case t.PriceSats > maxPrice || t.Credits > maxCredits || t.ValidDays > maxValidDays:
		return usageError(fmt.Sprintf("-price may be at most %d, -credits %d and -valid-days %d", maxPrice, maxCredits, maxValidDays))
	}
	return nil
}

// parseNetworks reads IP networks, or single addresses, separated by commas.
func parseNetworks(s string) (networks []netip.Prefix, err error) {
	for item := range strings.SplitSeq(s, ",") {
		item = strings.TrimSpace(item)
		if item == "" {
			continue
		}
		prefix, err := netip.ParsePrefix(item)
		if addr, aerr := netip.ParseAddr(item); aerr == nil {
			prefix, err = netip.PrefixFrom(addr, addr.BitLen()), nil
		}
		if err != nil {
			return nil, fmt.Errorf("%q is not a network: write one such as 10.0.0.0/8, or a single address", item)
		}
		networks = append(networks, prefix.Masked())
	}
	return networks, nil
}

// limitMemory keeps the heap below the control group's limit of memory, unless GOMEMLIMIT says otherwise, and returns that
// limit; 0 when there is none. The garbage collector then works harder when memory is short, where it would grow until the
// kernel ends the process.
func limitMemory() uint64 {
	limit, err := memlimit.FromCgroup()
	if err != nil {
		return 0
	}
	// The rest is for memory that the garbage collector does not manage and for the pages of the program's file, which the
	// kernel counts too and would read again and again.
	share := 1 - max(0.1, min(0.25, 64<<20/float64(limit)))
	if _, err := memlimit.SetGoMemLimitWithOpts(memlimit.WithRatio(share), memlimit.WithProvider(memlimit.Limit(limit))); err != nil {
		return 0
	}
	return limit
}

// envPrefix begins the names of the variables that set flags: -base-url is ALMANAC_BASE_URL.
const envPrefix = "ALMANAC"

// variableName returns the name of the variable that sets a flag.
func variableName(flagName string) string {
	return envPrefix + "_" + strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(flagName))
}

// foreignVariables begin the names of variables that the build, the tests and the deployment files use.
var foreignVariables = []string{"ALMANAC_BENCH_", "ALMANAC_BUILD_", "ALMANAC_CACHE", "ALMANAC_DOMAIN",
	"ALMANAC_MCP_BENCH_", "ALMANAC_MODULE", "ALMANAC_REAL", "ALMANAC_SHOTS", "ALMANAC_TEST_"}

// checkEnvironment refuses variables that look like ours and set no flag of any command: a mistyped variable would be
// ignored in silence.
func checkEnvironment(root *ffcli.Command, environ []string) error {
	var known, suffixes []string
	eachCommand(root, func(cmd *ffcli.Command) {
		cmd.FlagSet.VisitAll(func(f *flag.Flag) {
			known = append(known, variableName(f.Name))
			if len(f.Name) > 1 { // -X is near to anything with an X
				suffixes = append(suffixes, withoutPrefix(variableName(f.Name)))
			}
		})
	})
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		if !strings.HasPrefix(name, envPrefix+"_") || value == "" || slices.Contains(known, name) ||
			slices.ContainsFunc(foreignVariables, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
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

// withoutPrefix returns the part of a variable's name that is like a flag, in lower case.
func withoutPrefix(name string) string {
	return strings.ToLower(strings.TrimPrefix(name, envPrefix+"_"))
}

// acceptConfigFile adds -config, which names a file of flags: one on each line, its name before its value, as in
// "base-url https://example.org". Flags and variables win over the file, which may be absent if it has a usual place.
// Unless every flag must be one of cmd, others are left for the commands that have them.
func acceptConfigFile(cmd *ffcli.Command, place string, every bool) {
	cmd.FlagSet.String("config", place, "`file` of flags, one a line, each as: name value")
	cmd.Options = append(cmd.Options, ff.WithConfigFileFlag("config"), ff.WithAllowMissingConfigFile(place != ""), ff.WithIgnoreUndefined(!every),
		ff.WithConfigFileParser(func(r io.Reader, set func(name, value string) error) error {
			return ff.PlainParser(r, func(name, value string) error {
				if every && cmd.FlagSet.Lookup(name) == nil {
					return fmt.Errorf("%q is not a flag of almanac %s%s",
						name, cmd.Name, nearest.DidYouMean(name, flagNames(cmd.FlagSet), 1))
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

// eachCommand calls f for a command and for those below it.
func eachCommand(cmd *ffcli.Command, f func(*ffcli.Command)) {
	f(cmd)
	for _, sub := range cmd.Subcommands {
		eachCommand(sub, f)
	}
}

// takesValue reports whether a value follows a flag; a switch has none.
func takesValue(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return !ok || !b.IsBoolFlag()
}
