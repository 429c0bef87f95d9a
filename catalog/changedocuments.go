package catalog

import "sort"

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
	doc.Entries = make([]Change, doc.Count)
	for i := range doc.Entries {
		doc.Entries[i] = c.Change(day, i)
	}
	return doc
}

// ChangesHead returns the change feed document of a day without the changes.
func (c *Catalog) ChangesHead(day Date) *ChangeList {
	return &ChangeList{Envelope: c.envelope(c.ChangesDay(day)), Date: day, Field: "verified_at", Count: c.ChangeCount(day), Entries: []Change{}}
}

// ChangesOfEntries returns the place of the first change of a library entry on a day. From there on, all are.
func (c *Catalog) ChangesOfEntries(day Date) int {
	return sort.Search(c.ChangeCount(day), func(i int) bool { return c.Change(day, i).Kind == "library" })
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
