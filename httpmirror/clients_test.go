package httpmirror

import (
	"strings"
	"testing"

	"go.almanac.example/catalog"
)

// TestClientsPage: the page has every client once with version and bugs, every answer with its vector, every deviation with
// its command, and says "not measured" where there is no cell; it names the same counts as its Markdown.
func TestClientsPage(t *testing.T) {
	m := realMirror(t)
	page, _ := m.File(catalog.ClientsPath)
	text, _ := m.File(catalog.MarkdownPath(catalog.ClientsPath))
	html := string(page.Body)
	_, table, _ := strings.Cut(html, `<table class="paid">`)
	table, _, _ = strings.Cut(table, "</table>")
	for _, want := range []string{">L402<", ">x402 v1 exact<", ">x402 v2 exact<", ">MPP Lightning charge<"} {
		if !strings.Contains(table, want) {
			t.Errorf("the table of the clients has no column %s", want)
		}
	}
	_, row, _ := strings.Cut(table, `id="x402-v2-fetch"`)
	row, _, _ = strings.Cut(row, "</tr>")
	if strings.Count(row, "</svg> all ") != 1 || !strings.Contains(row, "</span>none of ") {
		t.Errorf("a client that does all that it was made for: %s", row)
	}
	if n := strings.Count(html, `href="/news/#news-2026-11-06-mppx-0-17-3">0.17.3 is out</a>`); n != 2 {
		t.Errorf("%d marks of a later version in the rows of mppx, want 2", n)
	}
	for _, k := range m.cat.Clients() {
		_, row, _ := strings.Cut(table, `id="`+k.ID+`"`)
		row, _, _ = strings.Cut(row, "</tr>")
		if !strings.Contains(row, k.Version) || strings.Contains(row, `href="#bugs-`+k.ID+`"`) != (len(k.Deviations) > 0) {
			t.Errorf("%s: the row has not its version, or not its bugs: %s", k.ID, row)
		}
		if !strings.Contains(string(text.Body), m.cat.ClientSentence(k)) && !strings.Contains(k.Name, "'") {
			t.Errorf("%s: the Markdown has no %s", k.ID, m.cat.ClientSentence(k))
		}
	}
	cells := 0
	for _, s := range m.cat.Shapes() {
		if f, ok := m.File(catalog.VectorPath(s.ID)); !ok || !strings.Contains(html, `href="`+f.Path+`"`) {
			t.Errorf("%s: no vector", s.ID)
		}
		cells += strings.Count(strings.Join(m.cat.ResultsWith(s.ID), ""), catalog.NotMeasured)
	}
	if n := strings.Count(html, ">"+catalog.NotMeasured+"<"); n < 2 || cells == 0 {
		t.Errorf("%d cells are not measured", n)
	}
	l402, _ := m.File(catalog.ProtocolPath("l402"))
	payers := m.cat.Payers("l402")
	if !strings.Contains(string(l402.Body), `id="payers"`) || len(payers) < 8 || payers[0].Way != "L402" || payers[0].Pays == 0 {
		t.Errorf("payers of L402: %+v", payers)
	}
}
