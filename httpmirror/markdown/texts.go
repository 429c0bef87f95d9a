package markdown

import (
	"strconv"

	"almanac/catalog"
	"almanac/httpmirror/phrase"
)

// Articles renders the list of articles.
func (r *Renderer) Articles(w *Writer) {
	r.title(w, "Articles", "Original articles, each resting on facts and sources of this catalogue.",
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
	w.Item("Generated at", doc.GeneratedAt)
	for _, d := range doc.Datasets {
		w.Printf("\n## %s\n\n%s\n\n", Link(d.Title, d.ReadmeURL), Text(d.Summary))
		w.Item("Card", Address(d.CardURL))
		w.Item("Rows", strconv.Itoa(d.RowCount))
		w.Item("Verified at", string(d.VerifiedAt))
	}
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
	w.Printf("\n## Columns\n\n| column | type | meaning |\n|---|---|---|\n")
	for _, c := range d.Columns {
		w.Printf("| %s | %s | %s |\n", Code(c.Name), Text(c.Type), Text(c.Description))
	}
	w.Printf("\n## Addresses, sizes and checksums\n\n| file | media type | bytes | SHA-256 |\n|---|---|---|---|\n")
	for _, f := range card.Files {
		w.Printf("| %s | %s | %d | %s |\n", Address(f.URL), Text(f.MediaType), f.Bytes, Code(f.SHA256))
	}
}

// Trust renders the trust checklist.
func (r *Renderer) Trust(w *Writer) {
	doc := r.cat.Trust()
	r.title(w, doc.Title, doc.Summary, catalog.TrustPath, catalog.TrustJSONPath)
	w.Item("Verified at", string(doc.VerifiedAt))
	w.Printf("\n## Checks\n")
	for _, c := range doc.Checks {
		w.Printf("\n### %s\n\n%s\n\nTest: %s\n", Text(c.Title), Text(c.Promise), Text(c.Test))
	}
	w.Printf("\n## Stable addresses\n\n")
	for _, a := range doc.Stable {
		w.Item(Code(a.URL), Text(a.What))
	}
	w.Printf("\n## Readings, by class\n\n| class | entries | facts | statements | meaning |\n|---|--:|--:|--:|---|\n")
	for _, c := range doc.Readings {
		w.Printf("| %s | %d | %d | %d | %s |\n", c.Class, c.Entries, c.Facts, c.Statements, Text(c.Meaning))
	}
	w.Printf("\n## Error codes\n\n| code | status | title | what to do |\n|---|---|---|---|\n")
	for _, c := range doc.ErrorCodes {
		w.Printf("| %s | %d | %s | %s |\n", Code(string(c.Code)), c.Status, Text(c.Title), Text(c.Remedy))
	}
	l := doc.Credits
	w.Printf("\n## Credit limits\n\n")
	w.Item("Price of one payment", phrase.Count(int(l.PriceSats), "satoshi", "satoshis"))
	w.Item("Credits per payment", strconv.Itoa(l.Credits))
	w.Item("Credits per request", strconv.Itoa(l.CreditsPerRequest))
	w.Item("Validity", phrase.Count(l.ValidDays, "day", "days"))
	w.Printf("\n%s\n", Text(l.Note))
	i := r.cat.Identity()
	w.Printf("\n## Who answers for the data\n\n%s\n", Text(phrase.WhoAnswers(i)))
	if i.Contact != "" {
		w.Printf("\nContact: %s\n", Address(i.Contact))
	}
}
