package httpmirror

import (
	"path"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/file"
	"go.almanac.example/httpmirror/html"
	"go.almanac.example/httpmirror/metadata"
)

// textKinds are the articles and the datasets.
var textKinds = []*kind{
	{
		name: "articles", title: "Articles",
		description: "The articles with summaries and addresses, newest first.",
		only:        having((*catalog.Catalog).Articles),
		day:         sharedDay((*catalog.Catalog).ArticlesDay),
		forms: singleForms("articles", "article-index",
			paths{json: catalog.ArticlesJSONPath, page: catalog.ArticlesPath},
			(*catalog.Catalog).ArticleIndex, (*html.Pages).Articles),
		navigation: "Articles",
		resource:   "library://articles",
	},
	{
		name: "article", title: "Article",
		description: "An original article with the sources it rests on.",
		ids:         idsOf((*catalog.Catalog).Articles, func(a *catalog.Article) string { return a.ID }),
		day:         recordDay((*catalog.Catalog).Article, (*catalog.Catalog).ArticleDay),
		record:      "article.{id}",
		picture:     true,
		forms: recordForms("article", "article", paths{json: catalog.ArticleJSONPath("{article}"), page: catalog.ArticlePath("{article}")},
			func(r *renderer, id string) *catalog.Article { return found((*catalog.Catalog).Article)(r.cat, id) },
			func(r *renderer, a *catalog.Article) any { return r.cat.ArticleDocument(a, r.markdown.Body(a)) }, (*html.Pages).Article),
		resource: "library://article/{slug}",
		llms: func(r *renderer, id string) metadata.LLMLine {
			a, _ := r.cat.Article(id)
			return metadata.LLMLine{Section: "Articles", Label: a.Title, Text: a.Summary}
		},
		full: 2,
	},
	{
		name: "datasets", title: "Datasets",
		description: "The datasets with the addresses of their cards.",
		day:         sharedDay((*catalog.Catalog).DatasetsDay),
		forms: singleForms("datasets", "dataset-index",
			paths{json: catalog.DatasetsJSONPath, page: catalog.DatasetsPath},
			(*catalog.Catalog).DatasetIndex, (*html.Pages).Datasets),
		resource: "dataset://index",
	},
	{
		name: "dataset", title: "Dataset",
		description: "A dataset: its columns, its files with their sums, and in Markdown its README.",
		ids:         idsOf((*catalog.Catalog).Datasets, func(d *catalog.Dataset) string { return d.ID }),
		day:         recordDay((*catalog.Catalog).Dataset, (*catalog.Catalog).DatasetDay),
		record:      "dataset.{id}",
		forms: []form{
			documentForm(catalog.DatasetCardPath("{dataset}"), "dataset-card",
				func(c *catalog.Catalog, id string) *catalog.DatasetCard {
					return c.DatasetCard(found((*catalog.Catalog).Dataset)(c, id))
				}).labelled("Card", file.JSON),
			markdownForm(catalog.DatasetReadmePath("{dataset}"), readme).labelled("README", file.Markdown),
			pageForm(catalog.DatasetPath("{dataset}"), func(r *renderer, id string) html.Page {
				d, _ := r.cat.Dataset(id)
				return r.html.Dataset(d)
			}),
			jsonForm(catalog.DatasetCroissantPath("{dataset}"), "croissant",
				func(r *renderer, id string) any {
					d, _ := r.cat.Dataset(id)
					return r.metadata.Document("croissant", d)
				}).labelled("Croissant", file.JSONLD),
		},
		resource: "dataset://card/{slug}",
		llms: func(r *renderer, id string) metadata.LLMLine {
			d, _ := r.cat.Dataset(id)
			return metadata.LLMLine{Section: "Datasets", Label: d.Title, Text: d.Summary}
		},
		full: 4,
	},
	// The README of the library's own files has an address beside theirs too.
	{
		name: "libraryReadme", title: "Library files",
		forms: []form{markdownForm(catalog.LibraryReadmePath,
			func(r *renderer, _ string) []byte { return readme(r, "library") }).labelled("README", file.Markdown)},
	},
}

func readme(r *renderer, id string) []byte {
	d, _ := r.cat.Dataset(id) // ids are those of the kind
	return r.markdown.Document("dataset", d)
}

// dataFileKinds are the data files of the datasets, each a kind of its own.
func dataFileKinds(c *catalog.Catalog) (list []*kind) {
	for _, d := range c.Datasets() {
		for _, f := range d.Files {
			list = append(list, &kind{
				name: path.Base(f.Path), title: d.Title,
				forms: []form{rawForm(f.Path, f.MediaType, func(*renderer, string) ([]byte, error) { return f.Body(), nil })},
			})
		}
	}
	return list
}
