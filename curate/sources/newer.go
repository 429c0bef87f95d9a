package sources

import (
	"cmp"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"go.almanac.example/curate/links"
)

// A versions is a list of the versions of a source.
type versions struct {
	list    string                  // its address
	current string                  // the version of the source
	newest  func(links.Page) string // the version that is newer, off the list; "" for none
}

// A lister reads the newest version that is newer than the present one off a list; "" for none. groups are those of the
// source's address.
type lister func(body []byte, current string, groups []string) string

// listings are the registries of versions. The groups of a source's address fill in the address of the list and the
// present version.
var listings = []struct {
	source        *regexp.Regexp
	list, current string
	newest        lister
}{
	{regexp.MustCompile(`^https://github\.com/([^/]+/[^/]+)/blob/([^/]+)/(.+)/(draft-[a-z0-9-]+?)-(\d\d)(\.[a-z]+)$`),
		api + "repos/$1/contents/$3?ref=$2", "$4-$5", newestFile},
	{regexp.MustCompile(`^https://github\.com/([^/]+/[^/]+)/(?:blob|tree|releases/tag)/(v?\d+(?:\.\d+)*[^/]*|\d{4}-\d{2}-\d{2})(?:/|$)`),
		tagList, "$2", newestTag},
	{regexp.MustCompile(`^https://raw\.githubusercontent\.com/([^/]+/[^/]+)/(v?\d+(?:\.\d+)+[^/]*)/`),
		tagList, "$2", newestTag},
	{regexp.MustCompile(`^https://(?:datatracker\.ietf\.org/doc(?:/html|/pdf)?|www\.ietf\.org/archive/id|author-tools\.ietf\.org/[a-z/]+)/` +
		`(draft-[a-z0-9-]+?)(?:-|/)(\d\d)(?:[./]|$)`),
		"https://datatracker.ietf.org/doc/$1/doc.json", "$2", newestDraft},
	{regexp.MustCompile(`^https://www\.w3\.org/TR/(\d{4})/[A-Z]+-(.+)-(\d{8})/`),
		"https://www.w3.org/TR/$2/", "$3", newestW3C},
	{regexp.MustCompile(`^(https://[^/]+/(?:[^/]+/)*?)(v?\d+\.\d+(?:\.\d+)?|\d{4}-\d{2}-\d{2})(?:/|$)`),
		"$1", "$2", newestPlace},
}

const tagList = api + "repos/$1/tags?per_page=100"

var commit = regexp.MustCompile(`/[0-9a-f]{40}(?:/|$)`)

// versionsOf returns the list of the versions of the source at an address, if there is one.
func versionsOf(address string) (versions, bool) {
	if commit.MatchString(address) {
		return versions{}, false // a pinned source has no newer version
	}
	for _, l := range listings {
		m := l.source.FindStringSubmatchIndex(address)
		if m == nil || l.list == "$1" && (strings.HasPrefix(address, "https://github.com/") ||
			strings.HasPrefix(address, "https://www.w3.org/TR/")) {
			continue
		}
		expand := func(template string) string { return string(l.source.ExpandString(nil, template, address, m)) }
		current := expand(l.current)
		newest := func(p links.Page) string { return l.newest(p.Body, current, l.source.FindStringSubmatch(address)) }
		return versions{expand(l.list), current, newest}, true
	}
	return versions{}, false
}

// namesOf returns the names of a list of GitHub's API, such as that of the tags of a repository
// (https://docs.github.com/en/rest/repos/repos#list-repository-tags), or nil.
func namesOf(body []byte) (names []string) {
	var list []struct {
		Name string `json:"name"`
	}
	_ = json.Unmarshal(body, &list) // anything else has no names
	for _, item := range list {
		names = append(names, item.Name)
	}
	return names
}

// newestTag returns the newest tag of a repository of the form of the present one.
func newestTag(body []byte, current string, _ []string) string {
	return newestOf(namesOf(body), current)
}

// newestFile returns the newest draft among the files beside the present one, whose names end alike.
func newestFile(body []byte, current string, groups []string) (newest string) {
	for _, file := range namesOf(body) {
		name, ok := strings.CutSuffix(file, groups[6])
		if ok && len(name) == len(current) && name[:len(name)-2] == current[:len(current)-2] && name > current {
			newest = max(newest, name)
		}
	}
	return newest
}

// newestDraft returns the number of the newest version of an Internet-Draft, or the RFC that it has become, from the
// document that the datatracker has about it.
func newestDraft(body []byte, current string, _ []string) string {
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

// newestW3C returns the newest date of a W3C document: the page of its latest version names its own dated address.
func newestW3C(body []byte, current string, groups []string) string {
	return newestOf(submatches(body, `/TR/\d{4}/[A-Z]+-`+regexp.QuoteMeta(groups[2])+`-(\d{8})/`), current)
}

// newestPlace returns the newest version that the page above a version links to.
func newestPlace(body []byte, current string, groups []string) string {
	above, path := groups[1], groups[1]
	if u, err := url.Parse(above); err == nil {
		path = u.Path
	}
	return newestOf(submatches(body, `href=["']?(?:`+regexp.QuoteMeta(above)+`|`+regexp.QuoteMeta(path)+
		`|\./)?([^/"'# >?]+)`), current)
}

// submatches returns the text of the first group of a pattern in each of its matches.
func submatches(body []byte, pattern string) (names []string) {
	for _, m := range regexp.MustCompile(pattern).FindAllSubmatch(body, -1) {
		names = append(names, string(m[1]))
	}
	return names
}

var (
	date    = regexp.MustCompile(`^v?\d{4}-\d{2}-\d{2}$`)
	version = regexp.MustCompile(`^(.*?)(v?)(\d+(?:\.\d+){0,2})$`)
)

// newestOf returns the newest of some names that are of the form of the present one and newer than it. Dates are
// compared with dates, versions with versions that have the same words before the number; a candidate for a release is
// none.
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
