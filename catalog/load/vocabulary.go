package load

import (
	"fmt"

	"almanac/catalog"
)

func lintCategories(l *faultList, categories []catalog.CategoryRecord) {
	seen := make(set)
	for i, k := range categories {
		at := linter{l, categoriesFile, fmt.Sprintf("[%d].", i)}
		at.slug("id", k.ID)
		at.text("label", k.Label, maxTitle)
		if seen[k.ID] {
			at.add("id", "%q occurs twice; remove one", k.ID)
		}
		seen[k.ID] = true
	}
}

// lintTags checks the vocabulary. Whether a tag is used can be judged only when every entry could be read.
func lintTags(l *faultList, tags []catalog.TagRecord, t *targets, allEntries bool) {
	for i, k := range tags {
		at := linter{l, tagsFile, fmt.Sprintf("[%d].", i)}
		at.slug("id", k.ID)
		at.text("label", k.Label, maxTitle)
		if i > 0 && k.ID <= tags[i-1].ID {
			at.add("id", "%q does not come after %q; keep the tags sorted, each once", k.ID, tags[i-1].ID)
		}
		if allEntries && !t.tags[k.ID] {
			at.add("id", "no entry carries the tag %q; use it or remove it from the vocabulary", k.ID)
		}
	}
}
