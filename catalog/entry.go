package catalog

import (
	"cmp"
	"slices"
)

// An Entry is one curated source: a link with a short original summary (SPEC.md, "Library entry").
type Entry struct {
	ID            string   `json:"id"`
	Title         string   `json:"title"`
	Publisher     string   `json:"publisher"`
	Authors       []string `json:"authors"`
	DatePublished *Date    `json:"date_published"` // null when unknown
	URL           string   `json:"url"`
	Type          string   `json:"type"`
	Category      string   `json:"category"`
	Summary       string   `json:"summary"`
	Tags          []string `json:"tags"`
	VerifiedAt    Date     `json:"verified_at"`  // when someone last read the source
	LastChecked   Date     `json:"last_checked"` // when the link was last looked at
	HTTPStatus    int      `json:"http_status"`  // as observed; 0: not yet checked over the network
	ArchiveURL    *string  `json:"archive_url"`
	Featured      bool     `json:"featured,omitempty"`
}

// An EntryDocument is one library entry as a file of its own.
type EntryDocument struct {
	SchemaVersion string `json:"schema_version"`
	GeneratedAt   string `json:"generated_at"`
	Schema        string `json:"$schema"`
	Entry         *Entry `json:"entry"`
}

// EntryDocument builds the document of one entry.
func (c *Catalog) EntryDocument(e *Entry) *EntryDocument {
	return &EntryDocument{
		SchemaVersion: SchemaVersion, GeneratedAt: c.GeneratedAt(),
		Schema: c.Site().URL(SchemaPath("entry")), Entry: e,
	}
}

// EntryTypes are the values of an entry's type (SPEC.md, "Library entry").
var EntryTypes = []string{"spec", "docs", "repo", "announcement", "directory"}

// Published gives the date of publication, or "" when it is unknown.
func (e *Entry) Published() Date {
	if e.DatePublished == nil {
		return ""
	}
	return *e.DatePublished
}

// compareEntries orders entries as SPEC.md observed it: newest first, unknown dates last.
// SPEC.md gives ids as the tie-break of the change feed; the lists use the same.
func compareEntries(a, b *Entry) int {
	// "" sorts before every date, so the newest-first order puts unknown dates last.
	return cmp.Or(cmp.Compare(b.Published(), a.Published()), cmp.Compare(a.ID, b.ID))
}

func sortEntries(es []*Entry) { slices.SortFunc(es, compareEntries) }
