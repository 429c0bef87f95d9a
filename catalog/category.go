package catalog

// A CategoryRecord is a category as a curator writes it. The order of the records is the published one.
type CategoryRecord struct {
	ID       string `json:"id"`
	Label    string `json:"label"`
	Featured bool   `json:"featured"`
}

// A Category is one of the eight parts of the library.
type Category struct {
	ID          string `json:"id"`
	Label       string `json:"label"`
	Featured    bool   `json:"featured"`
	Count       int    `json:"count"`
	JSONURL     string `json:"json_url"`
	MarkdownURL string `json:"markdown_url"`
	HTMLURL     string `json:"html_url"`
}

func (r CategoryRecord) category(s Site, entries int) Category {
	return Category{
		ID: r.ID, Label: r.Label, Featured: r.Featured, Count: entries,
		JSONURL: s.URL(CategoryJSONPath(r.ID)), MarkdownURL: s.URL(CategoryMarkdownPath(r.ID)), HTMLURL: s.URL(CategoryPath(r.ID)),
	}
}
