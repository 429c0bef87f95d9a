package nwc_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"go.almanac.example/l402/node/nwc/nip47test"
)

// TestBooks lists transactions over several pages, also of a wallet that ignores the offset, and names the method that a
// connection lacks.
func TestBooks(t *testing.T) {
	f := newFake(t, true)
	n := f.node()
	for _, pages := range []int{3, 1000} {
		asked := 0
		f.set(func() {
			f.other = func(method string) map[string]any {
				if asked++; method != "list_transactions" || asked > 5 {
					return nip47test.Fault("OTHER")
				}
				list := []any{}
				for i := range 20 {
					if pages == 1000 && asked > 2 || asked <= pages {
						list = append(list, map[string]any{"type": "incoming", "payment_hash": fmt.Sprintf("%064x", 100*min(asked, 2)+i),
							"description": "almanac: x", "amount": 7000, "settled_at": f.now.Unix()})
					}
				}
				return map[string]any{"result": map[string]any{"transactions": list}}
			}
		})
		list, err := n.Payments(t.Context(), f.Now().Add(-time.Hour))
		if err != nil || len(list) != 40 || list[0].MilliSats != 7000 || list[0].Memo != "almanac: x" {
			t.Errorf("%d payments, %v", len(list), err)
		}
	}
	f.set(func() { f.fault = "RESTRICTED" })
	if _, err := n.Payments(t.Context(), f.Now()); err == nil || !strings.Contains(err.Error(), "list_transactions") {
		t.Errorf("without the right: %v", err)
	}
	if note, err := n.Receive(t.Context(), 100); err != nil || note != "its wallet has the channels" {
		t.Errorf("%q, %v", note, err)
	}
}
