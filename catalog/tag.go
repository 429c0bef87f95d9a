package catalog

// A TagRecord is a word of the closed vocabulary of tags, as a curator writes it.
type TagRecord struct {
	ID    string `json:"id"`
	Label string `json:"label"` // what the tag means, in a few words
}

// A Tag is a word of the vocabulary with the number of entries that carry it.
type Tag struct {
	ID          string `json:"id"`
	Label       string `json:"label"`
	Count       int    `json:"count"`
	JSONURL     string `json:"json_url"`
	MarkdownURL string `json:"markdown_url"`
	HTMLURL     string `json:"html_url"`
}

func (r TagRecord) tag(s Site, entries int) Tag {
	return Tag{
		ID: r.ID, Label: r.Label, Count: entries,
		JSONURL: s.URL(TagJSONPath(r.ID)), MarkdownURL: s.URL(TagMarkdownPath(r.ID)), HTMLURL: s.URL(TagPath(r.ID)),
	}
}
