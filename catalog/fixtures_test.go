package catalog_test

import (
	"os"
	"regexp"
	"sync"
	"testing"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/catalogtest"
	"go.almanac.example/catalog/load"
)

var loadFixtures = sync.OnceValues(func() (*catalog.Catalog, error) {
	return load.Load(os.DirFS("../fixtures"), catalogtest.Options)
})

// realCatalog returns the catalog of the real fixtures.
func realCatalog(t testing.TB) *catalog.Catalog {
	t.Helper()
	c, err := loadFixtures()
	if err != nil {
		t.Fatalf("the fixtures do not load:\n%v", err)
	}
	return c
}

// Nothing may claim a status that was not observed, and a record that was never checked over the
// network says so with 0 on the day it was read.
func TestFixturesClaimNoStatus(t *testing.T) {
	for _, e := range realCatalog(t).Entries() {
		if e.HTTPStatus == 0 && e.LastChecked > e.VerifiedAt {
			t.Errorf("%s: last_checked is %s, after verified_at, and no status was observed", e.ID, e.LastChecked)
		}
	}
}

// The contracts and mints that the support document fixes are those of the protocol facts, which
// were read at their source.
func TestStablecoinContractsAgreeWithFacts(t *testing.T) {
	p, _ := realCatalog(t).Protocol("x402")
	facts := make(map[string]string)
	for _, n := range p.Networks.Value {
		facts[*n.CAIP2] = orEmpty(n.Contract)
	}
	contract := func(network string) string {
		return catalog.MethodRecord{Type: catalog.TypeEVM, Network: network}.Method(catalog.DefaultSite).TokenContract
	}
	want := map[string]string{
		"eip155:8453":  contract("Base"),
		"eip155:1":     contract("Ethereum"),
		"eip155:42161": contract("Arbitrum One"),
		"solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp": catalog.MethodRecord{Type: catalog.TypeSolana}.Method(catalog.DefaultSite).Mint,
	}
	for chain, contract := range want {
		if facts[chain] != contract {
			t.Errorf("%s: the support document has %s, the facts have %s", chain, contract, facts[chain])
		}
	}
}

// loadWith returns the catalog of the real fixtures with some files changed, which must be right.
func loadWith(t *testing.T, changes map[string][]byte) *catalog.Catalog {
	t.Helper()
	c, err := load.Load(catalogtest.Files(t, "../fixtures", changes), catalogtest.Options)
	if err != nil {
		t.Fatalf("the changed data do not load:\n%v", err)
	}
	return c
}

// A day of the calendar tells of an act once: in the words of the act itself where it is in the library, not of others about it too.
func TestCalendarTellsOfAnActOnce(t *testing.T) {
	act := regexp.MustCompile(`\d{4}/\d+|[A-Z]{3,} Act|MCP revision|MCP \d{4}-\d\d-\d\d`)
	told := make(map[string]string)
	for _, e := range realCatalog(t).Calendar().Entries {
		for _, name := range act.FindAllString(e.Text, -1) {
			key := string(e.Date) + " " + name
			if by, ok := told[key]; ok && by != e.Record {
				t.Errorf("%s: %s and %s tell of it", key, by, e.Record)
			}
			told[key] = e.Record
		}
	}
}
