package metadata

import (
	"encoding/json"

	"almanac/catalog"
)

// The pages carry schema.org descriptions as JSON-LD data blocks. A data block is not executed,
// so a Content-Security-Policy without inline scripts leaves it alone (HTML Standard, "prepare
// the script element", which ends at an unknown type before it asks the policy).

// describe returns the data block of a template. It panics where the template does not fit the item.
func describe(cat *catalog.Catalog, name string, item any) json.RawMessage {
	block, err := New(cat, Options{}).document(name, item)
	if err != nil {
		panic(err)
	}
	return block
}

// A Crumb is a step on the way from the home page to a page.
type Crumb struct{ Label, Path string }

// BreadcrumbLD returns the description of the way to a page.
func BreadcrumbLD(cat *catalog.Catalog, crumbs []Crumb) any {
	return describe(cat, "ld-breadcrumb", crumbs)
}

// SiteLD returns the description of the site and its search.
func SiteLD(cat *catalog.Catalog) any { return describe(cat, "ld-site", nil) }

// A Work is a page that this site wrote about the works it cites.
type Work struct {
	Type                 string // WebPage, TechArticle or Article
	Title, Summary, Path string
	DatePublished        *catalog.Date
	VerifiedAt           catalog.Date
	Tags                 []string
	Cited                []string // addresses
}

// WorkLD returns the description of a page.
func WorkLD(cat *catalog.Catalog, w Work) any { return describe(cat, "ld-work", w) }

// DatasetLD returns the description of a dataset with its files.
func DatasetLD(cat *catalog.Catalog, card *catalog.DatasetCard) any {
	return describe(cat, "ld-dataset", card)
}

// FactsLD returns the description of the protocol facts, which are a dataset whose files are documents.
func FactsLD(cat *catalog.Catalog) any { return describe(cat, "ld-facts", nil) }
