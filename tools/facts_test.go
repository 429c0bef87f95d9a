package tools

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"go.almanac.example/catalog"
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
			switch want, reason := p.value(name); {
			case !ok:
				t.Errorf("%s has no %s", p.id, name)
			case string(v.Value) == "null":
				if v.Reason == "" || v.Reason != reason {
					t.Errorf("%s of %s is null because of %q", name, p.id, v.Reason)
				}
			case v.Source != 1 || len(sources) != 1 || sources[0].URL != want.Source || sources[0].VerifiedAt != want.VerifiedAt || string(v.Value) != string(encode(want.Value)):
				t.Errorf("%s of %s is %+v from %v", name, p.id, v, sources)
			}
		}
	}
}

// TestFactsOfVersions: every fact of an earlier version is answered on request, with its source and day, and not otherwise; null is a fact
// that nobody read for it. Words and evidence work as for the newest.
func TestFactsOfVersions(t *testing.T) {
	tools := over(t)
	for _, id := range tools.catalog.VersionedIDs() {
		for _, v := range tools.catalog.Versions(id) {
			values, sources := factsOf(t, tools, `{"protocols":["`+id+`"],"version":"`+strings.ToUpper(v.Version)+`","fields":["spec_url","http_headers","refund"],"evidence":true}`)
			got := values[id]["spec_url"]
			if len(values) != 1 || string(got.Value) != string(encode(v.Facts.SpecURL.Value)) || sources[got.Source-1].URL != v.Facts.SpecURL.Source || len(got.Readings) == 0 {
				t.Errorf("%s %s: %+v", id, v.Version, values)
			}
			if refund := values[id]["refund"]; string(refund.Value) != "null" || refund.Reason != reasonUnasked {
				t.Errorf("the refund of %s %s is %s because of %s", id, v.Version, refund.Value, refund.Reason)
			}
		}
	}
	values, _ := factsOf(t, tools, `{"version":"v1","match":"x-payment-response"}`)
	var headers []catalog.Header
	if err := json.Unmarshal(values["x402"]["http_headers"].Value, &headers); err != nil || len(headers) != 1 || headers[0].Direction != "response" {
		t.Errorf("the headers of x402 v1 with these words are %s", values["x402"]["http_headers"].Value)
	}
	values, _ = factsOf(t, tools, `{"protocols":["x402"],"fields":["http_headers"]}`)
	if newest := string(values["x402"]["http_headers"].Value); strings.Contains(newest, "X-PAYMENT") {
		t.Errorf("the newest headers are %s", newest)
	}
	for _, version := range []string{"2", "v2", "newest", "Latest"} {
		if named, _ := factsOf(t, tools, `{"protocols":["x402"],"fields":["http_headers"],"version":"`+version+`"}`); !strings.Contains(string(named["x402"]["http_headers"].Value), "PAYMENT-REQUIRED") {
			t.Errorf("the headers of %s are %s", version, named["x402"]["http_headers"].Value)
		}
	}
	if a := tools.CallFree(t.Context(), "fetch", []byte(`{"id":"protocol:x402#version-v1"}`)); a.Failed || !strings.Contains(a.text, "X-PAYMENT") {
		t.Errorf("fetch: %s", a.text)
	}
	for arguments, want := range map[string]string{
		`{"protocols":["x402"],"version":"v3"}`:       "The facts of version \"v3\" are not here. Versions: x402 v1, x402 2 (newest).",
		`{"protocols":["x402","acp"],"version":"v1"}`: "Versions: x402 v1, x402 2 (newest), acp 2025-09-29, acp 2025-12-12",
		`{"protocols":["nwc"],"version":"v1"}`:        "Versions: nwc (newest).",
		`{"version":"1999-01-01"}`:                    "l402 LSAT",
	} {
		if a := tools.CallFree(t.Context(), "get_protocol_facts", []byte(arguments)); !a.Failed || !strings.Contains(a.text, want) {
			t.Errorf("%s: %s", arguments, a.text)
		}
	}
}

// TestFactsMatch: a value is found by its words, lists have the matching items only, and protocols without a match are left out,
// unless the protocol and the field are named.
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
	if values, _ = factsOf(t, tools, `{"protocols":["x402","l402"],"fields":["refund"],"match":"no such words"}`); values["x402"]["refund"].Value == nil || values["l402"]["refund"].Reason != reasonSilent {
		t.Errorf("a match dropped what was asked for: %v", values)
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
