package load

import (
	"errors"
	"strings"
	"testing"

	"go.almanac.example/catalog/catalogtest"
)

// A profile or a flow with one thing wrong is refused with what to do; as it stands, it is accepted.
func TestBrokenProfiles(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	const profile, flow = "profiles/bip21.json", "flows/bip21.json"
	if _, err := Load(catalogtest.Files(t, fixturesDir, nil), catalogtest.Options); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, path, old, new, want string }{
		{"kind", profile, `"payment request format"`, `"format"`, `kind: "format" is unknown; use one of`},
		{"class", profile, `"superseded"` + "\n", `"gone"` + "\n", `status.classes[0]: "gone" is unknown; use one of draft, beta`},
		{"class of a field without classes", profile, `"short": "amount in the URI",` + "\n" + `    "classes": [` + "\n" + `      "request"` + "\n" + `    ],`,
			`"short": "amount in the URI",`, `quote_where.classes: is empty; name one or more of`},
		{"no summary", profile, `"summary": "a URI form for asking for a bitcoin payment, which BIP 321 now replaces and extends with Lightning parameters"`,
			`"summary": ""`, `summary: is empty; write it`},
		{"short", profile, `"superseded by BIP 321"`, `"` + strings.Repeat("a", 81) + `"`, `status.short: has 81 characters; shorten it to 64`},
		{"order of events", profile, `"2012-01-29"`, `"2010-01-29"`, `events[1].date: 2010-01-29 is before 2011-01-10 above it; put the oldest first`},
		{"superseded by nothing", profile, `"superseded_by": "BIP 321"`, `"superseded_by": "BIP 20"`, `events[1].superseded_by: "BIP 20" is not the version of a later event`},
		{"quote", profile, `"quote": "Assigned: 2012-01-29"`, `"quote": ""`, `events[1].quote: is empty; write it`},
		{"source", profile, `"unit_of_price": {` + "\n" + `    "value": "BTC as a decimal number",`, `"unit_of_price": {` + "\n" + `    "value": "",`, `unit_of_price.value: is empty`},
		{"actor", flow, `"to": "chain"`, `"to": "miner"`, `steps[4].to: "miner" is unknown; use one of agent, chain`},
		{"label", flow, `"label": "Open URI"`, `"label": "` + strings.Repeat("a", 81) + `"`, `steps[1].label: has 81 characters; shorten it to 80`},
		{"protocol of a flow", flow, `"id": "bip21"`, `"id": "bip22"`, `id: there is no protocol "bip22" (did you mean "bip21"?)`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Load(catalogtest.Lean(t, fixturesDir, map[string][]byte{tt.path: replace(t, tt.path, tt.old, tt.new)}), catalogtest.Options)
			var faults Faults
			if errors.As(err, &faults); !reported(faults, tt.path, tt.want) {
				t.Errorf("%q is not reported:\n%v", tt.want, err)
			}
		})
	}
}

// A profile cannot take the address of a page that is about several protocols.
func TestProfileOfAPageName(t *testing.T) {
	for _, name := range pageNames {
		path := "profiles/" + name + ".json"
		data := strings.Replace(string(replace(t, "profiles/visa-tap.json", `"id": "visa-tap"`, `"id": "`+name+`"`)), `"visa-tap"`, `"`+name+`"`, 1)
		_, err := Load(catalogtest.Lean(t, fixturesDir, map[string][]byte{path: []byte(data)}), catalogtest.Options)
		var faults Faults
		if errors.As(err, &faults); !reported(faults, path, `is the address of another page`) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// What changes in a profile or a flow belongs to the history, member by member; a step that was only read again is known as such.
func TestHistoryOfProfiles(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds; run without -short")
	}
	version := func(files map[string][]byte) *Version {
		v, err := PublishedVersion(catalogtest.Files(t, fixturesDir, files))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	const profile, flow = "profiles/bip21.json", "flows/l402.json"
	whole := string(replace(t, flow, `"id": "l402"`, `"id": "l402"`))
	readAgain := strings.Replace(whole, `"verified_at": "2026-11-22"`, `"verified_at": "2027-01-02"`, 1) // of the first step
	old := version(nil)
	for _, tt := range []struct{ name, path, data, record, change, member string }{
		{"reading", profile, string(replace(t, profile, `"value": "BTC as a decimal number"`, `"value": "BTC"`)), "profile:bip21", "edited", "unit_of_price.value"},
		{"event", profile, string(replace(t, profile, `"version": "BIP 20"`, `"version": "BIP 0020"`)), "profile:bip21", "edited", "events[BIP 0020]"},
		{"step", flow, string(replace(t, flow, `"label": "Preimage"`, `"label": "The preimage"`)), "flow:l402", "edited", "steps[5]"},
		{"step read again", flow, readAgain, "flow:l402", "read-again", "steps[1].verified_at"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			new := version(map[string][]byte{tt.path: []byte(tt.data)})
			if err := CheckHistory(old, new, ""); err == nil || !strings.Contains(err.Error(), tt.member+": has changed and the history does not record it") {
				t.Fatalf("unrecorded: %v", err)
			}
			lines, err := Record(old, new, "2027-01-02")
			if err != nil {
				t.Fatal(err)
			}
			events := (&reader{}).decodeEvents("history/2027-01-02.jsonl", lines)
			if len(events) != 1 || events[0].Record != tt.record || events[0].Change != tt.change || events[0].Members[0].Name != tt.member {
				t.Errorf("recorded: %s", lines)
			}
			new = version(map[string][]byte{tt.path: []byte(tt.data), HistoryFile("2027-01-02"): lines})
			if err := CheckHistory(old, new, ""); err != nil {
				t.Errorf("recorded: %v", err)
			}
		})
	}
}
