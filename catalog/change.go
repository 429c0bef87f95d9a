package catalog

import (
	"cmp"
	"maps"
	"slices"
)

// A Change is one record of the change feed: something verified on the day asked for.
type Change struct {
	ID            string `json:"id"` // library entries use their id, others <kind>:<slug>
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

// A ChangeList is the change feed document (SPEC.md): everything verified on one day.
type ChangeList struct {
	SchemaVersion string   `json:"schema_version"`
	GeneratedAt   string   `json:"generated_at"`
	Date          Date     `json:"date"`
	Field         string   `json:"field"` // always verified_at
	Count         int      `json:"count"`
	Entries       []Change `json:"entries"`
}

// A ChangeDay is a day that has changes.
type ChangeDay struct {
	Date    Date   `json:"date"`
	Count   int    `json:"count"`
	JSONURL string `json:"json_url"`
	HTMLURL string `json:"html_url"`
}

// A ChangeIndex lists the days that have changes, newest first.
type ChangeIndex struct {
	SchemaVersion string      `json:"schema_version"`
	GeneratedAt   string      `json:"generated_at"`
	Count         int         `json:"count"`
	Days          []ChangeDay `json:"days"`
}

// Changes builds the change feed document of a day. A day without changes has count 0.
func (c *Catalog) Changes(day Date) *ChangeList {
	entries := c.changes[day]
	if entries == nil {
		entries = []Change{}
	}
	return &ChangeList{
		SchemaVersion: SchemaVersion, GeneratedAt: c.GeneratedAt(),
		Date: day, Field: "verified_at", Count: len(entries), Entries: entries,
	}
}

// ChangeDays gives the days that have changes, newest first.
func (c *Catalog) ChangeDays() []Date { return c.days }

// ChangeIndex builds the document that lists the days with changes.
func (c *Catalog) ChangeIndex() *ChangeIndex {
	days := make([]ChangeDay, len(c.days))
	for i, d := range c.days {
		days[i] = ChangeDay{d, len(c.changes[d]), c.Site().URL(ChangesJSONPath(d)), c.Site().URL(ChangesPath(d))}
	}
	return &ChangeIndex{SchemaVersion: SchemaVersion, GeneratedAt: c.GeneratedAt(), Count: len(days), Days: days}
}

// buildChanges fills the change feed from the other records.
func (c *Catalog) buildChanges() {
	var all []Change
	for _, a := range c.articles {
		all = append(all, c.articleChange(a))
	}
	for _, b := range c.bots {
		all = append(all, Change{
			ID: "bot:" + b.ID, Kind: "bot", Title: b.Title, URL: c.Site().URL(BotPath),
			DatePublished: b.DatePublished, VerifiedAt: b.VerifiedAt, Note: b.Note,
		})
	}
	for _, d := range c.datasets {
		all = append(all, c.datasetChange(d))
	}
	all = append(all, c.supportChange(), c.trustChange())
	for _, e := range c.entries {
		all = append(all, EntryChange(e))
	}
	c.changes = make(map[Date][]Change)
	for _, ch := range all {
		c.changes[ch.VerifiedAt] = append(c.changes[ch.VerifiedAt], ch)
	}
	for _, list := range c.changes {
		slices.SortFunc(list, compareChanges)
	}
	c.days = slices.Sorted(maps.Keys(c.changes))
	slices.Reverse(c.days)
}

// EntryChange gives a library entry in the shape of the change feed.
func EntryChange(e *Entry) Change {
	return Change{
		ID: e.ID, Kind: "library", Title: e.Title, URL: e.URL, Category: e.Category,
		DatePublished: e.DatePublished, VerifiedAt: e.VerifiedAt,
	}
}

func (c *Catalog) articleChange(a *Article) Change {
	return Change{
		ID: "article:" + a.ID, Kind: "article", Title: a.Title,
		URL: c.Site().URL(ArticlePath(a.ID)), MDURL: c.Site().URL(ArticleMarkdownPath(a.ID)),
		DatePublished: a.DatePublished, VerifiedAt: a.VerifiedAt,
	}
}

func (c *Catalog) datasetChange(d *Dataset) Change {
	return Change{
		ID: "dataset:" + d.ID, Kind: "dataset", Title: d.Title,
		URL: c.Site().URL(DatasetPath(d.ID)), MDURL: c.Site().URL(DatasetReadmePath(d.ID)),
		DatePublished: d.DatePublished, VerifiedAt: d.VerifiedAt, Note: d.Note,
	}
}

func (c *Catalog) supportChange() Change {
	return Change{
		ID: "support:support-document", Kind: "support", Title: "Support document",
		URL: c.Site().URL(SupportJSONPath), VerifiedAt: c.support.Updated, Note: c.support.Note,
	}
}

func (c *Catalog) trustChange() Change {
	return Change{
		ID: "support:trust-checklist", Kind: "support", Title: c.trust.Title,
		URL: c.Site().URL(TrustPath), MDURL: c.Site().URL(TrustMarkdownPath),
		DatePublished: c.trust.DatePublished, VerifiedAt: c.trust.VerifiedAt, Note: c.trust.Note,
	}
}

// compareChanges orders a day: the kinds in order and by id, then library entries newest first.
func compareChanges(a, b Change) int {
	rank := func(ch Change) int { return slices.Index(ChangeKinds, ch.Kind) }
	if a.Kind == "library" && b.Kind == "library" {
		return cmp.Or(cmp.Compare(published(b.DatePublished), published(a.DatePublished)), cmp.Compare(a.ID, b.ID))
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.ID, b.ID))
}

func published(d *Date) Date {
	if d == nil {
		return ""
	}
	return *d
}
