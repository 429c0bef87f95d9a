package httpmirror

import (
	"slices"

	"almanac/catalog"
	"almanac/httpmirror/file"
	"almanac/httpmirror/metadata"
	"almanac/httpmirror/paging"
)

// The declared kinds, in the order of the navigation and of the OpenAPI document. The data files of the datasets stand
// between the two.
var (
	contentKinds = slices.Concat(libraryKinds(), findKinds(), protocolKinds(), changeKinds(), historyKinds(),
		feedKinds(), textKinds())
	siteKinds = slices.Concat(serviceKinds(), supportKinds(), discoveryKinds())
)

// kinds returns the kinds of documents that an installation publishes.
func kinds(c *catalog.Catalog, o Options) []*kind {
	list := slices.DeleteFunc(slices.Concat(contentKinds, dataFileKinds(c), siteKinds),
		func(k *kind) bool { return k.only != nil && !k.only(c, o) })
	if parts := metadata.SitemapParts(countPages(c, list)); parts > 1 {
		list = append(list, sitemapPartKind(parts))
	}
	return list
}

// countPages returns the number of pages of some kinds.
func countPages(c *catalog.Catalog, kinds []*kind) int {
	n := 0
	for _, k := range kinds {
		if _, ok := k.form(file.HTML); ok {
			n += len(k.list(c))
		}
	}
	return n
}

// The newest day of the content of the documents of a kind, which pages state in their footer. Documents state it as
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
