package catalog

// A Category is one of the eight shelves of the library (SPEC.md, "Category").
type Category struct {
	ID          string `json:"id"`
	Label       string `json:"label"`
	Featured    bool   `json:"featured"`
	Count       int    `json:"count"`
	JSONURL     string `json:"json_url"`
	MarkdownURL string `json:"markdown_url"`
	HTMLURL     string `json:"html_url"`
}

// A CategoryList is the category list document (SPEC.md).
type CategoryList struct {
	SchemaVersion string     `json:"schema_version"`
	GeneratedAt   string     `json:"generated_at"`
	Schema        string     `json:"$schema"`
	License       string     `json:"license"`
	Category      string     `json:"category"`
	Count         int        `json:"count"`
	Categories    []Category `json:"categories"`
	Entries       []*Entry   `json:"entries"`
}

// A CategoryIndex lists the eight categories. Its count is their number.
type CategoryIndex struct {
	SchemaVersion string     `json:"schema_version"`
	GeneratedAt   string     `json:"generated_at"`
	Schema        string     `json:"$schema"`
	License       string     `json:"license"`
	Count         int        `json:"count"`
	Categories    []Category `json:"categories"`
}

// License is the statement that category lists carry.
const License = "The links and the original short summaries are offered under CC0 1.0. The linked content belongs to its publishers."

// CategoryList builds the list document of one category.
func (c *Catalog) CategoryList(id string) (*CategoryList, bool) {
	entries, ok := c.lists[id]
	if !ok {
		return nil, false
	}
	return &CategoryList{
		SchemaVersion: SchemaVersion, GeneratedAt: c.GeneratedAt(),
		Schema: c.Site().URL(SchemaPath("library")), License: License,
		Category: id, Count: len(entries), Categories: c.categories, Entries: entries,
	}, true
}

// CategoryIndex builds the document that lists the categories.
func (c *Catalog) CategoryIndex() *CategoryIndex {
	return &CategoryIndex{
		SchemaVersion: SchemaVersion, GeneratedAt: c.GeneratedAt(),
		Schema: c.Site().URL(SchemaPath("category-index")), License: License,
		Count: len(c.categories), Categories: c.categories,
	}
}
