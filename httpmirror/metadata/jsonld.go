package metadata

import (
	"encoding/json"

	"almanac/catalog"
)

// The pages carry schema.org descriptions as JSON-LD data blocks. A data block is not executed,
// so a Content-Security-Policy without inline scripts leaves it alone (HTML Standard, "prepare
// the script element", which ends at an unknown type before it asks the policy).

// LD returns the data block of a template.
func LD(cat *catalog.Catalog, name string, item any) json.RawMessage {
	return New(cat, "", "").Document(name, item)
}

// A Crumb is a step on the way from the home page to a page.
type Crumb struct{ Label, Path string }

// A Work is a page that this site wrote about the works it cites, as the template ld-work describes it.
type Work struct {
	Type                 string // WebPage, TechArticle or Article
	Title, Summary, Path string
	DatePublished        *catalog.Date
	VerifiedAt           catalog.Date
	Tags                 []string
	Cited                []string // addresses
}
