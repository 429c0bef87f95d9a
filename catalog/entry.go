package catalog

import "cmp"

// An Entry is one curated source: a link with a short original summary. It is the same value everywhere: in its own file,
// in lists and datasets, in tool results and in search hits.
type Entry struct {
	ID            string   `json:"id"`
	Title         string   `json:"title"`
	Publisher     string   `json:"publisher"`
	Authors       []string `json:"authors"`
	DatePublished *Date    `json:"date_published"` // nil when unknown
	URL           string   `json:"url"`
	Type          string   `json:"type"` // one of EntryTypes
	Category      string   `json:"category"`
	Summary       string   `json:"summary"`
	Tags          []string `json:"tags"`
	VerifiedAt    Date     `json:"verified_at"`  // when somebody last read the source
	LastChecked   Date     `json:"last_checked"` // when the link was last checked; while HTTPStatus is 0, when the source was read
	HTTPStatus    int      `json:"http_status"`  // as observed; 0 until a link check of this installation has observed one
	ArchiveURL    *string  `json:"archive_url"`
	Featured      bool     `json:"featured,omitempty"`
}

// EntryTypes are the values of an entry's type.
var EntryTypes = []string{"spec", "docs", "repo", "announcement", "directory"}

// Published returns the date of publication, or "" when it is unknown.
func (e *Entry) Published() Date { return orEmpty(e.DatePublished) }

// compareEntries orders entries as they are published: newest first, unknown dates last, ties by id
// (docs/contract.md, "Ordering").
func compareEntries(a, b *Entry) int {
	return cmp.Or(cmp.Compare(b.Published(), a.Published()), cmp.Compare(a.ID, b.ID))
}
