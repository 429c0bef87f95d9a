package catalog

// A Tag is a word of the closed vocabulary with the number of entries that carry it.
type Tag struct {
	ID          string `json:"id"`
	Label       string `json:"label"` // what the tag means, in a few words
	Count       int    `json:"count"`
	JSONURL     string `json:"json_url"`
	MarkdownURL string `json:"markdown_url"`
	HTMLURL     string `json:"html_url"`
}

// A TagList is the tag list document (SPEC.md).
type TagList struct {
	SchemaVersion string   `json:"schema_version"`
	GeneratedAt   string   `json:"generated_at"`
	Tag           string   `json:"tag"`
	Count         int      `json:"count"`
	Entries       []*Entry `json:"entries"`
}

// A TagIndex lists every tag in use.
type TagIndex struct {
	SchemaVersion string `json:"schema_version"`
	GeneratedAt   string `json:"generated_at"`
	Count         int    `json:"count"`
	Tags          []Tag  `json:"tags"`
}

// TagList builds the list document of one tag: categories in their order, newest first in each.
func (c *Catalog) TagList(tag string) (*TagList, bool) {
	entries, ok := c.byTag[tag]
	if !ok {
		return nil, false
	}
	return &TagList{
		SchemaVersion: SchemaVersion, GeneratedAt: c.GeneratedAt(),
		Tag: tag, Count: len(entries), Entries: entries,
	}, true
}

// TagIndex builds the document that lists the tags.
func (c *Catalog) TagIndex() *TagIndex {
	return &TagIndex{
		SchemaVersion: SchemaVersion, GeneratedAt: c.GeneratedAt(),
		Count: len(c.tags), Tags: c.tags,
	}
}
