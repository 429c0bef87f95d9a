package catalog

import "cmp"

// An Entry is one curated source: a link with a short original summary. It is the same value everywhere: in its own
// file, in lists and datasets, in tool results and in search hits.
type Entry struct {
	ID            string   `json:"id" form:"slug"`
	Title         string   `json:"title" form:"title"`
	Publisher     string   `json:"publisher" form:"title"`
	Authors       []string `json:"authors" form:"list"`
	DatePublished *Date    `json:"date_published"` // nil when unknown
	URL           string   `json:"url" form:"url"`
	Type          string   `json:"type"` // one of Identity.EntryTypes
	Category      string   `json:"category"`
	Summary       string   `json:"summary" form:"summary"`
	Tags          []string `json:"tags" form:"list"`
	VerifiedAt    Date     `json:"verified_at"` // when somebody last read the source
	// when the link was last checked; while HTTPStatus is 0, when the source was read
	LastChecked Date    `json:"last_checked"`
	HTTPStatus  int     `json:"http_status"` // as observed; 0 until a link check of this installation has observed one
	ArchiveURL  *string `json:"archive_url" form:"url"`
	Featured    bool    `json:"featured,omitempty"`
}

// EntryTypes are the types of entries where site.json has none.
var EntryTypes = []string{"spec", "docs", "repo", "announcement", "directory"}

// Published returns the date of publication, or "" when it is unknown.
func (e *Entry) Published() Date { return OrEmpty(e.DatePublished) }

// compareEntries orders entries as they are published: newest first, unknown dates last, ties by id
// (docs/contract.md, "Ordering").
func compareEntries(a, b *Entry) int {
	return cmp.Or(cmp.Compare(b.Published(), a.Published()), cmp.Compare(a.ID, b.ID))
}

// A CategoryRecord is a category as a curator writes it. The order of the records is the published one.
type CategoryRecord struct {
	ID       string `json:"id" form:"slug"`
	Label    string `json:"label" form:"title"`
	Featured bool   `json:"featured"`
}

// A Category is one of the eight parts of the library.
type Category struct {
	CategoryRecord
	Listing
}

// A Listing is the number of the entries of a category or tag, and the addresses of their list.
type Listing struct {
	Count       int    `json:"count"`
	JSONURL     string `json:"json_url"`
	MarkdownURL string `json:"markdown_url"`
	HTMLURL     string `json:"html_url"`
}

func (c *Catalog) listing(entries int, page, document string) Listing {
	return Listing{entries, c.Site().URL(document), c.Site().URL(MarkdownPath(page)), c.Site().URL(page)}
}

// A TagRecord is a word of the closed vocabulary of tags, as a curator writes it.
type TagRecord struct {
	ID    string `json:"id" form:"slug"`
	Label string `json:"label" form:"title"` // the meaning of the tag, in a few words
}

// A Tag is a word of the vocabulary with the number of entries that carry it.
type Tag struct {
	TagRecord
	Listing
}

// An EntryDocument is one library entry with its evidence and the statements about its source.
type EntryDocument struct {
	Head
	Entry *Entry `json:"entry"`
	RecordEvidence
	Statements []ClassedStatement `json:"statements"`
}

// EntryDocument returns the document of an entry.
func (c *Catalog) EntryDocument(e *Entry) *EntryDocument {
	day, _ := c.EvidenceDay(e.ID)
	day = max(day, c.EntryDay(e), c.StatementsDay(e.ID))
	return &EntryDocument{c.head("entry", day), e, c.recordEvidence(e.ID), c.ClassedStatements(e)}
}

// A CategoryList is the list document of a category.
type CategoryList struct {
	Head
	License    string     `json:"license"`
	Category   string     `json:"category"`
	Count      int        `json:"count"`
	Categories []Category `json:"categories"`
	Entries    []*Entry   `json:"entries"`
}

// CategoryList returns the list document of a category, or of a part of its entries.
func (c *Catalog) CategoryList(id string, entries []*Entry) *CategoryList {
	return &CategoryList{
		Head:     c.head("library", c.EntriesDay(entries)),
		License:  c.records.Identity.LicenseStatement(),
		Category: id, Count: len(entries), Categories: c.categories, Entries: entries,
	}
}

// A CategoryIndex lists the categories. Its count is their number.
type CategoryIndex struct {
	Head
	License    string     `json:"license"`
	Count      int        `json:"count"`
	Categories []Category `json:"categories"`
}

// CategoryIndex returns the document that lists the categories.
func (c *Catalog) CategoryIndex() *CategoryIndex {
	return &CategoryIndex{
		Head:    c.head("category-index", c.CountsDay()),
		License: c.records.Identity.LicenseStatement(), Count: len(c.categories), Categories: c.categories,
	}
}

// A TagList is the list document of a tag.
type TagList struct {
	Envelope
	Tag     string   `json:"tag"`
	Count   int      `json:"count"`
	Entries []*Entry `json:"entries"`
}

// TagList returns the list document of a tag, or of a part of its entries.
func (c *Catalog) TagList(tag string, entries []*Entry) *TagList {
	return &TagList{Envelope: c.envelope(c.EntriesDay(entries)), Tag: tag, Count: len(entries), Entries: entries}
}

// A TagIndex lists every tag in use.
type TagIndex struct {
	Envelope
	Count int   `json:"count"`
	Tags  []Tag `json:"tags"`
}

// TagIndex returns the document that lists the tags.
func (c *Catalog) TagIndex() *TagIndex {
	return &TagIndex{Envelope: c.envelope(c.CountsDay()), Count: len(c.tags), Tags: c.tags}
}
