package load

import (
	"regexp"
	"slices"
	"strings"
)

// A pageLink is a link of a Markdown text to the page of a record. It begins at the root, so that it is right on every host.
type pageLink struct {
	prefix  string // of the path, before the id
	pattern *regexp.Regexp
	to      func(*targets) set
}

func newPageLink(prefix, id string, to func(*targets) set) pageLink {
	return pageLink{prefix, regexp.MustCompile(`\]\(` + prefix + `(` + id + `)/?[^)]*\)`), to}
}

const pathSegment = `[^)/#?]+`

var (
	entryLink    = newPageLink("/library/entry/", `[^)/#?]*`, func(t *targets) set { return t.entries }) // there is no page above the entries
	protocolLink = newPageLink("/protocols/", pathSegment, func(t *targets) set { return t.protocols })
	articleLink  = newPageLink("/articles/", pathSegment, func(t *targets) set { return t.articles })
	datasetLink  = newPageLink("/datasets/", pathSegment, func(t *targets) set { return t.datasets })
	tagLink      = newPageLink("/tags/", pathSegment, func(t *targets) set { return t.tags })
)

// linked returns the ids of the records that a text links to and that exist, each once.
func (p pageLink) linked(body string, t *targets) []string {
	var ids []string
	for _, m := range p.pattern.FindAllStringSubmatch(body, -1) {
		if id := m[1]; p.to(t)[id] && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// markdown checks a Markdown text: its headings, and its links to records.
func (at linter) markdown(body string, t *targets) {
	if strings.TrimSpace(body) == "" {
		return // the reader has reported that the file is missing or empty
	}
	at.visibleLines("text", body)
	fenced := false
	for i, line := range strings.Split(body, "\n") {
		switch {
		case strings.HasPrefix(line, "```"):
			fenced = !fenced
		case !fenced && strings.HasPrefix(line, "# "):
			at.add("headings", "line %d is a heading of the first level; the record has the title, so begin with ##", i+1)
		}
	}
	if fenced {
		at.add("code", "a code block is not closed; end it with ```")
	}
	for _, p := range []pageLink{entryLink, protocolLink, articleLink, datasetLink, tagLink} {
		for _, m := range p.pattern.FindAllStringSubmatch(body, -1) {
			if id := strings.TrimSuffix(m[1], ".md"); !p.to(t)[id] {
				at.add("link", "%s%s/ is not a page of this site%s; correct or remove the link", p.prefix, m[1], p.to(t).didYouMean(id))
			}
		}
	}
}
