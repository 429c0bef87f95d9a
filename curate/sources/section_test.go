package sources

import (
	"strings"
	"testing"
)

const (
	specText = "# Specification\n\nDraft of May.\n\n## Values\n\nA receiver MUST treat the value as opaque, and compare it byte for byte. " +
		"Senders choose it.\n\n| network | id |\n|---|---|\n| Base | 8453 |\n\n## Security\n\nUse TLS.\n"
	specHTML = "<!doctype html><html><head><title>Specification</title></head><body><nav><a>Menu</a></nav><h1>Specification</h1><p>Draft of May.</p>" +
		"<h2>Values</h2><p>A receiver <b>MUST</b> treat the value as opaque, and\ncompare it byte for byte. Senders choose it.</p>" +
		"<table><tr><th>network</th><th>id</th></tr><tr><td>Base</td><td>8453</td></tr></table><h2>Security</h2><p>Use TLS.</p></body></html>"
)

// TestChangedSections: a source whose meaning changed around a quote that is still there is told, and one with another layout or
// that changed elsewhere is not.
func TestChangedSections(t *testing.T) {
	edit := func(text string, pairs ...string) string {
		out := strings.NewReplacer(pairs...).Replace(text)
		if out == text {
			t.Fatalf("%q does not occur", pairs[0])
		}
		return out
	}
	const md, page = "text/markdown; charset=utf-8", "text/html; charset=utf-8"
	for name, tt := range map[string]struct{ mediaType, before, after, told string }{
		"the same":                    {md, specText, specText, ""},
		"lines broken elsewhere":      {md, specText, edit(specText, "opaque, and compare", "opaque, and\ncompare"), ""},
		"emphasis added":              {md, specText, edit(specText, "MUST", "**MUST**"), ""},
		"another section edited":      {md, specText, edit(specText, "Use TLS.", "Use TLS 1.3 or later."), ""},
		"a section added":             {md, specText, specText + "\n## History\n\nFirst draft.\n", ""},
		"a menu changed":              {page, specHTML, edit(specHTML, "Menu", "Home, Blog, Jobs"), ""},
		"markup changed":              {page, specHTML, edit(specHTML, "<b>MUST</b>", "<em class=x>MUST</em>"), ""},
		"removed in the next version": {md, specText, edit(specText, "Senders choose it.", "This was removed in 2.0. Senders choose it."), "removed"},
		"the words around negate it":  {md, specText, edit(specText, "A receiver MUST", "Formerly: A receiver MUST"), "formerly"},
		"a row beside the quote":      {md, specText, edit(specText, "| Base | 8453 |\n", "| Base | 8453 |\n| NEAR | 397 |\n"), "near 397"},
		"a number in the section":     {md, specText, edit(specText, "8453", "84532"), "84532"},
		"a banner above":              {md, specText, "OBSOLETE, superseded by RFC 9999.\n\n" + specText, "obsolete"},
		"a banner on the page":        {page, specHTML, edit(specHTML, "<h1>", "<div class=banner>This version is withdrawn.</div><h1>"), "withdrawn"},
		"a row of a table on a page":  {page, specHTML, edit(specHTML, "</table>", "<tr><td>NEAR</td><td>397</td></tr></table>"), "near 397"},
	} {
		t.Run(name, func(t *testing.T) {
			read := func(body string) section {
				text, err := text(tt.mediaType, []byte(body))
				if err != nil {
					t.Fatal(err)
				}
				s, ok := sectionOf(text, quote)
				if !ok {
					t.Fatal("the quote is not there")
				}
				return s
			}
			got := difference(read(tt.before), read(tt.after))
			if tt.told == "" && got != "" || !strings.Contains(got, tt.told) {
				t.Errorf("told %q, want %q", got, tt.told)
			}
		})
	}
}
