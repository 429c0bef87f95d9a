package httpmirror

import (
	"html"
	"strings"
	"testing"

	"almanac/catalog"
)

// TestFactsLeadToEvidence: each fact on the page and in the Markdown of a protocol leads to the readings on which it rests, which
// are there; and where texts differ, both forms say what the other text says.
func TestFactsLeadToEvidence(t *testing.T) {
	m := realMirror(t)
	facts, differ := 0, 0
	for _, id := range catalog.ProtocolIDs {
		p, _ := m.cat.Protocol(id)
		record := catalog.HistoryPathID("protocol:" + id)
		evidence, _ := m.cat.Evidence(record)
		page, text := textOf(t, m, catalog.ProtocolPath(id)), textOf(t, m, catalog.ProtocolMarkdownPath(id))
		readings := textOf(t, m, catalog.EvidencePath(record))
		for _, f := range p.Facts() {
			if f.Value == nil {
				continue
			}
			facts++
			place := catalog.EvidencePath(record) + "#" + f.Name
			if !strings.Contains(page, `href="`+place+`"`) || !strings.Contains(text, m.cat.Site().URL(place)) {
				t.Errorf("%s.%s does not lead to %s", id, f.Name, place)
			}
			if !strings.Contains(readings, `id="`+f.Name+`"`) {
				t.Errorf("%s has no section %s", catalog.EvidencePath(record), f.Name)
			}
			member, _ := evidence.Member(f.Name)
			for _, r := range member.Readings {
				if !strings.Contains(html.UnescapeString(readings), r.Quote) || !strings.Contains(readings, r.URL) {
					t.Errorf("%s.%s: the page of the evidence lacks %q of %s", id, f.Name, r.Quote, r.URL)
				}
				if r.Holds {
					continue
				}
				differ++
				if !strings.Contains(html.UnescapeString(page), r.Quote) || !strings.Contains(text, r.Quote) || !strings.Contains(page, member.Readings[0].URL) {
					t.Errorf("%s.%s does not say what another text says: %q", id, f.Name, r.Quote)
				}
			}
		}
	}
	t.Logf("%d facts lead to their evidence; %d readings of other texts are told", facts, differ)
	if entry := textOf(t, m, catalog.EntryPath("mcap-format")); !strings.Contains(entry, `href="`+catalog.EvidencePath("mcap-format")+`"`) {
		t.Error("the page of an entry does not lead to its evidence")
	}
}

// textOf returns the text of the file at a path.
func textOf(t *testing.T, m *Mirror, path string) string {
	t.Helper()
	f, ok := m.File(path)
	if !ok {
		t.Fatalf("there is no %s", path)
	}
	return string(f.Body)
}
