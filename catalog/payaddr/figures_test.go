package payaddr_test

import (
	"os"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/btcutil/base58"

	"go.almanac.example/catalog"
	"go.almanac.example/catalog/catalogtest"
	"go.almanac.example/catalog/load"
	"go.almanac.example/catalog/payaddr"
)

// The article on naming networks states these figures.
func TestAddressChecksumFigures(t *testing.T) {
	c, err := load.Load(os.DirFS("../../fixtures"), catalogtest.Options)
	if err != nil {
		t.Fatal(err)
	}
	p, _ := c.Protocol("x402")
	evm := 0
	for _, n := range p.Networks.Value {
		if !strings.HasPrefix(*n.CAIP2, "eip155:") {
			continue
		}
		evm++
		if err := payaddr.CheckEVM(*n.Contract); err != nil {
			t.Errorf("%s: %v", n.Name, err)
		}
	}
	if evm != 26 {
		t.Errorf("%d EVM contracts, the article says 26", evm)
	}
	const letters = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	mint := catalog.MethodRecord{Type: catalog.TypeSolana}.Method(c.Site()).Mint
	dropped, replaced, tried := 0, 0, 0
	for i := range mint {
		if payaddr.CheckSolana(mint[:i]+mint[i+1:]) == nil {
			dropped++
		}
		for _, l := range letters {
			if s := mint[:i] + string(l) + mint[i+1:]; s != mint {
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

// TestPlainOffer: readers copy an offer from a page, so one in capitals is refused, and the fault names its plain form.
func TestPlainOffer(t *testing.T) {
	const plain = "lno1pqps7sjqpgtyzm3qv4uxzmtsd3jjqer9wd3hy6tsw35k7msjzfpy7nz5yqcnygrfdej82um5wf5k2uckyypwa3eyt44h6txtxquqh7lz5djge4afgfjn7k4rgrkuag0jsd5xvxg"
	if err := payaddr.CheckOffer(plain); err != nil {
		t.Errorf("the plain form: %v", err)
	}
	err := payaddr.CheckOffer(strings.ToUpper(plain))
	if want := "is not in its plain form; write it as " + plain; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("in capitals: %v, want %q", err, want)
	}
}
