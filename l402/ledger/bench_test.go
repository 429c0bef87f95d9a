package ledger_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.almanac.example/l402"
	"go.almanac.example/l402/ledger"

	"github.com/lightningnetwork/lnd/lntypes"
)

// BenchmarkSpend takes credits from a SQLite file, one after another in each of several clients.
func BenchmarkSpend(b *testing.B) {
	for _, bench := range []struct{ clients, accounts int }{{1, 1}, {16, 16}, {64, 1000}, {128, 128}, {64, 100000}} {
		b.Run(fmt.Sprintf("clients=%d/accounts=%d", bench.clients, bench.accounts), func(b *testing.B) {
			l, err := ledger.Open(context.Background(), "sqlite:"+filepath.Join(b.TempDir(), "l.db"))
			if err != nil {
				b.Fatal(err)
			}
			defer l.Close()
			hashes := make([]lntypes.Hash, bench.accounts)
			for i := range hashes {
				hashes[i] = sha256.Sum256(binary.AppendUvarint(nil, uint64(i)))
			}
			now := time.Now()
			end := now.Add(time.Hour)
			var next atomic.Int64
			var wg sync.WaitGroup
			b.ResetTimer()
			cpu := cpuTime()
			for range bench.clients {
				wg.Go(func() {
					for {
						n := next.Add(1)
						if n > int64(b.N) {
							return
						}
						_, err := l.Spend(context.Background(), l402.Debit{
							Hash: hashes[int(n*7919)%len(hashes)], Credits: 1 << 30, Limit: 1 << 30, ExpiresAt: end, At: now,
						})
						if err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			wg.Wait()
			b.ReportMetric(float64((cpuTime()-cpu).Nanoseconds())/float64(b.N), "cpu-ns/op")
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "debits/s")
		})
	}
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
