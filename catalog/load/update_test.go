package load

import (
	"maps"
	"strings"
	"testing"

	"go.almanac.example/catalog/catalogtest"
)

// overlay reads the real data with some files changed, which must be right.
func overlay(t *testing.T, files map[string][]byte) *Version {
	t.Helper()
	if files == nil {
		v, err := realVersion()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	v, err := PublishedVersion(catalogtest.Files(t, fixturesDir, files))
	if err != nil {
		t.Fatalf("the changed data cannot be read:\n%v", err)
	}
	return v
}

// Each of the laws, broken alone, and what is no breach.
func TestCheckUpdate(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	const later, earlier = `"verified_at": "2026-12-01"`, `"verified_at": "2026-11-20"`
	const today = `"verified_at": "2026-11-22"`
	moved := string(replace(t, mqtt, `"category": "iot"`, `"category": "payments"`))
	for _, tt := range []struct {
		name  string
		files map[string][]byte
		want  string // "" when the update is allowed
	}{
		{name: "nothing changes"},
		{name: "a source is read again", files: map[string][]byte{mqtt: replace(t, mqtt, `"verified_at": "`+mqttRead+`"`, later)}},
		{name: "a title is corrected", files: map[string][]byte{mqtt: replace(t, mqtt, "MQTT Version 5.0", "MQTT 5.0")}},
		{name: "an address of a source moves", files: map[string][]byte{mqtt: replace(t, mqtt, "mqtt-v5.0-os.html", "mqtt-v5.0-os.pdf")}},
		{name: "an entry vanishes", files: withoutMQTT(nil),
			want: mqtt + ": is published but missing in the new data; keep it, or say in withdrawn.json why it is withdrawn"},
		{name: "an entry changes its category", files: map[string][]byte{mqtt: nil, "library/payments/mqtt-5.json": []byte(moved)},
			want: mqtt + `: category: was "iot" and is "payments"; keep it, because lists that are promised would lose the entry`},
		{name: "verified_at goes back", files: map[string][]byte{mqtt: replace(t, mqtt, `"verified_at": "`+mqttRead+`"`, earlier)},
			want: mqtt + ": verified_at: goes back from " + mqttRead + " to 2026-11-20; such dates only go forward"},
		{name: "last_checked goes back", files: map[string][]byte{mqtt: replace(t, mqtt, `"last_checked": "`+mqttRead+`"`, `"last_checked": "2026-11-22"`)},
			want: mqtt + ": last_checked: goes back from " + mqttRead + " to 2026-11-22; such dates only go forward"},
		{name: "a fact goes back", files: map[string][]byte{"protocols/acp.json": firstReplaced(t, "protocols/acp.json", `"verified_at": "2026-11-21"`, earlier)},
			want: "protocols/acp.json: spec_url.verified_at: goes back"},
		{name: "a fact becomes null", files: map[string][]byte{"protocols/ucp.json": withoutNotes(t, "protocols/ucp.json")}},
		{name: "an article vanishes", files: map[string][]byte{
			"articles/reading-a-bolt12-offer/article.json": nil, "articles/reading-a-bolt12-offer/article.md": nil,
			"questions/article/reading-a-bolt12-offer.json": nil},
			want: "articles/reading-a-bolt12-offer/article.json: is published but missing in the new data; keep it"},
		{name: "a card goes back", files: map[string][]byte{"datasets/questions/card.json": replace(t, "datasets/questions/card.json", today, earlier)},
			want: "datasets/questions/card.json: verified_at: goes back"},
		{name: "the checklist goes back", files: map[string][]byte{trustFile: replace(t, trustFile, today, earlier)},
			want: "trust.json: verified_at: goes back"},
		{name: "the support document goes back", files: map[string][]byte{supportFile: replace(t, supportFile, `"updated": "2026-11-22"`, `"updated": "2026-11-20"`)},
			want: "support.json: updated: goes back"},
		{name: "the link checker's page goes back", files: map[string][]byte{"bots/link-checker.json": replace(t, "bots/link-checker.json", `"verified_at": "2026-11-29"`, earlier)},
			want: "bots/link-checker.json: verified_at: goes back"},
		{name: "a tag vanishes", files: map[string][]byte{
			tagsFile:                                replace(t, tagsFile, "  {\n    \"id\": \"llms-txt\",\n    \"label\": \"The /llms.txt convention\"\n  },\n", ""),
			"library/agent-protocols/llms-txt.json": replace(t, "library/agent-protocols/llms-txt.json", "    \"llms-txt\",\n", ""),
			"library/agent-protocols/spawning-ai-txt.json":        replace(t, "library/agent-protocols/spawning-ai-txt.json", "    \"web-agents\",\n    \"llms-txt\"", "    \"web-agents\""),
			"articles/robots-llms-txt-aipref-or-rsl/article.json": replace(t, "articles/robots-llms-txt-aipref-or-rsl/article.json", "    \"llms-txt\",\n    \"agents\"", "    \"agents\""),
			"articles/publishing-data-for-agents/article.json":    replace(t, "articles/publishing-data-for-agents/article.json", "    \"llms-txt\",\n    \"openapi\"", "    \"openapi\"")},
			want: `tags.json: the tag "llms-txt" is published but no entry carries it now; keep it on one, because its list would disappear`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := CheckUpdate(overlay(t, nil), overlay(t, tt.files))
			switch {
			case tt.want == "" && err != nil:
				t.Errorf("refused: %v", err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("got %v\nwant %s", err, tt.want)
			}
		})
	}
}

// withoutMQTT returns edited files, and the entry on MQTT removed with all that is about it.
func withoutMQTT(edited map[string][]byte) map[string][]byte {
	files := map[string][]byte{
		mqtt: nil, "questions/library/mqtt-5.json": nil, "evidence/mqtt-5.json": nil, "statements/mqtt-5.json": nil,
	}
	maps.Copy(files, edited)
	return files
}

func firstReplaced(t *testing.T, p, old, new string) []byte {
	t.Helper()
	data := string(content(t, p, "", ""))
	if !strings.Contains(data, old) {
		t.Fatalf("%s does not hold %q", p, old)
	}
	return []byte(strings.Replace(data, old, new, 1))
}

// withoutNotes returns a protocol whose notes are null.
func withoutNotes(t *testing.T, p string) []byte {
	t.Helper()
	data := string(content(t, p, "", ""))
	before, _, ok := strings.Cut(data, `"notes": {`)
	if !ok {
		t.Fatalf("%s has no notes", p)
	}
	return []byte(before + "\"notes\": null\n}\n")
}

// withdrawnMQTT is an entry that is withdrawn: its files are gone, and the list has the reason.
var withdrawnMQTT = withoutMQTT(map[string][]byte{withdrawnFile: []byte(`[
  {
    "record": "mqtt-5",
    "title": "MQTT Version 5.0",
    "day": "2026-11-23",
    "reason": "Its publisher took it back.",
    "replaced_by": "bolt-12-offers"
  }
]
`)})

// TestWithdrawal: a record may go with a reason, which the history has to record, and the reason stays.
func TestWithdrawal(t *testing.T) {
	withdrawn := overlay(t, withdrawnMQTT)
	if err := CheckUpdate(overlay(t, nil), withdrawn); err != nil {
		t.Error(err)
	}
	forgotten := maps.Clone(withdrawnMQTT)
	delete(forgotten, withdrawnFile)
	if err := CheckUpdate(withdrawn, overlay(t, forgotten)); err == nil || !strings.Contains(err.Error(), withdrawnFile+": mqtt-5 is missing") {
		t.Errorf("a forgotten reason: %v", err)
	}
	if err := CheckUpdate(withdrawn, overlay(t, nil)); err != nil {
		t.Errorf("a record that is published again: %v", err)
	}
	old, err := realVersion()
	if err != nil {
		t.Fatal(err)
	}
	v := withdrawn
	if err := CheckHistory(old, v, ""); err == nil || !strings.Contains(err.Error(), withdrawnFile+": withdrawn: has changed and the history does not record it") {
		t.Errorf("not recorded: %v", err)
	}
	lines, err := Record(old, v, "2027-01-02")
	if err != nil || !strings.Contains(string(lines), `"reason":"Its publisher took it back."`) || strings.Contains(string(lines), `"summary"`) {
		t.Fatalf("%v: %s", err, lines)
	}
	recorded := maps.Clone(withdrawnMQTT)
	recorded[HistoryFile("2027-01-02")] = lines
	if err := CheckHistory(old, overlay(t, recorded), ""); err != nil {
		t.Error(err)
	}
	if err := overlay(t, recorded).Check("2027-01-02"); err != nil {
		t.Error(err)
	}
}
