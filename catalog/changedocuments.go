package catalog

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
	entries := make([]Change, c.ChangeCount(day))
	for i := range entries {
		entries[i] = c.Change(day, i)
	}
	return &ChangeList{Envelope: c.envelope(c.ChangesDay(day)), Date: day, Field: "verified_at", Count: len(entries), Entries: entries}
}

// ChangeCount returns the number of changes of a day.
func (c *Catalog) ChangeCount(day Date) int { return c.changes[day].count() }

// Change returns the change at a place of a day, as Changes lists them.
func (c *Catalog) Change(day Date, i int) Change { return c.changes[day].at(i) }

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
	days := make([]ChangeDay, len(c.days))
	for i, d := range c.days {
		days[i] = ChangeDay{d, c.ChangeCount(d), c.Site().URL(ChangesJSONPath(d)), c.Site().URL(ChangesPath(d))}
	}
	return &ChangeIndex{Envelope: c.envelope(c.FeedDay()), Count: len(days), Days: days}
}
