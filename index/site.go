package index

import (
	"fmt"
	"slices"

	"go.almanac.example/catalog"
	"go.almanac.example/index/find"
)

// pageRecords returns the pages of the site that only the free search finds: categories, tags and single documents.
func pageRecords(c *catalog.Catalog) (list []record) {
	add := func(page find.Record, labels string, passages ...Passage) {
		page.URL = c.Site().URL(page.Path)
		r := record{Record: page, labels: labels, passages: append([]Passage{{Kind: PassageSummary}}, passages...)}
		r.names = slices.Compact([]string{r.ID, r.slug()})
		list = append(list, r)
	}
	for _, k := range c.Categories() {
		add(find.Record{ID: "category:" + k.ID, Kind: "category", Title: k.Label, Path: catalog.CategoryPath(k.ID)}, k.ID)
	}
	for _, tag := range c.Tags() {
		add(find.Record{ID: "tag:" + tag.ID, Kind: "tag", Title: "Tag " + tag.ID, Path: catalog.TagPath(tag.ID)}, tag.ID)
	}
	compares := len(c.Profiles()) > 0
	terms := c.Terms()
	for _, page := range []struct {
		exists                        bool
		id, title, path, line, labels string
	}{
		{compares, "compare", "Compare protocols", catalog.ComparePath,
			"Payment protocols side by side, field by field, with the messages of a payment.", ""},
		{compares, "choose", "Choose a protocol", catalog.ChoosePath,
			"A few questions, and the payment protocols that fit.", ""},
		{true, "connect", "Connect an agent", catalog.ConnectPath, "Install commands for MCP hosts.", ""},
		{true, "whats-new", "What's new", catalog.ChangesIndexPath,
			"Changes day by day, with Atom and JSON feeds to subscribe to.", "changes, feed"},
		{true, "history", "History", catalog.HistoryPath, "What each value was and is, day by day.", ""},
		{true, "trust", "Trust checklist", catalog.TrustPath,
			"What this service promises, each promise with a test, and its error codes.", "promises, error codes"},
		{c.TakesTips(), "support", "Support document", catalog.SupportPath, "Voluntary ways to tip this service.",
			"tip, donate"},
		{c.HasCalendar(), "calendar", "Calendar", catalog.CalendarPath,
			"When drafts expire, laws apply, consultations close and support ends.", ""},
		{c.Payments() != catalog.PaymentsOff, "buy", "Buy searches", catalog.L402Path,
			fmt.Sprintf("%d satoshis buy %d full-text searches, over Lightning: the tool search_passages or GET %s.",
				terms.PriceSats, terms.Credits, catalog.SearchPath), "paid full-text search"},
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
	return list
}
