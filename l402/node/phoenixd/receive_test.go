package phoenixd_test

import (
	"fmt"
	"net/http"
	"testing"
)

// TestReceive says how much the channels can receive.
func TestReceive(t *testing.T) {
	f := newFake(t)
	f.set(func() {
		f.override = func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"nodeId":"02","chain":"signet","channels":[{"inboundLiquiditySat":30},{"inboundLiquiditySat":12}]}`)
		}
	})
	if note, err := f.node().Receive(t.Context(), 100); err != nil || note != "its channels can receive 42 sat; phoenixd buys more out of payments" {
		t.Errorf("%q, %v", note, err)
	}
}
