package sources

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

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

// TestGitHubAPI: its requests have the token, which nobody else gets; one whose page was read before asks only for a change; a commit
// known to be of the main branch is not asked about again, and one that is not is told in every round; the last request that the limit
// allows is the last of the round.
func TestGitHubAPI(t *testing.T) {
	var asked []string
	remaining := "9"
	hub := host(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		asked = append(asked, r.URL.Path+" "+r.Header.Get("Authorization"))
		w.Header().Set("X-RateLimit-Remaining", remaining)
		w.Header().Set("X-RateLimit-Reset", fmt.Sprint(day.Add(time.Hour).Unix()))
		w.Header().Set("ETag", `"1"`)
		if r.Header.Get("If-None-Match") == `"1"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		switch strings.TrimPrefix(r.URL.Path, "/") {
		case "pulls":
			io.WriteString(w, `[{"number":2,"state":"open","title":"Discovery","merged_at":null}]`)
		case "main":
			io.WriteString(w, `{"status":"ahead"}`)
		case "fork":
			io.WriteString(w, `{"status":"diverged"}`)
		default:
			http.NotFound(w, r)
		}
	})
	elsewhere := host(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			t.Error("another host gets the token")
		}
		typed("text/plain", quote)(w, r)
	})
	signal := func(kind, name string, value func(links.Page) string) Signal {
		return Signal{Kind: kind, Subject: name, address: hub + "/" + name, value: value}
	}
	path := filepath.Join(t.TempDir(), "state.json")
	round := Round{Claims: []Claim{{Record: "spec", Quote: quote, Source: elsewhere}}, Progress: io.Discard, Signals: []Signal{
		signal(Pulls, "pulls", pullRequests), signal(Pin, "main", ancestry), signal(Pin, "fork", ancestry), signal(Pin, "nowhere", ancestry)}}
	for i, want := range []struct{ remaining, asked, told string }{
		{"9", "/pulls /main /fork /nowhere", "fork: pin not on the main branch; nowhere: pin unknown to the repository"},
		{"9", "/pulls /fork /nowhere", "fork: pin not on the main branch; nowhere: pin unknown to the repository"},
		{"0", "/pulls", ""},
	} {
		state, err := OpenState(path)
		if err != nil {
			t.Fatal(err)
		}
		cfg := testConfig()
		cfg.Prepare = state.Prepare("secret")
		state.api, asked, remaining = hub, nil, want.remaining
		round.State, round.Journal = state, filepath.Join(t.TempDir(), "journal")
		report, err := round.Run(t.Context(), links.New(cfg))
		if err != nil {
			t.Fatal(err)
		}
		var told []string
		for _, n := range report.News {
			told = append(told, n.Subject+": "+n.sentence())
		}
		if got := strings.Join(told, "; "); got != want.told {
			t.Errorf("round %d tells %q, want %q", i+1, got, want.told)
		}
		if got := strings.ReplaceAll(strings.Join(asked, " "), " Bearer secret", ""); got != want.asked {
			t.Errorf("round %d asked for %q, want %q", i+1, got, want.asked)
		}
		if state.Signals[hub+"/pulls"] != "#2 open: Discovery" {
			t.Errorf("round %d remembers the pull requests %q", i+1, state.Signals[hub+"/pulls"])
		}
	}
}

// newState returns the state of a first round.
func newState(t *testing.T) *State {
	t.Helper()
	state, err := OpenState(filepath.Join(t.TempDir(), "state"))
	if err != nil {
		t.Fatal(err)
	}
	return state
}
