package catalog

import (
	"cmp"
	"slices"
	"sort"
)

// A Change is one record of the change feed, which was verified on a day.
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

// entryChanges returns the changes of the library entries, in the order of their lists.
func (c *Catalog) entryChanges() []Change {
	list := make([]Change, 0, len(c.records.Entries))
	for _, e := range slices.SortedFunc(slices.Values(c.records.Entries), compareEntries) {
		list = append(list, Change{
			ID: e.ID, Kind: "library", Title: e.Title, URL: e.URL, Category: e.Category,
			DatePublished: e.DatePublished, VerifiedAt: e.VerifiedAt,
		})
	}
	return list
}

// textChanges returns the changes of all other records, the kinds in their order and by id (docs/contract.md,
// "Ordering").
func (c *Catalog) textChanges() (list []Change) {
	s, support, trust := c.Site(), c.records.Support, c.records.Trust
	for _, a := range c.records.Articles {
		list = append(list, Change{
			ID: "article:" + a.ID, Kind: "article", Title: a.Title,
			URL: s.URL(ArticlePath(a.ID)), MDURL: s.URL(MarkdownPath(ArticlePath(a.ID))),
			DatePublished: a.DatePublished, VerifiedAt: a.VerifiedAt,
		})
	}
	for _, b := range c.records.Bots {
		list = append(list, Change{
			ID: "bot:" + b.ID, Kind: "bot", Title: b.Title, URL: s.URL(BotPath),
			DatePublished: b.DatePublished, VerifiedAt: b.VerifiedAt, Note: b.Note,
		})
	}
	for _, d := range c.records.Datasets {
		list = append(list, Change{
			ID: "dataset:" + d.ID, Kind: "dataset", Title: d.Title,
			URL: s.URL(DatasetPath(d.ID)), MDURL: s.URL(DatasetReadmePath(d.ID)),
			DatePublished: d.DatePublished, VerifiedAt: d.VerifiedAt, Note: d.Note,
		})
	}
	if c.TakesTips() {
		list = append(list, Change{
			ID: "support:support-document", Kind: "support", Title: "Support document",
			URL: s.URL(SupportJSONPath), VerifiedAt: support.Updated, Note: support.Note,
		})
	}
	list = append(list, Change{
		ID: trustRecord, Kind: "support", Title: trust.Title,
		URL: s.URL(TrustPath), MDURL: s.URL(MarkdownPath(TrustPath)),
		DatePublished: trust.DatePublished, VerifiedAt: trust.VerifiedAt, Note: trust.Note,
	})
	slices.SortFunc(list, func(a, b Change) int {
		return cmp.Or(cmp.Compare(slices.Index(ChangeKinds, a.Kind), slices.Index(ChangeKinds, b.Kind)), cmp.Compare(a.ID, b.ID))
	})
	return list
}

// A ChangeList is the change feed document: everything that was verified on one day.
type ChangeList struct {
	Envelope
	Date    Date     `json:"date"`
	Field   string   `json:"field"` // always verified_at
	Count   int      `json:"count"`
	Entries []Change `json:"entries"`
}

// Changes returns the change feed document of a day. A day without changes has count 0.
func (c *Catalog) Changes(day Date) *ChangeList {
	doc := c.ChangesHead(day)
	doc.Entries = append(doc.Entries, c.changes[day]...)
	return doc
}

// ChangesHead returns the change feed document of a day without the changes.
func (c *Catalog) ChangesHead(day Date) *ChangeList {
	return &ChangeList{Envelope: c.envelope(c.ChangesDay(day)), Date: day, Field: "verified_at",
		Count: c.ChangeCount(day), Entries: []Change{}}
}

// ChangesOfEntries returns the place of the first change of a library entry on a day. From there on, all are.
func (c *Catalog) ChangesOfEntries(day Date) int {
	return sort.Search(c.ChangeCount(day), func(i int) bool { return c.Change(day, i).Kind == "library" })
}

// ChangeCount returns the number of changes of a day.
func (c *Catalog) ChangeCount(day Date) int { return len(c.changes[day]) }

// Change returns the change at a place of a day, as Changes lists them.
func (c *Catalog) Change(day Date, i int) Change { return c.changes[day][i] }

// A ChangeIndex lists the days that have changes, newest first.
type ChangeIndex struct {
	Envelope
	Count int         `json:"count"`
	Days  []ChangeDay `json:"days"`
}

// A ChangeDay is a day that has changes.
type ChangeDay struct {
	Date    Date   `json:"date"`
	Count   int    `json:"count"`
	JSONURL string `json:"json_url"`
	HTMLURL string `json:"html_url"`
}

// ChangeIndex returns the document that lists the days with changes.
func (c *Catalog) ChangeIndex() *ChangeIndex {
	days := Convert(c.days, func(d Date) ChangeDay {
		return ChangeDay{d, c.ChangeCount(d), c.Site().URL(ChangesJSONPath(d)), c.Site().URL(ChangesPath(d))}
	})
	return &ChangeIndex{Envelope: c.envelope(c.FeedDay()), Count: len(days), Days: days}
}
