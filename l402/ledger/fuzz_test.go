package ledger

import (
	"bytes"
	"testing"
)

// FuzzRecord reads any bytes as the lists of an account. What can be read is written again the same.
func FuzzRecord(f *testing.F) {
	lists := func(r *row) (live, deliveries, branches []byte) {
		return r.live.appendBinary(nil), appendDeliveries(nil, r.deliveries), r.branches.appendBinary(nil)
	}
	damaged := bytes.Repeat([]byte{0xff}, 99)
	f.Add(damaged, damaged, damaged)
	for _, r := range []row{{}, {live: serials{{1, 1}, {3, 3}}}, {branches: branches{{used: 3, within: branches{{used: 2}, {used: 1}}}, {used: 1}}}} {
		live, deliveries, branches := lists(&r)
		f.Add(live, deliveries, branches)
	}
	f.Fuzz(func(t *testing.T, live, deliveries, branches []byte) {
		var r, again row
		if r.parseLists(live, deliveries, branches) != nil {
			return
		}
		live, deliveries, branches = lists(&r)
		if err := again.parseLists(live, deliveries, branches); err != nil {
			t.Fatalf("%+v is not read again: %v", r, err)
		}
		live2, deliveries2, branches2 := lists(&again)
		if !bytes.Equal(live, live2) || !bytes.Equal(deliveries, deliveries2) || !bytes.Equal(branches, branches2) {
			t.Fatalf("%+v is read again as %+v", r, again)
		}
		if n := r.live.count(); n < 0 {
			t.Fatalf("%d debits", n)
		}
	})
}
