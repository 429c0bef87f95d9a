package httpmirror

import (
	"almanac/catalog"
	"almanac/httpmirror/paging"
)

// The newest day of what the documents of a kind show, which pages state in their footer. Documents state it as
// generated_at; see catalog.Catalog.Timestamp.

// sharedDay returns the day function of a kind whose documents share one day.
func sharedDay(day func(*catalog.Catalog) catalog.Date) func(*catalog.Catalog, string) catalog.Date {
	return func(c *catalog.Catalog, _ string) catalog.Date { return day(c) }
}

// recordOf returns the record function of a kind: the record of an id as the history names it.
func recordOf(kind string) func(id string) string {
	return func(id string) string { return kind + ":" + id }
}

// soleRecord returns the record function of a kind of a single document.
func soleRecord(record string) func(id string) string {
	return func(string) string { return record }
}

func categoryDay(c *catalog.Catalog, id string) catalog.Date {
	record, number := paging.Split(id)
	doc, _ := c.CategoryList(record) // ids are those of the kind
	return c.EntriesDay(paging.New(record, number, doc.Entries, paging.Size).Entries)
}

func tagDay(c *catalog.Catalog, id string) catalog.Date {
	record, number := paging.Split(id)
	doc, _ := c.TagList(record)
	return c.EntriesDay(paging.New(record, number, doc.Entries, paging.Size).Entries)
}

func entryDay(c *catalog.Catalog, id string) catalog.Date {
	e, _ := c.Entry(id)
	return c.EntryDay(e)
}

func articleDay(c *catalog.Catalog, id string) catalog.Date {
	a, _ := c.Article(id)
	return c.ArticleDay(a)
}

func datasetDay(c *catalog.Catalog, id string) catalog.Date {
	d, _ := c.Dataset(id)
	return c.DatasetDay(d)
}

func changesDay(c *catalog.Catalog, id string) catalog.Date {
	day, _ := paging.Split(id)
	return c.ChangesDay(catalog.Date(day))
}
