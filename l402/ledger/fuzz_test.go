package ledger

import (
	"bytes"
	"testing"
)

// FuzzRecord reads any bytes as states of accounts in the log of version 4. What can be read is written again the same.
func FuzzRecord(f *testing.F) {
	f.Add(oldRecord(&row{credits: 100, expiresAt: 1796000000, serial: 3, live: serials{{1, 1}, {3, 3}}, firstUsed: 1, lastUsed: 2, revokedAt: -3}))
	f.Add(oldRecord(&row{credits: 100, sale: 1, price: 100, soldAt: 1796000000, branches: branches{{used: 3, within: branches{{used: 2}, {used: 1}}}, {used: 1}}}))
	f.Add([]byte{})
	f.Add(bytes.Repeat([]byte{0xff}, 99))
	f.Fuzz(func(t *testing.T, b []byte) {
		in := decoder{rest: b}
		r, err := parseRow(&in)
		if err != nil {
			return
		}
		in2 := decoder{rest: append(oldRecord(r), in.rest...)}
		again, err := parseRow(&in2)
		if err != nil || !bytes.Equal(in.rest, in2.rest) || !bytes.Equal(oldRecord(again), oldRecord(r)) {
			t.Fatalf("%+v is read again as %+v, %v", r, again, err)
		}
		if n := r.live.count(); n < 0 {
			t.Fatalf("%d debits", n)
		}
	})
}
