package load

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"almanac/catalog"
)

// targets are the ids to which records and texts can refer. A file that could not be decoded counts with the id that
// its path states, so that it is one fault and not one more for each reference to it.
type targets struct {
	categories set      // nil when nobody can know them
	featured   set      // categories whose entries may be featured
	types      []string // of entries
	vocabulary set      // the tags that may be used; nil when nobody can know them
	tags       set      // that an entry carries
	entries    set
	protocols  set
	articles   set
	datasets   set
	profiles   set
}

func newTargets(src *source) *targets {
	t := &targets{
		types: src.identity.EntryTypes(),
		tags:  make(set), entries: src.brokenIDs(entryFiles), protocols: src.brokenIDs(protocolFiles),
		articles: src.brokenIDs(articleFiles), datasets: src.brokenIDs(datasetFiles), profiles: src.brokenIDs(profileFiles),
	}
	if !src.broken[categoriesFile] {
		t.categories = idsOf(src.categories, func(k catalog.CategoryRecord) string { return k.ID })
		t.featured = make(set)
		for _, k := range src.categories {
			t.featured[k.ID] = k.Featured
		}
	}
	if !src.broken[tagsFile] {
		t.vocabulary = idsOf(src.tags, func(k catalog.TagRecord) string { return k.ID })
	}
	for _, e := range src.entries {
		t.entries[e.record.ID] = true
		for _, tag := range e.record.Tags {
			t.tags[tag] = true
		}
	}
	for _, p := range src.protocols {
		t.protocols[p.record.ID] = true
	}
	for _, p := range src.profiles {
		t.profiles[p.record.ID] = true
	}
	for _, a := range src.articles {
		t.articles[a.record.ID] = true
	}
	for _, d := range src.datasets {
		t.datasets[d.record.ID] = true
	}
	return t
}

// tags checks that tags are of the vocabulary.
func (at linter) tags(tags []string, t *targets) {
	if t.vocabulary == nil {
		return
	}
	for i, tag := range tags {
		if !t.vocabulary[tag] {
			at.add(fmt.Sprintf("tags[%d]", i), "%q is not in %s; use a tag of the vocabulary%s",
				tag, tagsFile, t.vocabulary.didYouMean(tag))
		}
	}
}

// refer checks that ids are of records that exist; kind names those in messages.
func (at linter) refer(member string, ids []string, to set, kind string) {
	at.list(member, ids)
	for i, id := range ids {
		if !to[id] {
			at.add(fmt.Sprintf("%s[%d]", member, i), "there is no %s %q%s; correct or remove it", kind, id, to.didYouMean(id))
		}
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
	pattern *regexp.Regexp
	to      func(*targets) set
}

func newPageLink(prefix, id string, to func(*targets) set) pageLink {
	return pageLink{prefix, regexp.MustCompile(`\]\(` + prefix + `(` + id + `)/?[^)]*\)`), to}
}

const pathSegment = `[^)/#?]+`

var (
	// there is no page above the entries
	entryLink    = newPageLink("/library/entry/", `[^)/#?]*`, func(t *targets) set { return t.entries })
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
				at.add("link", "%s%s/ is not a page of this site%s; correct or remove the link",
					p.prefix, m[1], p.to(t).didYouMean(id))
			}
		}
	}
}
