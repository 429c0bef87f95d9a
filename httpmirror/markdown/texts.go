package markdown

import (
	"strconv"

	"almanac/catalog"
)

// Articles renders the list of articles.
func (r *Renderer) Articles(w *Writer) {
	r.title(w, "Articles", "Practical guides, each linked to its sources.",
		catalog.ArticlesPath, catalog.ArticlesJSONPath)
	w.Item("Generated at", r.cat.Timestamp(r.cat.ArticlesDay()))
	for _, a := range r.cat.Articles() {
		w.Printf("\n## %s\n\n%s\n\n", r.link(a.Title, catalog.ArticleMarkdownPath(a.ID)), Text(a.Summary))
		r.articleItems(w, a)
	}
}

// Article renders an article as a file of its own, with its title and its sources.
func (r *Renderer) Article(w *Writer, a *catalog.Article) {
	r.title(w, a.Title, a.Summary, catalog.ArticlePath(a.ID), catalog.ArticleJSONPath(a.ID))
	r.articleItems(w, a)
	w.Printf("\n%s", r.Body(a))
	if len(a.Entries) > 0 {
		w.Printf("\n## Sources\n\n")
		for _, id := range a.Entries {
			e, _ := r.cat.Entry(id) // the catalog has no articles that name others
			w.Printf("- %s\n", Link(e.Title, e.URL))
		}
	}
}

// Body returns the text of an article with links that work wherever it is read.
func (r *Renderer) Body(a *catalog.Article) []byte {
	return absoluteLinks(withoutLinks(a.Body, r.absent), r.site.Base)
}

func (r *Renderer) articleItems(w *Writer, a *catalog.Article) {
	w.Item("Published", dateOrUnknown(a.DatePublished))
	w.Item("Verified at", string(a.VerifiedAt))
	w.Item("Tags", r.tags(a.Tags))
}

// Datasets renders the list of datasets.
func (r *Renderer) Datasets(w *Writer) {
	doc := r.cat.DatasetIndex()
	r.title(w, "Datasets", "Tables computed from the same records as the pages, as JSON Lines and CSV.",
		catalog.DatasetsPath, catalog.DatasetsJSONPath)
	r.write(w, "datasets", doc)
}

// Readme renders the README of a dataset: its curated text, then the tables that follow from the data.
func (r *Renderer) Readme(w *Writer, d *catalog.Dataset) {
	card := r.cat.DatasetCard(d)
	w.Printf("# %s\n\n%s\n\n", Text(d.Title), Text(d.Summary))
	w.Item("Card", r.url(catalog.DatasetCardPath(d.ID)))
	w.Item("Croissant", Address(card.CroissantURL))
	w.Item("HTML", Address(card.URL))
	w.Item("Rows", strconv.Itoa(card.RowCount))
	w.Item("Licence", Address(d.License))
	w.Item("Verified at", string(d.VerifiedAt))
	w.Printf("\n%s", absoluteLinks(d.Readme, r.site.Base))
	r.write(w, "columns", card)
}

// Trust renders the trust checklist.
func (r *Renderer) Trust(w *Writer) {
	doc := r.cat.Trust()
	r.title(w, doc.Title, doc.Summary, catalog.TrustPath, catalog.TrustJSONPath)
	r.write(w, "trust", doc)
}
