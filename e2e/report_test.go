package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestReportByKeyboard: a reader of a fact reports an error by keyboard alone; the page says that the report is stored, and it is. A
// refusal is a page that says why.
func TestReportByKeyboard(t *testing.T) {
	b := newTab(t)
	state := t.TempDir()
	p := startServe(t, "-state", state)
	press := func(keys ...string) {
		for _, key := range keys {
			b.do("press a key", chromedp.KeyEvent(key))
		}
	}
	send := func(width int64, scheme, text string) {
		b.look(p.base+"/protocols/x402/refund/", width, scheme)
		b.until(`document.readyState == "complete"`)
		b.text(`document.querySelector(".report summary").focus()`)
		press(kb.Enter, kb.Tab, kb.Tab)
		b.keys(text)
		b.axe("the form")
		b.shot("report-" + scheme)
		press(kb.Tab, kb.Tab, kb.Enter)
	}
	send(390, "dark", "The quote says something else.")
	b.until(`location.hash == "#reported" && document.querySelector("#reported").checkVisibility()`)
	b.axe("the page after the report")
	b.shot("report-stored")
	stored, err := os.ReadFile(filepath.Join(state, "reports.jsonl"))
	if err != nil || !strings.Contains(string(stored), `/protocols/x402/refund/","text":"The quote says something else."}`) {
		t.Errorf("stored: %s, %v", stored, err)
	}
	for range 9 {
		send(1280, "light", "Again.")
		b.until(`location.hash == "#reported"`)
	}
	send(1280, "light", "Once more.")
	b.until(`document.querySelector("h1")?.textContent == "Too many requests"`)
	b.axe("the refusal")
	b.shot("report-refused")
}
