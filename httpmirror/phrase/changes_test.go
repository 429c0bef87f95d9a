package phrase_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/phrase"
)

// An edit is told in a sentence for each field: which items a list gained and lost, and a short value before and after. Sources,
// quotes and days alone are new evidence.
func TestSentences(t *testing.T) {
	long := strings.Repeat("word ", 40)
	quoted := func(text string) string {
		b, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for _, tt := range []struct {
		name    string
		members [][3]string // name, old, new
		want    []string
	}{
		{"a list of objects", [][3]string{{"networks.value", `[{"name":"Base"},{"name":"Sei"}]`, `[{"name":"Base"},{"name":"NEAR"}]`}}, []string{"Networks: NEAR added; Sei removed"}},
		{"many items", [][3]string{{"networks.value", `[]`, `["a","b","c","d","e"]`}}, []string{"Networks: 5 added"}},
		{"items without short names", [][3]string{{"methods", `[{"address":"0x0"}]`, `[{"address":"0x1"}]`}}, []string{"Methods: edited"}},
		{"a short value", [][3]string{{"refund.value", `"none"`, `"by void"`}}, []string{"Refund: “none” is now “by void”"}},
		{"a first value", [][3]string{{"refund.value", `null`, `"by void"`}}, []string{"Refund: by void"}},
		{"a lost value", [][3]string{{"refund.value", `"by void"`, `null`}}, []string{"Refund: no longer stated"}},
		{"a long value", [][3]string{{"notes.value", quoted(long), quoted(long + "more")}}, []string{"Notes: reworded"}},
		{"sections", [][3]string{{"body[Ask]", `"a"`, `"b"`}, {"body[Pay]", `null`, `"b"`}, {"summary", quoted(long), quoted(long + ".")}}, []string{"Summary: reworded", "Text: Pay added; Ask edited"}},
		{"earlier versions", [][3]string{{"notes@0.1.0.value", `null`, `"a"`}, {"notes@0.1.0.source", `null`, `"b"`}, {"evidence[notes@v1]", `null`, `"c"`}, {"spec_url@v1", `null`, `"d"`}}, []string{"Facts of earlier versions: 0.1.0, v1"}},
		{"evidence alone", [][3]string{{"rail.source", `"a"`, `"b"`}, {"rail.verified_at", `"2026-11-21"`, `"2026-11-22"`}, {"evidence[rail]", `"a"`, `"b"`}}, []string{phrase.EvidenceUpdated}},
		{"a record that came back", [][3]string{{"id", `null`, `"a"`}, {"title", `null`, `"b"`}}, []string{"Added"}},
	} {
		var members []catalog.MemberChange
		for _, m := range tt.members {
			members = append(members, catalog.MemberChange{Name: m[0], Old: json.RawMessage(m[1]), New: json.RawMessage(m[2])})
		}
		if diff := cmp.Diff(tt.want, phrase.Sentences("edited", members)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	if got := phrase.Sentences("read-again", nil); !cmp.Equal(got, []string{"Read again"}) {
		t.Errorf("read again: %q", got)
	}
}
