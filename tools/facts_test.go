package tools

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"almanac/catalog"
)

// factsOf asks for facts and returns them by protocol and field.
func factsOf(t *testing.T, tools *Tools, arguments string) (values map[string]map[string]factValue, sources []footnote) {
	t.Helper()
	a := tools.CallFree(t.Context(), "get_protocol_facts", []byte(arguments))
	var out struct {
		Protocols []map[string]json.RawMessage
		Sources   []footnote
	}
	if a == nil || a.Failed || json.Unmarshal(a.structured, &out) != nil {
		t.Fatalf("%s: %s", arguments, a.text)
	}
	if n := len(a.encoded()); n > maxAnswer+2*pageHead {
		t.Errorf("%s: %d bytes", arguments, n)
	}
	values = make(map[string]map[string]factValue)
	for _, p := range out.Protocols {
		id := plainText(p["id"])
		values[id] = make(map[string]factValue)
		for _, name := range tools.protocols.fields {
			if raw, ok := p[name]; ok {
				var v factValue
				if err := json.Unmarshal(raw, &v); err != nil {
					t.Fatal(err)
				}
				values[id][name] = v
			}
		}
	}
	return values, out.Sources
}

// TestFactsAreComplete: every field of every protocol is answered, with its value, source and day, or with null and a reason.
func TestFactsAreComplete(t *testing.T) {
	tools := over(t)
	if got, want := len(tools.protocols.ids), len(tools.catalog.Choices().Protocols); got < want {
		t.Fatalf("%d protocols, want %d", got, want)
	}
	for i := range tools.protocols.list {
		p := &tools.protocols.list[i]
		for _, name := range tools.protocols.fields {
			values, sources := factsOf(t, tools, `{"protocols":["`+p.id+`"],"fields":["`+name+`"]}`)
			v, ok := values[p.id][name]
			switch want := p.value(name); {
			case !ok:
				t.Errorf("%s has no %s", p.id, name)
			case string(v.Value) == "null":
				if v.Reason == "" || v.Reason != want.reason {
					t.Errorf("%s of %s is null because of %q", name, p.id, v.Reason)
				}
			case v.Source != 1 || len(sources) != 1 || sources[0].URL != want.source || sources[0].VerifiedAt != want.verified || string(v.Value) != string(want.full):
				t.Errorf("%s of %s is %+v from %v", name, p.id, v, sources)
			}
		}
	}
}

// TestFactsMatch: a value is found by its words, lists have the matching items only, and protocols without a match are left out.
func TestFactsMatch(t *testing.T) {
	tools := over(t)
	values, _ := factsOf(t, tools, `{"fields":["networks"],"match":"USDC eip155:8453"}`)
	var networks []catalog.Network
	if err := json.Unmarshal(values["x402"]["networks"].Value, &networks); err != nil || len(networks) == 0 {
		t.Fatalf("the networks of x402 are %s: %v", values["x402"]["networks"].Value, err)
	}
	for _, n := range networks {
		if n.CAIP2 == nil || *n.CAIP2 != "eip155:8453" && *n.CAIP2 != "eip155:84532" {
			t.Errorf("%+v does not match", n)
		}
	}
	if _, ok := values["l402"]; ok {
		t.Error("l402 matches USDC")
	}
	values, _ = factsOf(t, tools, `{"fields":["status"],"match":"draft"}`)
	if len(values) == 0 || len(values) == len(tools.protocols.ids) {
		t.Errorf("%d protocols are drafts", len(values))
	}
	if values, _ = factsOf(t, tools, `{"match":"no such words"}`); len(values) != 0 {
		t.Errorf("%d protocols have no such words", len(values))
	}
}

// TestFactsAreLenient: names of protocols and fields are read whatever their case and prefix.
func TestFactsAreLenient(t *testing.T) {
	tools := over(t)
	for _, arguments := range []string{`{"protocols":["protocol:X402"],"fields":["Refund"]}`, `{"protocols":"x402","fields":"refund"}`} {
		if values, _ := factsOf(t, tools, arguments); values["x402"]["refund"].Value == nil {
			t.Errorf("%s is not understood", arguments)
		}
	}
}

// TestFactsWithEvidence: quotes and readings come on request and only then, conflicting readings with their class included.
func TestFactsWithEvidence(t *testing.T) {
	tools := over(t)
	values, _ := factsOf(t, tools, `{"protocols":["l402"],"fields":["http_headers","steward"]}`)
	if v := values["l402"]; v["http_headers"].Readings != nil || v["steward"].Quote != "" {
		t.Errorf("evidence came unasked: %+v", v)
	}
	values, _ = factsOf(t, tools, `{"protocols":["l402"],"fields":["http_headers","steward"],"evidence":true}`)
	readings := values["l402"]["http_headers"].Readings
	if values["l402"]["steward"].Quote == "" || len(readings) == 0 || readings[0].Class == "" {
		t.Errorf("no evidence: %+v", values["l402"])
	}
	if !slices.ContainsFunc(readings, func(r catalog.ClassedReading) bool { return !r.Holds && strings.Contains(r.Quote, `token="T"`) }) {
		t.Error("the reading that contradicts the headers of L402 is missing")
	}
}
