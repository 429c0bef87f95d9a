package html

import (
	"path"
	"slices"
	"strings"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/markdown"
	"go.almanac.example/httpmirror/metadata"
	"go.almanac.example/httpmirror/phrase"
)

// Articles returns the page of all articles.
func (p *Pages) Articles() Page {
	return Page{
		Description: p.identity.ArticlesAbout() + ", each linked to its sources.",
		Lede:        "Practical guides, each linked to its sources.",
		Verified:    phrase.SpanOf(p.cat.Articles(), func(a *catalog.Article) catalog.Date { return a.VerifiedAt }),
		content:     articlesContent(articleGroups(p.cat.Articles())),
	}
}

// An articleGroup is articles of one sort.
type articleGroup struct {
	Label    string
	Articles []*catalog.Article
}

// articleGroups returns articles by their sort: those that compare, of most protocols first, those about protocols, and the others.
func articleGroups(list []*catalog.Article) []articleGroup {
	groups := []articleGroup{{Label: "Which to choose"}, {Label: "Paying and getting paid"}, {Label: "Guides"}}
	for _, a := range list {
		g := &groups[2]
		if strings.Contains(a.Title, " or ") {
			g = &groups[0]
		} else if len(a.Protocols) > 0 {
			g = &groups[1]
		}
		g.Articles = append(g.Articles, a)
	}
	slices.SortStableFunc(groups[0].Articles, func(a, b *catalog.Article) int { return len(b.Protocols) - len(a.Protocols) })
	return slices.DeleteFunc(groups, func(g articleGroup) bool { return len(g.Articles) == 0 })
}

// Article returns the page of an article.
func (p *Pages) Article(a *catalog.Article) Page {
	prose := markdown.ToHTML(a.Body, "", 2, p.absent...)
	data := articlePage{Article: a, Body: prose.HTML, Contents: prose.Headings,
		Answers: slices.DeleteFunc(p.answers("article:"+a.ID), func(l catalog.Link) bool { return !strings.Contains(l.URL, "#") })} // without those of the page itself
	for _, id := range a.Protocols {
		if pr, ok := p.cat.Protocol(id); ok {
			data.Protocols = append(data.Protocols, pr)
		}
	}
	var cited []string
	for _, id := range a.Entries {
		if e, ok := p.cat.Entry(id); ok {
			data.Sources, cited = append(data.Sources, e), append(cited, e.URL)
		}
	}
	pg := Page{
		Title:       a.Title,
		Lede:        a.Summary,
		Description: a.Summary,
		Crumbs:      []Link{{Label: "Articles", Path: catalog.ArticlesPath}},
		Verified:    phrase.OneDay(a.VerifiedAt),
		Article:     true,
		LD: []any{metadata.LD(p.cat, "ld-work", metadata.Work{Type: "Article", Title: a.Title, Summary: a.Summary,
			Path: catalog.ArticlePath(a.ID), DatePublished: a.DatePublished, VerifiedAt: a.VerifiedAt, Tags: a.Tags, Cited: cited})},
		content: articleContent(p, data),
	}
	if a.DatePublished != nil {
		pg.Facts = []string{"Published on " + phrase.LongDay(*a.DatePublished)}
	}
	return pg
}

// previewRows is how many rows of a dataset its page shows.
const previewRows = 8

// Datasets returns the page of all datasets.
func (p *Pages) Datasets() Page {
	return Page{
		Lede:     "Tables of the records behind these pages. Download JSON Lines or CSV; a card explains each column.",
		Verified: phrase.SpanOf(p.cat.Datasets(), func(d *catalog.Dataset) catalog.Date { return d.VerifiedAt }),
		content:  datasetsContent(p.cat.Datasets()),
	}
}

// Dataset returns the page of a dataset.
func (p *Pages) Dataset(d *catalog.Dataset) Page {
	card := p.cat.DatasetCard(d)
	data := datasetPage{DatasetCard: card, Readme: markdown.ToHTML(d.Readme, "readme-", 3).HTML, Answers: p.answers("dataset:" + d.ID)}
	for i, f := range d.Files {
		form := "CSV"
		if strings.HasSuffix(f.Path, ".jsonl") {
			form = "JSON Lines"
		}
		data.Files = append(data.Files, download{card.Files[i], f.Path, path.Base(f.Path), form})
	}
	data.Preview = firstOf(slices.Collect(d.Rows()), previewRows)
	return Page{
		Title:       d.Title,
		Lede:        d.Summary,
		Description: d.Summary,
		Crumbs:      []Link{{Label: "Datasets", Path: catalog.DatasetsPath}},
		Facts: []string{phrase.Count(card.RowCount, "row", "rows"),
			phrase.Count(len(card.Columns), "column", "columns")}, Verified: phrase.OneDay(d.VerifiedAt),
		LD:      []any{metadata.LD(p.cat, "ld-dataset", card)},
		content: datasetContent(data),
	}
}
