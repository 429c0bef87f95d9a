package catalog

import "slices"

// An EntryDocument is one library entry as a file of its own.
type EntryDocument struct {
	Envelope
	Schema string `json:"$schema"`
	Entry  *Entry `json:"entry"`
}

// EntryDocument returns the document of an entry.
func (c *Catalog) EntryDocument(e *Entry) *EntryDocument {
	return &EntryDocument{Envelope: c.envelope(c.EntryDay(e)), Schema: c.Site().URL(SchemaPath("entry")), Entry: e}
}

// A CategoryList is the list document of a category.
type CategoryList struct {
	Envelope
	Schema     string     `json:"$schema"`
	License    string     `json:"license"`
	Category   string     `json:"category"`
	Count      int        `json:"count"`
	Categories []Category `json:"categories"`
	Entries    []*Entry   `json:"entries"`
}

// CategoryList returns the list document of a category.
func (c *Catalog) CategoryList(id string) (*CategoryList, bool) {
	entries, ok := c.byCategory[id]
	if !ok {
		return nil, false
	}
	return &CategoryList{
		Envelope: c.envelope(c.listDays.byCategory[id]), Schema: c.Site().URL(SchemaPath("library")), License: c.identity.LicenseStatement(),
		Category: id, Count: len(entries), Categories: c.categories, Entries: entries,
	}, true
}

// A CategoryIndex lists the eight categories. Its count is their number.
type CategoryIndex struct {
	Envelope
	Schema     string     `json:"$schema"`
	License    string     `json:"license"`
	Count      int        `json:"count"`
	Categories []Category `json:"categories"`
}

// CategoryIndex returns the document that lists the categories.
func (c *Catalog) CategoryIndex() *CategoryIndex {
	return &CategoryIndex{
		Envelope: c.envelope(c.CountsDay()), Schema: c.Site().URL(SchemaPath("category-index")), License: c.identity.LicenseStatement(),
		Count: len(c.categories), Categories: c.categories,
	}
}

// A TagList is the list document of a tag.
type TagList struct {
	Envelope
	Tag     string   `json:"tag"`
	Count   int      `json:"count"`
	Entries []*Entry `json:"entries"`
}

// TagList returns the list document of a tag, grouped by category in their order.
func (c *Catalog) TagList(tag string) (*TagList, bool) {
	entries, ok := c.byTag[tag]
	if !ok {
		return nil, false
	}
	return &TagList{Envelope: c.envelope(c.listDays.byTag[tag]), Tag: tag, Count: len(entries), Entries: entries}, true
}

// A TagIndex lists every tag in use.
type TagIndex struct {
	Envelope
	Count int   `json:"count"`
	Tags  []Tag `json:"tags"`
}

// TagIndex returns the document that lists the tags.
func (c *Catalog) TagIndex() *TagIndex {
	return &TagIndex{Envelope: c.envelope(c.CountsDay()), Count: len(c.tags), Tags: c.tags}
}

// CompareEntries orders two entries as Entries and the lists of tags do.
func (c *Catalog) CompareEntries(a, b *Entry) int {
	if a.Category == b.Category {
		return compareEntries(a, b)
	}
	place := func(e *Entry) int {
		return slices.IndexFunc(c.categories, func(k Category) bool { return k.ID == e.Category })
	}
	return place(a) - place(b)
}
