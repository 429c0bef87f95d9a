package clienttest_test

import (
	"testing"
	"time"

	"go.almanac.example/http402/client/clienttest"
	"go.almanac.example/http402/wallet"
	"go.almanac.example/http402/wallet/wallettest"
)

func TestLaw(t *testing.T) {
	node, other := clienttest.NewNode(), clienttest.NewNode()
	wallettest.Test(t, wallettest.Subject{
		Wallet: node,
		Invoice: func(t testing.TB, msat int64, expiry time.Duration) (string, [32]byte) {
			return node.Invoice(t, clienttest.Terms{MilliSats: msat, Expiry: expiry})
		},
		Unpayable: func(t testing.TB) (string, [32]byte, int64) {
			text, hash := other.Invoice(t, clienttest.Terms{MilliSats: 1000})
			return text, hash, 1000
		},
		Received: func(testing.TB) int { n, _, _ := node.Payments(); return n },
		Reopen:   func(testing.TB) wallet.Wallet { return node },
	})
}
