package httpmirror

import (
	"net/http/httptest"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"go.almanac.example/catalog"
)

// unseen returns what can have the focus and does not show it, or is a stop out of its order.
const unseen = `[...document.querySelectorAll("a[href], button, input, select, summary, [tabindex]")].filter(e => {
	if (!e.checkVisibility() || e.tabIndex < 0) return false;
	e.focus({focusVisible: true});
	const style = getComputedStyle(e), box = e.getBoundingClientRect();
	return document.activeElement != e || style.outlineStyle == "none" || !parseFloat(style.outlineWidth) || !box.width || !box.height || e.tabIndex > 0;
}).map(e => e.outerHTML.slice(0, 120))`

// TestFocusIsSeen holds that on every kind of page everything that the keyboard reaches shows that it has the focus, in the order of the page.
func TestFocusIsSeen(t *testing.T) {
	m := realMirror(t)
	server := httptest.NewServer(m)
	defer server.Close()
	b := newBrowser(t)
	if _, err := chromedp.Call(b.ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}); err != nil {
		t.Fatal(err)
	}
	for _, path := range pageKinds(m) {
		b.open(t, server.URL+path, 390, "light")
		if err := chromedp.Do(b.ctx, chromedp.KeyEvent(kb.Tab)); err != nil { // the focus is shown to those who use the keyboard
			t.Fatal(err)
		}
		for _, e := range evaluate[[]string](t, b, unseen) {
			t.Errorf("%s: %s does not show the focus", path, e)
		}
	}
}

// TestWholeWithoutScript holds that every kind of page shows without a script what it shows with one.
func TestWholeWithoutScript(t *testing.T) {
	m := realMirror(t)
	server := httptest.NewServer(m)
	defer server.Close()
	b := newBrowser(t)
	// What a script shows or hides has no place in the comparison: its own buttons, filters and answers.
	const text = `[...document.querySelectorAll("main :is(h1, h2, h3, p, li, td, th, dd, dt, pre)")].filter(e => e.checkVisibility() && !e.closest("form, .filter, #near, [hidden]")).length`
	for _, path := range pageKinds(m) {
		if path == catalog.FindPath || path == catalog.ComparePath || path == catalog.ChoosePath {
			continue // what a reader chooses there is worked out by a script; each has a test of its own
		}
		var counts [2]int
		for i, off := range []bool{true, false} {
			if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: off}); err != nil {
				t.Fatal(err)
			}
			b.open(t, server.URL+path, 390, "light")
			counts[i] = evaluate[int](t, b, text)
		}
		if counts[0] < counts[1] || counts[0] == 0 {
			t.Errorf("%s shows %d parts without a script, and %d with one", path, counts[0], counts[1])
		}
	}
}
