package load

import (
	"fmt"
	"slices"

	"almanac/catalog"
)

// targets are the ids to which records and texts can refer. A file that could not be decoded counts with the id that its
// path states, so that it is one fault and not one more for each reference to it.
type targets struct {
	categories set // nil when nobody can know them
	vocabulary set // the tags that may be used; nil when nobody can know them
	tags       set // that an entry carries
	entries    set
	protocols  set
	articles   set
	datasets   set
	profiles   set
}

func newTargets(src *source) *targets {
	t := &targets{
		tags: make(set), entries: src.brokenIDs(entryFiles), protocols: src.brokenIDs(protocolFiles),
		articles: src.brokenIDs(articleFiles), datasets: src.brokenIDs(datasetFiles), profiles: src.brokenIDs(profileFiles),
	}
	if !src.broken[categoriesFile] {
		t.categories = idsOf(src.categories, func(k catalog.CategoryRecord) string { return k.ID })
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
			at.add(fmt.Sprintf("tags[%d]", i), "%q is not in %s; use a tag of the vocabulary%s", tag, tagsFile, t.vocabulary.didYouMean(tag))
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
