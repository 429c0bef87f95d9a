package index

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"go.almanac.example/catalog"
)

// Answers satisfy the schema that the site publishes for them: with hits of every kind, on a first
// and on a last page, with a suggestion and with nothing found.
func TestAnswersSatisfyTheirSchema(t *testing.T) {
	data, ok := realCatalog(t).Schema("search")
	if !ok {
		t.Fatal("there is no schema of the answer")
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	schema, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	h := newHandler(realIndex(t))
	h.Credits = func(context.Context) (*Credits, bool) { return &Credits{99, "2026-12-21T12:00:00Z"}, true }
	kinds := make(map[string]bool)
	for _, q := range []string{"payment", "bolt12", "macarooon", "x402 networks", "tag:l402", "NIP-47", "\"status code\"", "zzzzqqqq", "dataset csv"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", catalog.SearchPath+"?limit=50&q="+url.QueryEscape(q), nil))
		var doc map[string]any
		if err := json.Unmarshal(w.Body.Bytes(), &doc); err != nil || w.Code != 200 {
			t.Fatalf("%s: %d %s", q, w.Code, w.Body)
		}
		if err := schema.Validate(doc); err != nil {
			t.Errorf("%s: %v", q, err)
		}
		for _, e := range doc["entries"].([]any) {
			kinds[e.(map[string]any)["kind"].(string)] = true
		}
	}
	for _, kind := range []string{"library", "article", "dataset", "protocol"} {
		if !kinds[kind] {
			t.Errorf("no answer had a hit of kind %s", kind)
		}
	}
}
