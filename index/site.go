package index

import (
	"fmt"
	"slices"
	"strings"

	"almanac/catalog"
	"almanac/index/find"
)

// pageRecords returns the pages of the site that only the free search finds: categories, tags and single documents.
func pageRecords(c *catalog.Catalog) (list []record) {
	add := func(shown find.Record, labels string, passages ...Passage) {
		shown.URL = c.Site().URL(shown.Path)
		name := shown.ID[strings.IndexByte(shown.ID, ':')+1:]
		list = append(list, record{
			shown: &shown, id: shown.ID, kind: shown.Kind, title: shown.Title, labels: labels,
			names:    slices.Compact([]string{shown.ID, name}),
			passages: append([]Passage{{Kind: PassageSummary}}, passages...),
		})
	}
	for _, k := range c.Categories() {
		add(find.Record{ID: "category:" + k.ID, Kind: "category", Title: k.Label, Path: catalog.CategoryPath(k.ID)}, k.ID)
	}
	for _, tag := range c.Tags() {
		add(find.Record{ID: "tag:" + tag.ID, Kind: "tag", Title: "Tag " + tag.ID, Path: catalog.TagPath(tag.ID)}, tag.ID)
	}
	compares := len(c.Profiles()) > 0
	for _, page := range []struct {
		id, title, path, line, labels string
		exists                        bool
	}{
		{"compare", "Compare protocols", catalog.ComparePath,
			"Payment protocols side by side, field by field, with the messages of a payment.", "", compares},
		{"choose", "Choose a protocol", catalog.ChoosePath, "A few questions, and the payment protocols that fit.", "", compares},
		{"connect", "Connect an agent", catalog.ConnectPath, "Install commands for MCP hosts.", "", true},
		{"whats-new", "What's new", catalog.ChangesIndexPath,
			"Changes day by day, with Atom and JSON feeds to subscribe to.", "changes, feed", true},
		{"history", "History", catalog.HistoryPath, "What each value was and is, day by day.", "", true},
		{"trust", "Trust checklist", catalog.TrustPath,
			"What this service promises, each promise with a test, and its error codes.", "promises, error codes", true},
		{"support", "Support document", catalog.SupportPath, "Voluntary ways to tip this service.", "tip, donate", c.TakesTips()},
	} {
		if !page.exists {
			continue
		}
		var codes []Passage
		if page.path == catalog.TrustPath {
			codes = []Passage{{Kind: PassageFact, Title: "Error codes", topic: "errors"}}
		}
		add(find.Record{ID: page.id, Kind: page.id, Title: page.title, Line: page.line, Path: page.path}, page.labels,
			codes...)
	}
	if c.HasCalendar() {
		line := "When drafts expire, laws apply, consultations close and support ends."
		add(find.Record{ID: "calendar", Kind: "calendar", Title: "Calendar", Line: line, Path: catalog.CalendarPath}, "")
	}
	if terms := c.Terms(); c.Payments() != catalog.PaymentsOff {
		line := fmt.Sprintf("%d satoshis buy %d full-text searches, over Lightning: the tool search_passages or GET %s.", terms.PriceSats, terms.Credits, catalog.SearchPath)
		add(find.Record{ID: "buy", Kind: "buy", Title: "Buy searches", Line: line, Path: catalog.L402Path},
			"paid full-text search")
	}
	return list
}
