package testvectors_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"regexp"
	"slices"
	"testing"
	"time"

	"go.almanac.example/http402/bolt11"
	"go.almanac.example/http402/testvectors"
)

// invoices finds every invoice that is written out.
var invoices = regexp.MustCompile(`\bln(?:bc|bcrt)[0-9]*[munp]?1[02-9ac-hj-np-z]{100,}`)

// TestShapes: every shape has what its transport needs, rests on a clause, and its invoices commit to its preimage and
// are payable for years, unless the shape is a trap.
func TestShapes(t *testing.T) {
	shapes := testvectors.Shapes()
	count, held := map[string]int{}, 0
	families := []string{"l402", "lsat", "payment", "x402-v1", "x402-v2", "cashu", "mixed", "none"}
	for _, s := range shapes {
		if _, err := os.Stat("402/" + s.ID + ".json"); err != nil {
			t.Errorf("the shape %q is in another file: name the file after it", s.ID)
		}
		count[s.Transport]++
		if s.HeldOut {
			held++
		}
		if s.Title == "" || len(s.Clauses) == 0 && s.Transport != "text" || s.Transport != "text" && !slices.Contains(families, s.Family) {
			t.Errorf("%s lacks a title or a clause, or is of the unknown family %q", s.ID, s.Family)
		}
		var text string
		for _, h := range s.Headers {
			text += h[1] + "\n"
		}
		for _, invoice := range invoices.FindAllString(text+s.Body+string(s.Message), -1) {
			inv, err := bolt11.Decode(invoice)
			if err != nil {
				t.Errorf("%s: the invoice %v", s.ID, err)
				continue
			}
			preimage, err := hex.DecodeString(s.Preimage)
			if s.Preimage != "" && (err != nil || sha256.Sum256(preimage) != inv.Hash) {
				t.Errorf("%s: the preimage is not the invoice's", s.ID)
			}
			if s.Trap == "" && inv.ExpiresAt.Before(time.Date(2035, 1, 1, 0, 0, 0, 0, time.UTC)) {
				t.Errorf("%s: the invoice expires at %s", s.ID, inv.ExpiresAt)
			}
		}
	}
	if count["http"] < 26 || count["mcp"] < 6 || count["a2a"] < 2 || held*4 < len(shapes)-count["text"] {
		t.Errorf("shapes %v, %d held out", count, held)
	}
}
