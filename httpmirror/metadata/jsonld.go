package metadata

import (
	"almanac/catalog"
	"almanac/httpmirror/phrase"
)

// The pages carry schema.org descriptions as JSON-LD data blocks. A data block is not executed,
// so a Content-Security-Policy without inline scripts leaves it alone (HTML Standard, "prepare
// the script element", which ends at an unknown type before it asks the policy).

const schemaOrg = "https://schema.org"

type ldThing struct {
	Type string `json:"@type"`
	Name string `json:"name,omitempty"`
	URL  string `json:"url,omitempty"`
}

type ldBreadcrumb struct {
	Context string       `json:"@context"`
	Type    string       `json:"@type"`
	Items   []ldListItem `json:"itemListElement"`
}

type ldListItem struct {
	Type     string `json:"@type"`
	Position int    `json:"position"`
	Name     string `json:"name"`
	Item     string `json:"item"`
}

// A Crumb is a step on the way from the home page to a page.
type Crumb struct{ Label, Path string }

// BreadcrumbLD returns the description of the way to a page.
func BreadcrumbLD(s catalog.Site, crumbs []Crumb) any {
	b := ldBreadcrumb{Context: schemaOrg, Type: "BreadcrumbList", Items: make([]ldListItem, len(crumbs))}
	for i, c := range crumbs {
		b.Items[i] = ldListItem{"ListItem", i + 1, c.Label, s.URL(c.Path)}
	}
	return b
}

type ldSite struct {
	Context string   `json:"@context"`
	Type    string   `json:"@type"`
	Name    string   `json:"name"`
	URL     string   `json:"url"`
	Search  ldSearch `json:"potentialAction"`
}

type ldSearch struct {
	Type   string `json:"@type"`
	Target string `json:"target"`
	Input  string `json:"query-input"`
}

// SiteLD returns the description of the site and its search.
func SiteLD(cat *catalog.Catalog) any {
	s := cat.Site()
	return ldSite{schemaOrg, "WebSite", cat.Identity().Name, s.URL(catalog.HomePath),
		ldSearch{"SearchAction", s.URL(catalog.FindPath) + "?q={words}", "required name=words"}}
}

type ldArticle struct {
	Context       string   `json:"@context"`
	Type          string   `json:"@type"`
	Headline      string   `json:"headline"`
	Description   string   `json:"description"`
	URL           string   `json:"url"`
	DatePublished string   `json:"datePublished,omitempty"`
	DateModified  string   `json:"dateModified"`
	Keywords      []string `json:"keywords,omitempty"`
	InLanguage    string   `json:"inLanguage"`
	Publisher     ldThing  `json:"publisher"`
	Author        ldThing  `json:"author"`
	Citation      []string `json:"citation,omitempty"`
}

// PageLD returns the description of a page that this site wrote about the works it cites: a WebPage, an Article.
func PageLD(cat *catalog.Catalog, kind, title, summary, path string, verified catalog.Date, tags, cited []string) ldArticle {
	s := cat.Site()
	us := ldThing{"Organization", cat.Identity().Name, s.URL(catalog.HomePath)}
	return ldArticle{
		Context: schemaOrg, Type: kind, Headline: title, Description: summary, URL: s.URL(path),
		DateModified: string(verified), Keywords: tags, InLanguage: "en", Publisher: us, Author: us, Citation: cited,
	}
}

// ArticleLD returns the description of an article. It cites the addresses of its sources.
func ArticleLD(cat *catalog.Catalog, a *catalog.Article) any {
	var cited []string
	for _, id := range a.Entries {
		if e, ok := cat.Entry(id); ok {
			cited = append(cited, e.URL)
		}
	}
	ld := PageLD(cat, "Article", a.Title, a.Summary, catalog.ArticlePath(a.ID), a.VerifiedAt, a.Tags, cited)
	if a.DatePublished != nil {
		ld.DatePublished = string(*a.DatePublished)
	}
	return ld
}

type ldDataset struct {
	Context       string       `json:"@context"`
	Type          string       `json:"@type"`
	Name          string       `json:"name"`
	Description   string       `json:"description"`
	URL           string       `json:"url"`
	License       string       `json:"license"`
	Free          bool         `json:"isAccessibleForFree"`
	DatePublished string       `json:"datePublished,omitempty"`
	DateModified  string       `json:"dateModified"`
	Keywords      []string     `json:"keywords,omitempty"`
	Creator       ldThing      `json:"creator"`
	Measured      []ldThing    `json:"variableMeasured,omitempty"`
	Distribution  []ldDownload `json:"distribution"`
}

type ldDownload struct {
	Type           string `json:"@type"`
	ContentURL     string `json:"contentUrl"`
	EncodingFormat string `json:"encodingFormat"`
	ContentSize    string `json:"contentSize,omitempty"`
	SHA256         string `json:"sha256,omitempty"`
}

// DatasetLD returns the description of a dataset with its files.
func DatasetLD(cat *catalog.Catalog, card *catalog.DatasetCard) any {
	ld := ldDataset{
		Context: schemaOrg, Type: "Dataset", Name: card.Title, Description: card.Summary, URL: card.URL,
		License: card.License, Free: true, DateModified: string(card.VerifiedAt), Keywords: card.Keywords,
		Creator: ldThing{"Organization", cat.Identity().Name, cat.Site().URL(catalog.HomePath)},
	}
	if card.DatePublished != nil {
		ld.DatePublished = string(*card.DatePublished)
	}
	for _, c := range card.Columns {
		ld.Measured = append(ld.Measured, ldThing{Type: "PropertyValue", Name: c.Name})
	}
	for _, f := range card.Files {
		ld.Distribution = append(ld.Distribution, ldDownload{"DataDownload", f.URL, f.MediaType, phrase.Size(f.Bytes),
			f.SHA256})
	}
	return ld
}

// FactsLD returns the description of the protocol facts, which are a dataset whose files are documents.
func FactsLD(cat *catalog.Catalog, verifiedAt catalog.Date) any {
	s, doc := cat.Site(), cat.Protocols()
	return ldDataset{
		Context: schemaOrg, Type: "Dataset", Name: "Protocol facts", Description: doc.Description,
		URL:     s.URL(catalog.ProtocolsPath),
		License: cat.Identity().License.URL, Free: true, DateModified: string(verifiedAt),
		Creator: ldThing{"Organization", cat.Identity().Name, cat.Site().URL(catalog.HomePath)},
		Distribution: []ldDownload{
			{Type: "DataDownload", ContentURL: s.URL(catalog.ProtocolsJSONPath), EncodingFormat: "application/json"},
			{Type: "DataDownload", ContentURL: doc.MarkdownURL, EncodingFormat: "text/markdown"},
		},
	}
}
