package phoenixd_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestBooks lists payments over several pages, and says how much the channels can receive.
func TestBooks(t *testing.T) {
	f := newFake(t)
	n := f.node()
	f.mu.Lock()
	f.override = func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/getinfo" {
			fmt.Fprint(w, `{"nodeId":"02","chain":"signet","channels":[{"inboundLiquiditySat":30},{"inboundLiquiditySat":12}]}`)
			return
		}
		limit, _ := strconv.Atoi(r.FormValue("limit"))
		offset, _ := strconv.Atoi(r.FormValue("offset"))
		if r.URL.Path != "/payments/incoming" || limit == 0 {
			t.Errorf("asked for %s", r.URL)
		}
		var list []string
		for i := offset; i < 70 && len(list) < limit; i++ {
			list = append(list, fmt.Sprintf(`{"paymentHash":"%064x","description":"almanac: x","isPaid":%t,"receivedSat":7,"completedAt":%d}`,
				i, i != 3, f.now.Add(-time.Duration(i)*time.Second).UnixMilli()))
		}
		fmt.Fprintf(w, "[%s]", strings.Join(list, ","))
	}
	f.mu.Unlock()
	list, err := n.Payments(t.Context(), f.now.Add(-59*time.Second))
	if err != nil || len(list) != 59 || list[58].MilliSats != 7000 || list[58].Memo != "almanac: x" || list[58].Hash[31] != 59 {
		t.Errorf("%d payments, %v", len(list), err)
	}
	if note, err := n.Receive(t.Context(), 100); err != nil || note != "its channels can receive 42 sat; phoenixd buys more out of payments" {
		t.Errorf("%q, %v", note, err)
	}
}
