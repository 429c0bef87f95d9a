package httpmirror

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"go.almanac.example/catalog"
)

// When the paid interface ceases or begins to answer, the mirror is the one that would be built then. Only the support
// document and the manifest change, unless the installation begins or ceases to sell at all.
func TestWithPayments(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	for _, change := range []struct{ from, to catalog.Payments }{
		{catalog.PaymentsLive, catalog.PaymentsDown}, {catalog.PaymentsDown, catalog.PaymentsLive},
		{catalog.PaymentsLive, catalog.PaymentsOff}, {catalog.PaymentsOff, catalog.PaymentsDown},
	} {
		before := smallMirror(t, func(o *catalog.Options) { o.Payments = change.from })
		want := smallMirror(t, func(o *catalog.Options) { o.Payments = change.to })
		got := before.WithPayments(change.to)
		if diff := cmp.Diff(slices.Collect(want.paths()), slices.Collect(got.paths())); diff != "" {
			t.Errorf("from %d to %d the paths are not those of a new mirror (-want +got):\n%s", change.from, change.to, diff)
		}
		var changed []string
		for f := range want.Files() {
			old, _ := before.File(f.Path)
			g, ok := got.File(f.Path)
			if !ok || !bytes.Equal(g.Body, f.Body) || g.Headers.ETag[0] != f.Headers.ETag[0] || !slices.Equal(g.Alternates, f.Alternates) {
				t.Errorf("from %d to %d: %s is not that of a new mirror", change.from, change.to, f.Path)
			}
			if old == nil || !bytes.Equal(old.Body, f.Body) {
				changed = append(changed, f.Path)
			}
		}
		if change.from == catalog.PaymentsOff || change.to == catalog.PaymentsOff {
			continue
		}
		if want := []string{catalog.ManifestPath, catalog.SupportJSONPath}; !slices.Equal(changed, want) {
			t.Errorf("from %d to %d %v changed, want %v", change.from, change.to, changed, want)
		}
		back := got.WithPayments(change.from)
		for f := range before.Files() {
			if again, ok := back.File(f.Path); !ok || !bytes.Equal(again.Body, f.Body) {
				t.Errorf("back from %d to %d %s differs", change.to, change.from, f.Path)
			}
		}
	}
}

// A mirror whose state does not change is itself.
func TestWithTheSamePayments(t *testing.T) {
	m := smallMirror(t)
	if m.WithPayments(catalog.PaymentsLive) != m {
		t.Error("another mirror")
	}
}

// TestNoExchangesWithoutSale: the programs that buy from this site are on the pages of protocols while it sells; x402's buy from a mock.
func TestNoExchangesWithoutSale(t *testing.T) {
	sells := smallMirror(t)
	for m, want := range map[*Mirror]string{sells: "l402 x402 mpp", sells.WithPayments(catalog.PaymentsOff): "x402"} {
		var got []string
		for _, id := range m.cat.ProtocolPageIDs() {
			page, _ := m.File(catalog.ProtocolPath(id))
			text, _ := m.File(catalog.MarkdownPath(catalog.ProtocolPath(id)))
			shown := bytes.Contains(page.Body, []byte(`id="code"`))
			if shown != bytes.Contains(text.Body, []byte("\n## A payment in code\n")) {
				t.Errorf("%s: the page and its Markdown differ", id)
			}
			if shown {
				got = append(got, id)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("payments %d: programs on the pages of %q, want %q", m.cat.Payments(), got, want)
		}
	}
}
