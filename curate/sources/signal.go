package sources

import (
	"cmp"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.almanac.example/catalog"
	"go.almanac.example/curate/links"
)

// A Signal is something that moves before the text of a source does: a release of a repository or a package, a pull
// request, the repository being archived or renamed. Its value is compared with that of the last round.
type Signal struct {
	Kind    string   // one of the signal kinds
	Subject string   // such as "lightninglabs/L402" or "npm @x402/core"
	Read    string   // address for a person
	Records []string // that cite the subject, sorted
	address string   // of the value
	value   func(p links.Page) string
}

// The kinds of signals.
const (
	Release    = "release"    // the newest release of a repository or package
	Repository = "repository" // archived or renamed
	Pulls      = "pulls"      // the pull requests of a specification, open and merged
	Pin        = "pin"        // whether a commit that was read is of the main branch
)

// The values of Pin; the others are for a curator to look at.
const (
	pinOnMain  = "on the main branch"
	pinOffMain = "not on the main branch"
	pinUnknown = "unknown to the repository"
)

// News is a signal whose value is another than in the last round.
type News struct {
	Signal
	Was, Is string
}

var pinned = regexp.MustCompile(`^https://(?:github\.com|raw\.githubusercontent\.com)/([^/]+/[^/]+)/(?:(?:blob|tree|raw)/)?([0-9a-f]{40})(?:/|$)`)

var repositoryAddress = regexp.MustCompile(`^https://(?:github\.com|raw\.githubusercontent\.com)/([^/]+)/([^/#?]+)`)

// packages are the registries of packages: the page of one, its name, and the document with its newest version.
var packages = []struct {
	page                    *regexp.Regexp
	kind, list, end, member string
}{
	{regexp.MustCompile(`^https://(?:www\.)?npmjs\.com/package/((?:@[^/]+/)?[^/#?]+)`), "npm",
		"https://registry.npmjs.org/", "/latest", "version"},
	{regexp.MustCompile(`^https://pkg\.go\.dev/([^#?@]+)`), "go", "https://proxy.golang.org/", "/@latest", "Version"},
}

// Signals returns the signals of a catalogue: of every repository and package that a claim cites or a fact lists, of every
// commit that was read, and the pull requests of the repositories in which the compared protocols are specified.
func Signals(cat *catalog.Catalog, claims []Claim) []Signal {
	records := make(map[string][]string) // by address
	for _, c := range claims {
		records[c.Source] = append(records[c.Source], c.Record)
	}
	stewards := make(map[string]bool)
	for _, p := range cat.Protocols().Protocols {
		record := "protocol:" + p.ID
		if p.SpecURL != nil {
			stewards[repositoryOf(p.SpecURL.Source)] = true
		}
		if p.ClientLibraries != nil {
			for _, l := range p.ClientLibraries.Value {
				if l.URL != nil {
					records[*l.URL] = append(records[*l.URL], record)
				}
			}
		}
	}
	found := make(map[string]*Signal) // by address of the value
	add := func(s Signal, citing []string) {
		if found[s.address] == nil {
			found[s.address] = &s
		}
		found[s.address].Records = append(found[s.address].Records, citing...)
	}
	for _, c := range claims {
		for _, address := range []string{c.Source, c.Pinned} {
			if m := pinned.FindStringSubmatch(address); m != nil {
				// the second page of one commit each has no list of files: https://docs.github.com/en/rest/commits/commits
				add(Signal{Kind: Pin, Subject: m[1] + " " + m[2][:8], Read: "https://github.com/" + m[1] + "/compare/" + m[2] + "...HEAD",
					address: api + "repos/" + m[1] + "/compare/" + m[2] + "...HEAD?per_page=1&page=2", value: ancestry},
					[]string{c.Record})
			}
		}
	}
	for address, citing := range records {
		if name := repositoryOf(address); name != "" {
			page := "https://github.com/" + name
			add(Signal{Kind: Release, Subject: name, Read: page + "/releases", address: page + "/releases.atom",
				value: newestEntry}, citing)
			add(Signal{Kind: Repository, Subject: name, Read: page, address: page, value: repositoryState}, citing)
			if stewards[name] {
				list := api + "repos/" + name + "/pulls?state=all&sort=created&direction=desc&per_page=30"
				add(Signal{Kind: Pulls, Subject: name, Read: page + "/pulls", address: list, value: pullRequests}, citing)
			}
		}
		for _, k := range packages {
			if m := k.page.FindStringSubmatch(address); m != nil {
				add(Signal{Kind: Release, Subject: k.kind + " " + m[1], Read: address,
					address: k.list + strings.ToLower(m[1]) + k.end, value: versionMember(k.member)}, citing)
			}
		}
	}
	var list []Signal
	for _, s := range found {
		slices.Sort(s.Records)
		s.Records = slices.Compact(s.Records)
		list = append(list, *s)
	}
	slices.SortFunc(list, func(a, b Signal) int {
		return cmp.Or(cmp.Compare(a.Subject, b.Subject), cmp.Compare(a.Kind, b.Kind))
	})
	return list
}

// repositoryOf returns the owner and name of the repository of an address, or "".
func repositoryOf(address string) string {
	m := repositoryAddress.FindStringSubmatch(address)
	if m == nil {
		return ""
	}
	return m[1] + "/" + strings.TrimSuffix(m[2], ".git")
}

// newestEntry returns the title of the first entry of an Atom feed.
func newestEntry(p links.Page) string {
	var feed struct {
		Entries []struct {
			Title string `xml:"title"`
		} `xml:"entry"`
	}
	if xml.Unmarshal(p.Body, &feed) != nil {
		return ""
	}
	if len(feed.Entries) == 0 {
		return "none"
	}
	return strings.Join(strings.Fields(feed.Entries[0].Title), " ")
}

// repositoryState returns "here", "archived" or the address that a repository moved to.
func repositoryState(p links.Page) string {
	switch {
	case p.Moved():
		return "moved to " + p.FinalURL()
	case strings.Contains(string(p.Body), "repository was archived by the owner"):
		return "archived"
	}
	return "here"
}

// pullRequests lists pull requests by number, each with its state and title, from the list of GitHub's API
// (https://docs.github.com/en/rest/pulls/pulls#list-pull-requests).
func pullRequests(p links.Page) string {
	var pulls []struct {
		Number   int     `json:"number"`
		State    string  `json:"state"`
		Title    string  `json:"title"`
		MergedAt *string `json:"merged_at"`
	}
	if json.Unmarshal(p.Body, &pulls) != nil {
		return ""
	}
	var list []string
	for _, pull := range pulls {
		if pull.MergedAt != nil {
			pull.State = "merged"
		}
		list = append(list, fmt.Sprintf("#%d %s: %s", pull.Number, pull.State, pull.Title))
	}
	return strings.Join(list, "\n")
}

// ancestry returns whether a commit is of the branch with which GitHub's API compared it.
func ancestry(p links.Page) string {
	var comparison struct {
		Status string `json:"status"`
	}
	_ = json.Unmarshal(p.Body, &comparison) // anything else has no status
	switch comparison.Status {
	case "ahead", "identical":
		return pinOnMain
	case "behind", "diverged":
		return pinOffMain
	}
	return ""
}

// versionMember returns the function that reads a version off the document of a package registry.
func versionMember(member string) func(links.Page) string {
	return func(p links.Page) string {
		var doc map[string]any
		if json.Unmarshal(p.Body, &doc) != nil {
			return ""
		}
		version, _ := doc[member].(string)
		return version
	}
}

// compare returns the news of a signal, and false if its value is the one of the last round, or is seen for the first
// time. Of pull requests, only those that are new or have another state are news; a commit that is not of the main
// branch is news in each round.
func (s Signal) compare(was, is string) (News, bool) {
	if s.Kind == Pin {
		return News{Signal: s, Is: is}, is != "" && is != pinOnMain
	}
	if was == "" || is == "" || was == is {
		return News{}, false
	}
	if s.Kind == Pulls {
		known := strings.Split(was, "\n")
		fresh := slices.DeleteFunc(strings.Split(is, "\n"), func(line string) bool { return slices.Contains(known, line) })
		if len(fresh) == 0 {
			return News{}, false
		}
		was, is = "", strings.Join(fresh, "; ")
	}
	return News{Signal: s, Was: was, Is: is}, true
}
