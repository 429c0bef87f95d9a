package server

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"go.almanac.example/catalog"
	"go.almanac.example/server/servertest"
)

// TestOneEntryThreeWays: an entry is an equal value as mirror JSON, as tool result and as search
// hit.
func TestOneEntryThreeWays(t *testing.T) {
	cfg := testConfig(t)
	s := newService(t, cfg)
	cat, err := cfg.Source.Load(catalog.DefaultSite, catalog.PaymentsOff)
	if err != nil {
		t.Fatal(err)
	}
	credential := s.Buy()
	for _, id := range []string{"l402-protocol-specification", "caip-19-asset-id", "usdc-contract-addresses"} {
		t.Run(id, func(t *testing.T) {
			s := *s
			s.T = t
			want, ok := cat.Entry(id)
			if !ok {
				t.Fatal("not in the catalogue")
			}

			_, body := s.Do(http.MethodGet, catalog.EntryJSONPath(id), "")
			fromMirror := servertest.Decode[struct{ Entry json.RawMessage }](t, body).Entry

			_, body = s.Do(http.MethodGet, catalog.CategoryJSONPath(want.Category), "")
			fromList := pick(t, servertest.Decode[struct{ Entries []json.RawMessage }](t, body).Entries, id)

			result := s.Call("fetch", map[string]any{"id": id, "format": "json"})
			fromTool := servertest.Decode[struct{ Record json.RawMessage }](t, result).Record

			res, body := s.Do(http.MethodGet, catalog.SearchPath+"?q="+id, "", "Authorization", credential)
			if res.StatusCode != http.StatusOK {
				t.Fatalf("search: status %d: %s", res.StatusCode, body)
			}
			fromSearch := pick(t, servertest.Decode[struct{ Entries []json.RawMessage }](t, body).Entries, id)

			for name, got := range map[string]json.RawMessage{
				"mirror": fromMirror, "list": fromList, "tool": fromTool, "search": fromSearch,
			} {
				// A hit has further members, which Unmarshal leaves aside.
				if diff := cmp.Diff(*want, servertest.Decode[catalog.Entry](t, got)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
		})
	}
}

// pick gives the record with the id.
func pick(t *testing.T, records []json.RawMessage, id string) json.RawMessage {
	t.Helper()
	for _, r := range records {
		if servertest.Decode[struct{ ID string }](t, r).ID == id {
			return r
		}
	}
	t.Fatalf("%s is not among %d records", id, len(records))
	return nil
}
