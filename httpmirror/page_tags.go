package httpmirror

import (
	"fmt"

	"almanac/catalog"
)

// tags renders the page of all tags and the page of each.
func (p *pages) tags() error {
	err := p.add("tags", page{
		Title:       "Tags",
		Description: "The closed vocabulary of tags that the sources of the library carry, with the number of sources for each.",
		Path:        catalog.TagsPath,
		Lede:        "A closed vocabulary: every tag says one thing, and every source carries at least one.",
		Crumbs:      []crumb{{"Library", catalog.LibraryPath}},
		Twins:       []twin{jsonTwin(catalog.TagsJSONPath)},
		Verified:    verifiedSpan(p.cat.Entries()),
	}, p.cat.TagIndex())
	if err != nil {
		return err
	}
	for _, t := range p.cat.Tags() {
		doc, ok := p.cat.TagList(t.ID)
		if !ok {
			return fmt.Errorf("tag %s has no list", t.ID)
		}
		lp := listPage{}
		if pr, ok := p.cat.Protocol(t.ID); ok {
			lp.Protocol = pr
		}
		err := p.list(page{
			Title:       "Sources tagged " + t.ID,
			Lede:        t.Label + ".",
			Description: fmt.Sprintf("%s tagged %s (%s), each read, summarised and dated.", countOf(t.Count, "source", "sources"), t.ID, t.Label),
			Path:        catalog.TagPath(t.ID),
			Crumbs:      []crumb{{"Library", catalog.LibraryPath}, {"Tags", catalog.TagsPath}},
			Twins:       []twin{jsonTwin(catalog.TagJSONPath(t.ID)), markdownTwin(catalog.TagMarkdownPath(t.ID))},
		}, lp, doc.Entries, true)
		if err != nil {
			return err
		}
	}
	return nil
}
