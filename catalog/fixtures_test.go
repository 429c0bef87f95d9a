package catalog

import (
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/btcsuite/btcd/btcutil/base58"
)

// testOptions are those the real fixtures are loaded with.
var testOptions = Options{
	Site:        Site{"https://almanac.example", "https://api.almanac.example", "https://mcp.almanac.example"},
	GeneratedAt: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC),
}

var loadFixtures = sync.OnceValues(func() (*Catalog, error) {
	return Load(os.DirFS("../fixtures"), testOptions)
})

// realCatalog gives the catalog of the real fixtures.
func realCatalog(t testing.TB) *Catalog {
	t.Helper()
	c, err := loadFixtures()
	if err != nil {
		t.Fatalf("the fixtures do not load:\n%v", err)
	}
	return c
}

func TestFixturesLoad(t *testing.T) {
	c := realCatalog(t)
	if got := len(c.Categories()); got != 8 {
		t.Errorf("%d categories, want the 8 of the specification", got)
	}
	if got := c.Protocols().Count; got != 9 {
		t.Errorf("%d protocols, want the 9 of the specification", got)
	}
	if got := len(c.Articles()); got < 1 {
		t.Errorf("%d articles, want some", got)
	}
	if c.LinkChecker() == nil {
		t.Error("the link checker is missing")
	}
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
		facts[*n.CAIP2] = *n.Contract
	}
	want := map[string]string{
		"eip155:8453":  usdcNetworks[0].contract,
		"eip155:1":     usdcNetworks[1].contract,
		"eip155:42161": usdcNetworks[2].contract,
		"solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp": usdcSolanaMint,
	}
	for chain, contract := range want {
		if facts[chain] != contract {
			t.Errorf("%s: the support document has %s, the facts have %s", chain, contract, facts[chain])
		}
	}
}

// The article on naming networks states these figures.
func TestAddressChecksumFigures(t *testing.T) {
	p, _ := realCatalog(t).Protocol("x402")
	evm := 0
	for _, n := range p.Networks.Value {
		if !strings.HasPrefix(*n.CAIP2, "eip155:") {
			continue
		}
		evm++
		if err := checkEVMAddress(*n.Contract); err != nil {
			t.Errorf("%s: %v", n.Name, err)
		}
	}
	if evm != 11 {
		t.Errorf("%d EVM contracts, the article says eleven", evm)
	}
	const letters = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	dropped, replaced, tried := 0, 0, 0
	for i := range usdcSolanaMint {
		if checkSolanaAddress(usdcSolanaMint[:i]+usdcSolanaMint[i+1:]) == nil {
			dropped++
		}
		for _, l := range letters {
			if s := usdcSolanaMint[:i] + string(l) + usdcSolanaMint[i+1:]; s != usdcSolanaMint {
				tried++
				if len(base58.Decode(s)) == 32 {
					replaced++
				}
			}
		}
	}
	if dropped != 44 || replaced != 2466 || tried != 2508 {
		t.Errorf("%d of 44 shortened and %d of %d changed addresses pass; the article says 44, and 2466 of 2508", dropped, replaced, tried)
	}
}
