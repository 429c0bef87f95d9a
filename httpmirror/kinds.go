package httpmirror

import (
	"slices"

	"almanac/catalog"
	"almanac/httpmirror/file"
	"almanac/httpmirror/metadata"
)

// The declared kinds, in the order of the navigation and of the OpenAPI document. The data files of the datasets stand
// between the two.
var (
	contentKinds = slices.Concat(libraryKinds, findKinds, protocolKinds, changeKinds, historyKinds,
		feedKinds, textKinds)
	siteKinds = slices.Concat(serviceKinds, supportKinds, discoveryKinds)
)

// kinds returns the kinds of documents that an installation publishes.
func kinds(c *catalog.Catalog, o Options) []*kind {
	list := slices.DeleteFunc(slices.Concat(contentKinds, dataFileKinds(c), siteKinds),
		func(k *kind) bool { return !k.isPublished(c, o) })
	list = append(list, pictureKind(list))
	if parts := metadata.SitemapParts(countPages(c, list)); parts > 1 {
		list = append(list, sitemapPartKind(parts))
	}
	return list
}

// isPublished reports whether an installation has documents of the kind, or may have some of another id.
func (k *kind) isPublished(c *catalog.Catalog, o Options) bool {
	return (k.only == nil || k.only(c, o)) && (k.ids == nil || k.unlisted != nil || len(k.ids(c)) > 0)
}

// having returns the only function of a kind that needs records of a type.
func having[T any](records func(*catalog.Catalog) []T) func(*catalog.Catalog, Options) bool {
	return func(c *catalog.Catalog, _ Options) bool { return len(records(c)) > 0 }
}

// withLinkChecker is the only function of the kinds about the link checker.
func withLinkChecker(c *catalog.Catalog, _ Options) bool { return c.LinkChecker() != nil }

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

// idsOf returns the ids function of a kind with a document for each of some records.
func idsOf[T any](records func(*catalog.Catalog) []T, id func(T) string) func(*catalog.Catalog) []string {
	return func(c *catalog.Catalog) (ids []string) {
		for _, r := range records(c) {
			ids = append(ids, id(r))
		}
		return ids
	}
}

// found returns the function that finds a record, for ids of the kind, which all have one.
func found[T any](find func(*catalog.Catalog, string) (T, bool)) func(*catalog.Catalog, string) T {
	return func(c *catalog.Catalog, id string) T {
		record, _ := find(c, id)
		return record
	}
}

// hasRecord returns the has function of a kind with a document for each record that find finds.
func hasRecord[T any](find func(*catalog.Catalog, string) (T, bool)) func(*catalog.Catalog, string) bool {
	return func(c *catalog.Catalog, id string) bool {
		_, ok := find(c, id)
		return ok
	}
}

// recordDay returns the day function of a kind with a document for each record that find finds.
func recordDay[T any](find func(*catalog.Catalog, string) (T, bool), day func(*catalog.Catalog, T) catalog.Date,
) func(*catalog.Catalog, string) catalog.Date {
	return func(c *catalog.Catalog, id string) catalog.Date { return day(c, found(find)(c, id)) }
}

// llmsLine returns the llms function of a kind whose documents share a line.
func llmsLine(section, label, text string) func(*renderer, string) metadata.LLMLine {
	return func(*renderer, string) metadata.LLMLine {
		return metadata.LLMLine{Section: section, Label: label, Text: text}
	}
}
