package load

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.almanac.example/catalog"
)

// targets are the ids to which records and texts can refer. A file that could not be decoded counts with the id that
// its path states, so that it is one fault and not one more for each reference to it.
type targets struct {
	pages      set             // protocols with facts or a profile
	records    map[string]set  // by their kind in the history, and the tags that an entry carries as "tag"
	featured   map[string]bool // by category, whether its entries may be featured; nil when nobody can know them
	vocabulary set             // the tags that may be used; nil when nobody can know them
}

func newTargets(src *source) *targets {
	t := &targets{records: map[string]set{
		"library":  src.ids(entryFiles, idsOf(src.Entries, func(e *catalog.Entry) string { return e.ID })),
		"protocol": src.ids(protocolFiles, idsOf(src.Protocols, func(p *catalog.Protocol) string { return p.ID })),
		"profile":  src.ids(profileFiles, idsOf(src.Profiles, func(p *catalog.Profile) string { return p.ID })),
		"article":  src.ids(articleFiles, idsOf(src.Articles, func(a *catalog.Article) string { return a.ID })),
		"dataset":  src.ids(datasetFiles, idsOf(src.Datasets, func(d *catalog.Dataset) string { return d.ID })),
		"tag":      make(set),
	}}
	t.pages = maps.Clone(t.records["profile"])
	maps.Copy(t.pages, t.records["protocol"])
	if !src.broken[categoriesFile] {
		t.featured = make(map[string]bool)
		for _, k := range src.Categories {
			t.featured[k.ID] = k.Featured
		}
	}
	if !src.broken[tagsFile] {
		t.vocabulary = idsOf(src.Tags, func(k catalog.TagRecord) string { return k.ID })
	}
	for _, e := range src.Entries {
		for _, tag := range e.Tags {
			t.records["tag"][tag] = true
		}
	}
	return t
}

// tags checks that tags are of the vocabulary.
func (at linter) tags(tags []string, t *targets) {
	for i, id := range tags {
		if t.vocabulary != nil && !t.vocabulary[id] {
			at.add(fmt.Sprintf("tags[%d]", i), "%s has no tag %q%s; correct it, or add it there", tagsFile, id, t.vocabulary.didYouMean(id))
		}
	}
}

// refer checks that ids are of records that exist; kind names those in messages.
func (at linter) refer(member string, ids []string, to set, kind string) {
	for i, id := range ids {
		if !to[id] {
			at.add(fmt.Sprintf("%s[%d]", member, i), "there is no %s %q%s; correct or remove it", kind, id, to.didYouMean(id))
		}
	}
}

// subject checks that the record exists which a file is about; kind names it in messages.
func (at linter) subject(member, kind, id string, known set) {
	if !known[id] {
		at.add(member, "there is no %s %q%s; correct it, or remove the file", kind, id, known.didYouMean(id))
	}
}

// listed checks that a member lists each of the ids that the text of the record links to.
func (at linter) listed(member string, list, linked []string) {
	for _, id := range linked {
		if !slices.Contains(list, id) {
			at.add(member, "the text links to %q; list it", id)
		}
	}
}

// A pageLink is a link of a Markdown text to the page of a record. It begins at the root, so that it is right on every
// host.
type pageLink struct {
	prefix  string // of the path, before the id
	kind    string // of the record, in targets
	pattern *regexp.Regexp
}

func newPageLink(prefix, kind, id string) pageLink {
	return pageLink{prefix, kind, regexp.MustCompile(`\]\(` + prefix + `(` + id + `)/?[^)]*\)`)}
}

const pathSegment = `[^)/#?]+`

var (
	entryLink    = newPageLink("/library/entry/", "library", `[^)/#?]*`) // there is no page above the entries
	protocolLink = newPageLink("/protocols/", "protocol", pathSegment)
	articleLink  = newPageLink("/articles/", "article", pathSegment)
	datasetLink  = newPageLink("/datasets/", "dataset", pathSegment)
	tagLink      = newPageLink("/tags/", "tag", pathSegment)
)

// linked returns the ids of the records that a text links to and that exist, each once.
func (p pageLink) linked(body string, t *targets) []string {
	var ids []string
	for _, m := range p.pattern.FindAllStringSubmatch(body, -1) {
		if id := m[1]; t.records[p.kind][id] && !slices.Contains(ids, id) {
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
	at.lines("text", body)
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
			if id := strings.TrimSuffix(m[1], ".md"); !t.records[p.kind][id] && p.prefix+m[1]+"/" != catalog.ComparePath {
				at.add("link", "%s%s/ is not a page of this site%s; correct or remove the link",
					p.prefix, m[1], t.records[p.kind].didYouMean(id))
			}
		}
	}
}
