package main

import (
	"flag"
	"fmt"

	"almanac/catalog"
	"almanac/fixtures"
	"almanac/server"
)

// defaultHTTP is where the mirror, the paid interface and the tool server listen, and therefore their public address, unless flags say
// otherwise.
const defaultHTTP = "localhost:8402"

// registerSource adds the flags that say what to publish and under which addresses; several commands share them. unset
// says where the address of the mirror comes from when no flag sets it.
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
