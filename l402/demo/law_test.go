package demo_test

import (
	"testing"
	"time"

	"almanac/l402/demo"
	"almanac/l402/invoicertest"
)

func TestLaw(t *testing.T) {
	invoicertest.Test(t, invoicertest.Subject{Invoicer: demo.New([demo.KeySize]byte{1}, time.Now), Net: demo.Network()})
}
