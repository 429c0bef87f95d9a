package sources

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/google/renameio/v2"

	"go.almanac.example/catalog"
	"go.almanac.example/internal/wirejson"
)

// A State remembers, from round to round, the sections of sources and the values of signals. It shows a change of a
// source that has no pinned text.
type State struct {
	path    string
	Seen    map[string]sighting `json:"sections"` // by Claim.key
	Signals map[string]string   `json:"signals"`  // by address
	Pages   map[string]lastPage `json:"pages"`    // by address, of GitHub's API

	asks map[string]*ask // of this round
	api  string          // beginning of the addresses of GitHub's API
}

// A lastPage is the state of an address at its last full reading: its tag and its values.
type lastPage struct {
	ETag   string            `json:"etag"`
	Values map[string]string `json:"values"`
}

type sighting struct {
	Day catalog.Date `json:"seen_at"`
	section
}

// OpenState reads the state in a file, which need not exist yet.
func OpenState(path string) (*State, error) {
	s := &State{path: path, Seen: make(map[string]sighting), Signals: make(map[string]string), Pages: make(map[string]lastPage), api: api}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		err = json.Unmarshal(data, s)
	}
	if err != nil {
		return nil, fmt.Errorf("read the sections that were seen: %w; restore %s, or remove it to begin again", err, path)
	}
	return s, nil
}

// remembered returns the section that an earlier round saw for a claim. A reading of a later day starts again: somebody
// has read the section since.
func (s *State) remembered(c Claim) *section {
	seen, ok := s.Seen[c.key()]
	if !ok || c.ReadAt > seen.Day {
		return nil
	}
	return &seen.section
}

// remember notes the sections of a round. The section of a changed claim stays the one that was remembered, until
// somebody has read it; claims that no record makes any more are forgotten.
func (s *State) remember(findings []Finding) {
	next := make(map[string]sighting)
	for _, f := range findings {
		key := f.Claim.key()
		old, known := s.Seen[key]
		switch {
		case f.Claim.Quote == "":
		case f.Verdict == Stands || f.Verdict == Moved || f.Verdict == Superseded:
			next[key] = sighting{catalog.DateOf(f.Read), f.section}
		case known:
			next[key] = old
		}
	}
	s.Seen = next
}

func (s *State) save() error {
	data, err := wirejson.Indent(s)
	if err == nil {
		err = renameio.WriteFile(s.path, data, 0o644)
	}
	if err != nil {
		return fmt.Errorf("remember the sections that were seen: %w", err)
	}
	return nil
}

// api is GitHub's API, of which few requests may be made without a token.
const api = "https://api.github.com/"

// Prepare returns what adds to requests to GitHub's API its token, which no other host gets, and the condition that the
// page has changed, unless the round asks it for a value that was not read before.
func (s *State) Prepare(token string) func(*http.Request) {
	return func(r *http.Request) {
		if !strings.HasPrefix(r.URL.String(), s.api) {
			return
		}
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		last, a := s.Pages[r.URL.String()], s.asks[r.URL.String()]
		if last.ETag == "" || a == nil {
			return
		}
		for name := range a.values {
			if _, known := last.Values[name]; !known {
				return
			}
		}
		r.Header.Set("If-None-Match", last.ETag)
	}
}

// recall gives results that say that nothing changed the values that were read last, and remembers the others.
func (s *State) recall(done map[string]found) {
	for address, f := range done {
		switch {
		case f.Status == http.StatusNotModified:
			f.Values = s.Pages[address].Values
			done[address] = f
		case f.ETag != "" && strings.HasPrefix(address, s.api):
			s.Pages[address] = lastPage{f.ETag, f.Values}
		}
	}
}

// unsettled returns the signals but the commits that are known to be of the main branch, and stay so.
func (s *State) unsettled(signals []Signal) []Signal {
	return slices.DeleteFunc(slices.Clone(signals), func(g Signal) bool {
		return g.Kind == Pin && s.Signals[g.address] == pinOnMain
	})
}
