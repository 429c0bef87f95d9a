package html

import (
	"slices"

	"almanac/catalog"
	"almanac/httpmirror/markdown"
	"almanac/httpmirror/metadata"
	"almanac/httpmirror/phrase"
)

// Articles returns the page of all articles.
func (p *Pages) Articles() Page {
	return Page{
		Title:       "Articles",
		Description: "Original articles on how machines pay and how agents find data, each grounded in the checked facts and sources of this catalogue.",
		Lede:        "Original articles of practical use. Each rests on facts and sources of this catalogue, and links to them.",
		Verified:    phrase.SpanOf(p.cat.Articles(), func(a *catalog.Article) catalog.Date { return a.VerifiedAt }),
		content:     articlesContent(p.cat.Articles()),
	}
}

// Article returns the page of an article.
func (p *Pages) Article(a *catalog.Article) (Page, error) {
	prose, err := markdown.ToHTML(a.Body, "", 2, p.o.Absent...)
	if err != nil {
		return Page{}, err
	}
	data := articlePage{Article: a, Body: prose.HTML, Contents: prose.Headings, Questions: p.cat.Questions("article:" + a.ID)}
	data.Newer, data.Older = neighbours(p.cat.Articles(), a)
	for _, id := range a.Protocols {
		if pr, ok := p.cat.Protocol(id); ok {
			data.Protocols = append(data.Protocols, pr)
		}
	}
	for _, id := range a.Entries {
		if e, ok := p.cat.Entry(id); ok {
			data.Sources = append(data.Sources, e)
		}
	}
	pg := Page{
		Title:       a.Title,
		Lede:        a.Summary,
		Description: a.Summary,
		Crumbs:      []Link{{Label: "Articles", Path: catalog.ArticlesPath}},
		Verified:    phrase.OneDay(a.VerifiedAt),
		Article:     true,
		LD:          []any{metadata.ArticleLD(p.cat, a)},
		content:     articleContent(data),
	}
	if a.DatePublished != nil {
		pg.Facts = []string{"Published on " + string(*a.DatePublished)}
	}
	return pg, nil
}

// neighbours returns what stands before and after x in a list, or the zero value at its ends.
func neighbours[T comparable](list []T, x T) (before, after T) {
	i := slices.Index(list, x)
	if i > 0 {
		before = list[i-1]
	}
	if i >= 0 && i < len(list)-1 {
		after = list[i+1]
	}
	return before, after
}
