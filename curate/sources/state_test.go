package sources

import (
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"io"

	"go.almanac.example/catalog"
	"go.almanac.example/curate/links"
)

// TestRoundsRemember: a page without a pinned text is compared with the page of the last round. A change stays told, round after
// round, until somebody has read the page again.
func TestRoundsRemember(t *testing.T) {
	body := "<h1>Fees</h1><p>" + quote + "</p>"
	address := host(t, func(w http.ResponseWriter, r *http.Request) { typed("text/html", body)(w, r) }) + "/spec"
	path := filepath.Join(t.TempDir(), "state.json")
	claim := Claim{Record: "spec", Quote: quote, Source: address, Own: true, ReadAt: "2026-11-22"}
	verdict := func() string {
		t.Helper()
		state, err := OpenState(path)
		if err != nil {
			t.Fatal(err)
		}
		round := Round{Claims: []Claim{claim}, State: state, Journal: filepath.Join(t.TempDir(), "journal"), Progress: io.Discard}
		report, err := round.Run(t.Context(), links.New(testConfig()))
		if err != nil {
			t.Fatal(err)
		}
		return report.Findings[0].Verdict
	}
	for i, step := range []struct {
		page, want string
		readAt     catalog.Date
	}{
		{body, Stands, claim.ReadAt},
		{body, Stands, claim.ReadAt},
		{"<h1>Fees</h1><p>Formerly: " + quote + "</p>", Changed, claim.ReadAt},
		{"<h1>Fees</h1><p>Formerly: " + quote + "</p>", Changed, claim.ReadAt},
		{"<h1>Fees</h1><p>Nothing.</p>", Gone, claim.ReadAt},
		{"<h1>Fees</h1><p>Formerly: " + quote + "</p>", Changed, claim.ReadAt},
		{"<h1>Fees</h1><p>Formerly: " + quote + "</p>", Stands, catalog.DateOf(day.Add(24 * time.Hour))},
	} {
		body, claim.ReadAt = step.page, step.readAt
		if got := verdict(); got != step.want {
			t.Errorf("round %d: %s, want %s", i+1, got, step.want)
		}
	}
	if _, err := OpenState(filepath.Dir(path)); err == nil {
		t.Error("a state that cannot be read is taken for an empty one")
	}
}
