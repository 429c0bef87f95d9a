package httpmirror

import (
	"strings"
	"testing"

	"go.almanac.example/catalog"
)

// TestHistoryShowsEveryChange: the history of the repository's data, by day and by record: what was added, and what was
// edited from what to what; a page of a record leads to its history.
func TestHistoryShowsEveryChange(t *testing.T) {
	m := mirrorOf(t)
	index := decodeFile(t, m, catalog.HistoryJSONPath)
	days := index["days"].([]any)
	total := 0
	for _, d := range days {
		day := d.(map[string]any)
		doc := decodeFile(t, m, catalog.HistoryDayJSONPath(catalog.Date(day["date"].(string))))
		if doc["count"] != day["count"] || len(doc["entries"].([]any)) != int(day["count"].(float64)) {
			t.Errorf("%s: the index counts %v, the document %v", day["date"], day["count"], doc["count"])
		}
		total += len(doc["entries"].([]any))
	}
	byRecord := 0
	for _, id := range m.cat.HistoryRecordIDs() {
		byRecord += len(decodeFile(t, m, m.cat.EvidenceJSONPath(id))["history"].([]any))
	}
	if total != byRecord || total < 200 {
		t.Errorf("the days have %d events and the records %d", total, byRecord)
	}
	for path, want := range map[string]string{
		catalog.ProtocolPath("l402"):          "/evidence/protocol.l402/#history",
		catalog.EntryPath("mqtt-5"):           "/evidence/mqtt-5/#history",
		catalog.TrustPath:                     "/evidence/support.trust-checklist/#history",
		catalog.EvidencePath("protocol.l402"): "Specification, read",
		catalog.HistoryDayPath("2026-11-22"):  "/evidence/article.reading-a-bolt12-offer/#history",
	} {
		f, ok := m.File(path)
		if !ok || !strings.Contains(string(f.Body), want) {
			t.Errorf("%s does not have %q", path, want)
		}
	}
}
