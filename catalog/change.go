package catalog

import (
	"cmp"
	"slices"
)

// A Change is one record of the change feed: what was verified on a day.
type Change struct {
	ID            string `json:"id"` // library entries have their own id, other records <kind>:<slug>
	Kind          string `json:"kind"`
	Title         string `json:"title"`
	URL           string `json:"url"`
	MDURL         string `json:"md_url,omitempty"`   // articles, datasets and the trust checklist
	Category      string `json:"category,omitempty"` // kind library only
	DatePublished *Date  `json:"date_published"`
	VerifiedAt    Date   `json:"verified_at"`
	Note          string `json:"note,omitempty"` // bot, dataset and support
}

// ChangeKinds are the kinds of the change feed in the order in which it lists them.
var ChangeKinds = []string{"article", "bot", "dataset", "support", "library"}

func (e *Entry) change() Change {
	return Change{
		ID: e.ID, Kind: "library", Title: e.Title, URL: e.URL, Category: e.Category,
		DatePublished: e.DatePublished, VerifiedAt: e.VerifiedAt,
	}
}

func (a *Article) change(s Site) Change {
	return Change{
		ID: "article:" + a.ID, Kind: "article", Title: a.Title,
		URL: s.URL(ArticlePath(a.ID)), MDURL: s.URL(ArticleMarkdownPath(a.ID)),
		DatePublished: a.DatePublished, VerifiedAt: a.VerifiedAt,
	}
}

func (b *Bot) change(s Site) Change {
	return Change{
		ID: "bot:" + b.ID, Kind: "bot", Title: b.Title, URL: s.URL(BotPath),
		DatePublished: b.DatePublished, VerifiedAt: b.VerifiedAt, Note: b.Note,
	}
}

func (d *Dataset) change(s Site) Change {
	return Change{
		ID: "dataset:" + d.ID, Kind: "dataset", Title: d.Title,
		URL: s.URL(DatasetPath(d.ID)), MDURL: s.URL(DatasetReadmePath(d.ID)),
		DatePublished: d.DatePublished, VerifiedAt: d.VerifiedAt, Note: d.Note,
	}
}

func (r SupportRecord) change(s Site) Change {
	return Change{
		ID: "support:support-document", Kind: "support", Title: "Support document",
		URL: s.URL(SupportJSONPath), VerifiedAt: r.Updated, Note: r.Note,
	}
}

func (r TrustRecord) change(s Site) Change {
	return Change{
		ID: "support:trust-checklist", Kind: "support", Title: r.Title,
		URL: s.URL(TrustPath), MDURL: s.URL(TrustMarkdownPath),
		DatePublished: r.DatePublished, VerifiedAt: r.VerifiedAt, Note: r.Note,
	}
}

// dayChanges are the changes of a day. Those of library entries are made when they are asked for: there may be very many.
type dayChanges struct {
	others  []Change
	entries []*Entry
}

func (d *dayChanges) count() int {
	if d == nil {
		return 0
	}
	return len(d.others) + len(d.entries)
}

// at returns the change at a place of the day.
func (d *dayChanges) at(i int) Change {
	if i < len(d.others) {
		return d.others[i]
	}
	return d.entries[i-len(d.others)].change()
}

// compareChanges orders what is no library entry: the kinds in their order and by id. Library entries follow, ordered as in their lists
// (docs/contract.md, "Ordering").
func compareChanges(a, b Change) int {
	return cmp.Or(cmp.Compare(slices.Index(ChangeKinds, a.Kind), slices.Index(ChangeKinds, b.Kind)), cmp.Compare(a.ID, b.ID))
}
