package demo_test

import (
	"testing"
	"time"

	"github.com/btcsuite/btcd/chaincfg"
	"go.almanac.example/l402/node/demo"
	"go.almanac.example/l402/node/invoicertest"
)

func TestLaw(t *testing.T) {
	invoicertest.Test(t, invoicertest.Subject{Invoicer: demo.New([demo.KeySize]byte{1}, time.Now), Net: &chaincfg.RegressionNetParams})
}
