package sources

import (
	"cmp"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
)

// A versions is where the versions of a source are listed, and how to read the list.
type versions struct {
	list    string // its address
	current string // the version of the source
	newest  func(body []byte, current string) string
}

var (
	commit      = regexp.MustCompile(`/[0-9a-f]{40}(?:/|$)`)
	githubDraft = regexp.MustCompile(`^https://github\.com/([^/]+/[^/]+)/blob/([^/]+)/(.+)/(draft-[a-z0-9-]+?)-(\d\d)(\.[a-z]+)$`)
	githubTag   = regexp.MustCompile(`^https://github\.com/([^/]+/[^/]+)/(?:blob|tree|releases/tag)/(v?\d+(?:\.\d+)*[^/]*|\d{4}-\d{2}-\d{2})(?:/|$)`)
	rawTag      = regexp.MustCompile(`^https://raw\.githubusercontent\.com/([^/]+/[^/]+)/(v?\d+(?:\.\d+)+[^/]*)/`)
	draft       = regexp.MustCompile(`^https://(?:datatracker\.ietf\.org/doc(?:/html|/pdf)?|www\.ietf\.org/archive/id|author-tools\.ietf\.org/[a-z/]+)/(draft-[a-z0-9-]+?)(?:-|/)(\d\d)(?:[./]|$)`)
	w3cDated    = regexp.MustCompile(`^https://www\.w3\.org/TR/(\d{4})/[A-Z]+-(.+)-(\d{8})/`)
	datedPlace  = regexp.MustCompile(`^(https://[^/]+/(?:[^/]+/)*?)(v?\d+\.\d+(?:\.\d+)?|\d{4}-\d{2}-\d{2})(?:/|$)`)
)

// versionsOf returns where the versions of the source at an address are listed, if that is known.
func versionsOf(address string) (versions, bool) {
	if commit.MatchString(address) {
		return versions{}, false // what does not move has no newer version
	}
	if m := githubDraft.FindStringSubmatch(address); m != nil {
		return versions{"https://api.github.com/repos/" + m[1] + "/contents/" + m[3] + "?ref=" + m[2], m[4] + "-" + m[5], newestFile(m[6])}, true
	}
	if m := githubTag.FindStringSubmatch(address); m != nil {
		return versions{"https://api.github.com/repos/" + m[1] + "/tags?per_page=100", m[2], newestTag}, true
	}
	if m := rawTag.FindStringSubmatch(address); m != nil {
		return versions{"https://api.github.com/repos/" + m[1] + "/tags?per_page=100", m[2], newestTag}, true
	}
	if m := draft.FindStringSubmatch(address); m != nil {
		return versions{"https://datatracker.ietf.org/doc/" + m[1] + "/doc.json", m[2], newestDraft}, true
	}
	if m := w3cDated.FindStringSubmatch(address); m != nil {
		return versions{"https://www.w3.org/TR/" + m[2] + "/", m[3], newestW3C(m[2])}, true
	}
	if m := datedPlace.FindStringSubmatch(address); m != nil && !strings.HasPrefix(address, "https://github.com/") && !strings.HasPrefix(address, "https://www.w3.org/TR/") {
		return versions{m[1], m[2], newestPlace(m[1])}, true
	}
	return versions{}, false
}

// newestTag returns the newest tag of a repository of the form of the present one, from the list that GitHub's API has
// (https://docs.github.com/en/rest/repos/repos#list-repository-tags).
func newestTag(body []byte, current string) string {
	var tags []struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(body, &tags) != nil {
		return ""
	}
	var names []string
	for _, t := range tags {
		names = append(names, t.Name)
	}
	return newestOf(names, current)
}

// newestFile returns the function that reads the newest number of a draft off the list of the files beside it, without their ending.
func newestFile(ending string) func([]byte, string) string {
	return func(body []byte, current string) string {
		var files []struct {
			Name string `json:"name"`
		}
		if json.Unmarshal(body, &files) != nil {
			return ""
		}
		newest := current
		for _, f := range files {
			name, ok := strings.CutSuffix(f.Name, ending)
			if ok && len(name) == len(current) && name[:len(name)-2] == current[:len(current)-2] {
				newest = max(newest, name)
			}
		}
		if newest == current {
			return ""
		}
		return newest
	}
}

// newestDraft returns the number of the newest version of an Internet-Draft, or the RFC that it has become, from the document
// that the datatracker has about it.
func newestDraft(body []byte, current string) string {
	var doc struct {
		Rev string `json:"rev"`
		RFC any    `json:"rfc"`
	}
	if json.Unmarshal(body, &doc) != nil {
		return ""
	}
	if n, ok := doc.RFC.(string); ok && n != "" {
		return "RFC " + strings.TrimPrefix(strings.ToLower(n), "rfc")
	}
	if len(doc.Rev) == len(current) && doc.Rev > current {
		return doc.Rev
	}
	return ""
}

// newestW3C returns the function that reads the date of the newest version of a W3C document off the page of its latest one, which names
// its own dated address.
func newestW3C(name string) func([]byte, string) string {
	dated := regexp.MustCompile(`/TR/\d{4}/[A-Z]+-` + regexp.QuoteMeta(name) + `-(\d{8})/`)
	return func(body []byte, current string) string {
		newest := ""
		for _, m := range dated.FindAllSubmatch(body, -1) {
			newest = max(newest, string(m[1]))
		}
		if newest > current {
			return newest
		}
		return ""
	}
}

// newestPlace returns the function that reads the newest version off the page above a version, which links to all of them.
func newestPlace(above string) func([]byte, string) string {
	path := above
	if u, err := url.Parse(above); err == nil {
		path = u.Path
	}
	link := regexp.MustCompile(`href=["']?(?:` + regexp.QuoteMeta(above) + `|` + regexp.QuoteMeta(path) + `|\./)?([^/"'# >?]+)`)
	return func(body []byte, current string) string {
		var names []string
		for _, m := range link.FindAllSubmatch(body, -1) {
			names = append(names, string(m[1]))
		}
		return newestOf(names, current)
	}
}

var (
	date    = regexp.MustCompile(`^v?\d{4}-\d{2}-\d{2}$`)
	version = regexp.MustCompile(`^(.*?)(v?)(\d+(?:\.\d+){0,2})$`)
)

// newestOf returns the newest of some names that are of the form of the present one and newer than it. Dates are compared with dates,
// versions with versions that have the same words before the number; a candidate for a release is none.
func newestOf(names []string, current string) string {
	newer := func(name string) bool { return date.MatchString(name) && len(name) == len(current) && name > current }
	order := cmp.Compare[string]
	if !date.MatchString(current) {
		m := version.FindStringSubmatch(current)
		if m == nil {
			return ""
		}
		number := func(name string) string {
			if n := version.FindStringSubmatch(name); n != nil && n[1] == m[1] && n[2] == m[2] {
				return "v" + n[3]
			}
			return ""
		}
		order = func(a, b string) int { return semver.Compare(number(a), number(b)) }
		newer = func(name string) bool { return number(name) != "" && order(name, current) > 0 }
	}
	names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !newer(n) })
	if len(names) == 0 {
		return ""
	}
	return slices.MaxFunc(names, order)
}

var githubBlob = regexp.MustCompile(`^https://github\.com/([^/]+/[^/]+)/blob/(.+)$`)

// readable returns where the text of an address is: GitHub serves a file as it is at an address of its own.
func readable(address string) string {
	if m := githubBlob.FindStringSubmatch(address); m != nil {
		path, _, _ := strings.Cut(m[2], "#")
		return "https://raw.githubusercontent.com/" + m[1] + "/" + path
	}
	return address
}
