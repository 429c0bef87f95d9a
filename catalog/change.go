package catalog

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
	list := c.changes[day]
	return &ChangeList{Envelope: c.envelope(c.ChangesDay(day)), Date: day, Field: "verified_at",
		Count: len(list), Entries: append([]Change{}, list...)}
}

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
		return ChangeDay{d, len(c.changes[d]), c.Site().URL(ChangesJSONPath(d)), c.Site().URL(HistoryDayPath(d))}
	})
	return &ChangeIndex{Envelope: c.envelope(c.FeedDay()), Count: len(days), Days: days}
}
