package catalog

import "cmp"

// An Article is an original text that rests on facts and entries of the catalogue.
type Article struct {
	ID            string   `json:"id"` // the slug
	Title         string   `json:"title"`
	Summary       string   `json:"summary"`
	DatePublished *Date    `json:"date_published"`
	VerifiedAt    Date     `json:"verified_at"`
	Tags          []string `json:"tags"`
	Protocols     []string `json:"protocols"` // ids of the protocols it is about
	Entries       []string `json:"entries"`   // ids of the library entries it rests on
	Body          string   `json:"-"`         // Markdown, without the title
}

// compareArticles orders articles as they are published: newest first, ties by id.
func compareArticles(a, b *Article) int {
	return cmp.Or(cmp.Compare(orEmpty(b.DatePublished), orEmpty(a.DatePublished)), cmp.Compare(a.ID, b.ID))
}
