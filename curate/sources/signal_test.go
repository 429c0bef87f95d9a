package sources

import (
	"strings"
	"testing"

	"go.almanac.example/curate/links"
)

// TestSignals: a new release, a repository that is archived or renamed, and a pull request that is new or merged are news in the round
// that sees them first; a value that is the same, unknown, or seen for the first time is none.
func TestSignals(t *testing.T) {
	feed := func(titles ...string) string {
		return `<feed xmlns="http://www.w3.org/2005/Atom"><title>Release notes</title><entry><title>` + strings.Join(titles, "</title></entry><entry><title>") + "</title></entry></feed>"
	}
	const pulls = `[{"number":2,"state":"open","title":"Discovery","merged_at":null},{"number":1,"state":"closed","title":"Token","merged_at":"2026-08-01T00:00:00Z"}]`
	page := func(status int, body string) links.Page {
		return links.Page{Observation: links.Observation{Status: status}, Type: "text/html", Body: []byte(body)}
	}
	moved := page(200, "<html>")
	moved.Hops = []links.Hop{{Status: 301, To: "https://github.com/c/d"}}
	moved.Kind = "moved"
	for name, tt := range map[string]struct {
		kind  string
		value func(links.Page) string
		page  links.Page
		was   string
		told  string
	}{
		"a release":              {Release, newestEntry, page(200, feed("v2.0", "v1.0")), "v1.0", "release was v1.0, is v2.0"},
		"a first release":        {Release, newestEntry, page(200, feed("v1.0")), "none", "release was none, is v1.0"},
		"the same release":       {Release, newestEntry, page(200, feed("v2.0")), "v2.0", ""},
		"the first round":        {Release, newestEntry, page(200, feed("v2.0")), "", ""},
		"a host that is away":    {Release, newestEntry, page(503, "Service Unavailable"), "v2.0", ""},
		"no feed":                {Release, newestEntry, page(200, "<html>"), "v2.0", ""},
		"a package":              {Release, versionMember("version"), page(200, `{"name":"x","version":"2.28.0"}`), "2.27.0", "release was 2.27.0, is 2.28.0"},
		"archived":               {Repository, repositoryState, page(200, "This repository was archived by the owner on Aug 1."), "here", "repository was here, is archived"},
		"renamed":                {Repository, repositoryState, moved, "here", "repository was here, is moved to https://github.com/c/d"},
		"a repository as it was": {Repository, repositoryState, page(200, "<html>"), "here", ""},
		"a merged pull request":  {Pulls, pullRequests, page(200, pulls), "#2 open: Discovery\n#1 open: Token", "pulls #1 merged: Token"},
		"a new pull request":     {Pulls, pullRequests, page(200, pulls), "#1 merged: Token", "pulls #2 open: Discovery"},
		"an old one left out":    {Pulls, pullRequests, page(200, pulls), "#2 open: Discovery\n#1 merged: Token\n#0 open: Old", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := Signal{Kind: tt.kind, Subject: "a/b", address: "https://example.org/list", value: tt.value}
			round := Round{Signals: []Signal{s}, State: &State{Signals: map[string]string{s.address: tt.was}}}
			tt.page.URL = s.address
			told := ""
			for range 2 {
				asks, _ := questions(nil, round.Signals)
				report := round.judge(map[string]found{s.address: look(tt.page, asks[s.address])})
				for _, n := range report.News {
					told += n.sentence()
				}
			}
			if told != tt.told {
				t.Errorf("two rounds told %q, want %q", told, tt.told)
			}
		})
	}
}
