package lnd_test

import (
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.almanac.example/l402"
	"go.almanac.example/l402/node"
	"go.almanac.example/l402/node/invoicertest"
	"go.almanac.example/l402/node/lnd"
	"go.almanac.example/l402/node/lnd/simnet"
)

// BenchmarkAddInvoice is what a challenge costs at a real lnd, beside its floor: the same client at a server that only
// signs.
func BenchmarkAddInvoice(b *testing.B) {
	b.Run("node=fake", func(b *testing.B) {
		f := newFake(b)
		benchmarkNode(b, f.node())
	})
	b.Run("node=lnd", func(b *testing.B) {
		m := simnet.Start(b).Merchant
		n, err := lnd.New(lnd.Config{URL: m.URL, CertFile: m.CertFile, MacaroonFile: m.MacaroonFile, Settings: node.Settings{Network: m.Network, Timeout: time.Minute, Log: slog.New(slog.DiscardHandler)}})
		if err != nil {
			b.Fatal(err)
		}
		benchmarkNode(b, n)
	})
}

func benchmarkNode(b *testing.B, n l402.Invoicer) {
	for _, callers := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			var left atomic.Int64
			left.Store(int64(b.N))
			var wg sync.WaitGroup
			for range callers {
				wg.Go(func() {
					for left.Add(-1) >= 0 {
						if _, err := n.AddInvoice(b.Context(), invoicertest.Request()); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			wg.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "invoices/s")
		})
	}
}
