package httpmirror

import "almanac/catalog"

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

// breadcrumbLD describes the way to a page from the home page.
func breadcrumbLD(s catalog.Site, pg page) ldBreadcrumb {
	b := ldBreadcrumb{Context: schemaOrg, Type: "BreadcrumbList"}
	for i, c := range append(pg.Crumbs, crumb{pg.Title, pg.Path}) {
		b.Items = append(b.Items, ldListItem{"ListItem", i + 1, c.Label, s.URL(c.Path)})
	}
	return b
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

// articleLD describes an article; what it cites are the addresses of its sources.
func articleLD(cat *catalog.Catalog, a *catalog.Article) ldArticle {
	s := cat.Site()
	us := ldThing{"Organization", "almanac", s.URL(catalog.HomePath)}
	ld := ldArticle{
		Context: schemaOrg, Type: "Article", Headline: a.Title, Description: a.Summary,
		URL: s.URL(catalog.ArticlePath(a.ID)), DateModified: string(a.VerifiedAt), Keywords: a.Tags,
		InLanguage: "en", Publisher: us, Author: us,
	}
	if a.DatePublished != nil {
		ld.DatePublished = string(*a.DatePublished)
	}
	for _, id := range a.Entries {
		if e, ok := cat.Entry(id); ok {
			ld.Citation = append(ld.Citation, e.URL)
		}
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

// datasetLD describes a dataset with its files.
func datasetLD(s catalog.Site, card *catalog.DatasetCard) ldDataset {
	ld := ldDataset{
		Context: schemaOrg, Type: "Dataset", Name: card.Title, Description: card.Summary, URL: card.URL,
		License: card.License, Free: true, DateModified: string(card.VerifiedAt), Keywords: card.Keywords,
		Creator: ldThing{"Organization", "almanac", s.URL(catalog.HomePath)},
	}
	if card.DatePublished != nil {
		ld.DatePublished = string(*card.DatePublished)
	}
	for _, c := range card.Columns {
		ld.Measured = append(ld.Measured, ldThing{Type: "PropertyValue", Name: c.Name})
	}
	for _, f := range card.Files {
		ld.Distribution = append(ld.Distribution, ldDownload{"DataDownload", f.URL, f.MediaType, sizeOf(f.Bytes), f.SHA256})
	}
	return ld
}

// factsLD describes the protocol facts, which are a dataset whose files are documents.
func factsLD(cat *catalog.Catalog, verified span) ldDataset {
	s, doc := cat.Site(), cat.Protocols()
	return ldDataset{
		Context: schemaOrg, Type: "Dataset", Name: "Protocol facts", Description: doc.Description, URL: s.URL(catalog.ProtocolsPath),
		License: licenseURL, Free: true, DateModified: string(verified.last),
		Creator: ldThing{"Organization", "almanac", s.URL(catalog.HomePath)},
		Distribution: []ldDownload{
			{Type: "DataDownload", ContentURL: s.URL(catalog.ProtocolsJSONPath), EncodingFormat: "application/json"},
			{Type: "DataDownload", ContentURL: doc.MarkdownURL, EncodingFormat: "text/markdown"},
		},
	}
}
