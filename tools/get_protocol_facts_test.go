package tools

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"almanac/catalog"
)

// TestFactsWithEvidence: evidence comes on request and only then; it is what the evidence documents have, conflicting readings
// included, of the facts that were asked for; and an answer stays within its bound and names what it leaves out.
func TestFactsWithEvidence(t *testing.T) {
	tools := over(t)
	ask := func(arguments string) (a struct {
		Evidence []struct {
			Protocol string
			Fact     string
			Readings []catalog.SourceReading
		}
		Left []string `json:"evidence_left_out"`
	}, size int) {
		t.Helper()
		answer, err := tools.byName["get_protocol_facts"].call(context.Background(), json.RawMessage(arguments), Caller{})
		if err != nil {
			t.Fatal(err)
		}
		structured := answer.structured.appendTo(nil)
		if err := json.Unmarshal(structured, &a); err != nil {
			t.Fatal(err)
		}
		return a, len(structured) + len(answer.text.appendTo(nil))
	}
	if a, _ := ask(`{"protocols":["l402"],"fields":["http_headers"]}`); a.Evidence != nil {
		t.Errorf("unasked, %d facts have evidence", len(a.Evidence))
	}
	if a, _ := ask(`{"protocols":["l402"],"fields":["http_headers"],"evidence":false}`); a.Evidence != nil {
		t.Errorf("declined, %d facts have evidence", len(a.Evidence))
	}
	a, _ := ask(`{"protocols":["l402"],"fields":["http_headers"],"evidence":true}`)
	if len(a.Evidence) != 1 || a.Evidence[0].Protocol != "l402" || a.Evidence[0].Fact != "http_headers" {
		t.Fatalf("the evidence is of %+v", a.Evidence)
	}
	held, others := 0, 0
	for _, r := range a.Evidence[0].Readings {
		if r.Holds {
			held++
		} else if strings.Contains(r.Quote, `token="T"`) {
			others++
		}
	}
	if held == 0 || others == 0 {
		t.Errorf("of the readings of L402's headers %d hold, and %d have the other text's parameter", held, others)
	}
	for _, id := range catalog.ProtocolIDs {
		a, size := ask(`{"protocols":["` + id + `"],"evidence":true}`)
		if len(a.Evidence)+len(a.Left) == 0 {
			t.Errorf("%s: no evidence", id)
		}
		if len(a.Left) > 0 && size > maxAnswer+pageHead {
			t.Errorf("%s: an answer of %d bytes", id, size)
		}
		t.Logf("%s: %d facts with evidence, %d left out, %d bytes", id, len(a.Evidence), len(a.Left), size)
	}
	answer, err := tools.byName["get_protocol_facts"].call(context.Background(), json.RawMessage(`{"evidence":"yes"}`), Caller{})
	if err != nil || !answer.Failed || !strings.Contains(string(answer.text.appendTo(nil)), "evidence must be true or false") {
		t.Errorf("a text is taken for evidence: %v", err)
	}
}
