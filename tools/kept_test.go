package tools

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What does not fit among the encoded records that are kept is answered as what does.
func TestAnswersDoNotDependOnWhatIsKept(t *testing.T) {
	keeps, keepsNone := over(t), over(t)
	keepsNone.entries.kept.Store(maxItems)
	for _, tt := range []struct{ tool, arguments string }{
		{"list_entries", `{"limit":50,"detail":"full"}`},
		{"list_entries", `{"fields":["id","url"]}`},
		{"get_entry", `{"ids":["lnd","mqtt-5"]}`},
		{"list_changes", `{"limit":50}`},
	} {
		answer := func(tools *Tools) string {
			a := tools.CallFree(context.Background(), tt.tool, []byte(tt.arguments))
			if a == nil || a.Failed {
				t.Fatalf("%s %s is not answered", tt.tool, tt.arguments)
			}
			return string(a.Append(nil, "", ""))
		}
		for range 2 {
			if diff := cmp.Diff(answer(keeps), answer(keepsNone)); diff != "" {
				t.Errorf("%s %s (-kept +not):\n%s", tt.tool, tt.arguments, diff)
			}
		}
	}
	if n := kept(keepsNone); n != 0 {
		t.Errorf("%d entries are kept beyond the bound", n)
	}
	if kept(keeps) == 0 {
		t.Error("nothing is kept within the bound")
	}
}

func kept(t *Tools) (n int) {
	t.entries.items.Range(func(any, any) bool { n++; return true })
	return n
}
