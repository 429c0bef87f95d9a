package httpmirror

import (
	"fmt"
	"html/template"

	"almanac/catalog"
)

// An articlePage is what the page of an article shows.
type articlePage struct {
	*catalog.Article
	Body      template.HTML
	Contents  []heading
	Protocols []*catalog.Protocol
	Sources   []*catalog.Entry
	Newer     *catalog.Article
	Older     *catalog.Article
}

// articles renders the list of articles and the page of each.
func (p *pages) articles() error {
	list := p.cat.Articles()
	var verified span
	for _, a := range list {
		verified.add(a.VerifiedAt)
	}
	err := p.add("articles", page{
		Title:       "Articles",
		Description: "Original articles on how machines pay and how agents find data, each grounded in the checked facts and sources of this catalogue.",
		Lede:        "Original texts of practical use. Each rests on facts and sources of this catalogue, and links to them.",
		Path:        catalog.ArticlesPath,
		Twins:       []twin{jsonTwin(catalog.ArticlesJSONPath)},
		Verified:    verified,
	}, list)
	if err != nil {
		return err
	}
	for i, a := range list {
		data := articlePage{Article: a}
		if i > 0 {
			data.Newer = list[i-1]
		}
		if i < len(list)-1 {
			data.Older = list[i+1]
		}
		if err := p.article(data); err != nil {
			return err
		}
	}
	return nil
}

func (p *pages) article(data articlePage) error {
	a := data.Article
	text, err := renderMarkdown(a.Body, "", 2, p.b.absent()...)
	if err != nil {
		return fmt.Errorf("render the article %s: %w", a.ID, err)
	}
	data.Body, data.Contents = text.html, text.headings
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
	var facts []string
	if a.DatePublished != nil {
		facts = append(facts, "Published on "+string(*a.DatePublished))
	}
	return p.add("article", page{
		Title:       a.Title,
		Lede:        a.Summary,
		Description: a.Summary,
		Path:        catalog.ArticlePath(a.ID),
		Crumbs:      []crumb{{"Articles", catalog.ArticlesPath}},
		Facts:       facts,
		Twins:       []twin{markdownTwin(catalog.ArticleMarkdownPath(a.ID))},
		Verified:    oneDay(a.VerifiedAt),
		Article:     true,
		LD:          []any{articleLD(p.cat, a)},
	}, data)
}
