package httpmirror

import (
	"strconv"
	"strings"

	"almanac/catalog"
	"almanac/httpmirror/file"
	"almanac/httpmirror/paging"
)

// feedKinds are the feeds of the history and their archives.
var feedKinds = []*kind{
	newestFeedKind("feed", "The newest changes", catalog.AtomPath, catalog.JSONFeedPath, "all", nil),
	newestFeedKind("protocolFeed", "The newest changes to the facts about a protocol",
		catalog.ProtocolAtomPath("{protocol}"), catalog.ProtocolJSONFeedPath("{protocol}"), "protocol-",
		feedIDs("protocol-")),
	newestFeedKind("tagFeed", "The newest changes to what carries a tag",
		catalog.TagAtomPath("{tag}"), catalog.TagJSONFeedPath("{tag}"), "tag-", feedIDs("tag-")),
	feedArchiveKind(),
}

// newestFeedKind declares feeds with their newest events. The id of a feed is a prefix and the id of the document.
func newestFeedKind(name, summary, atom, json, prefix string, ids func(*catalog.Catalog) []string) *kind {
	return &kind{
		name: name, title: "Newest changes", summary: summary, tag: "facts", ids: ids,
		forms: feedForms(name, summary, atom, json, func(id string) (string, int) { return prefix + id, 0 }),
	}
}

// feedIDs returns the ids of the feeds whose id has a prefix, without it.
func feedIDs(prefix string) func(*catalog.Catalog) []string {
	return func(c *catalog.Catalog) []string {
		var ids []string
		for _, f := range c.Feeds() {
			if id, ok := strings.CutPrefix(f.ID, prefix); ok {
				ids = append(ids, id)
			}
		}
		return ids
	}
}

// feedArchiveKind is the older events of the feeds that have more than one document holds.
func feedArchiveKind() *kind {
	const name, summary = "feedArchive", "An archive of a feed"
	return &kind{
		name: name, title: "Older changes", summary: summary, tag: "facts", ids: archiveIDs, open: true,
		forms: feedForms(name, summary, catalog.ArchiveAtomPath("{archive}"), catalog.ArchiveJSONPath("{archive}"),
			splitArchive),
	}
}

// archiveIDs returns the id of every archive.
func archiveIDs(c *catalog.Catalog) []string {
	var ids []string
	for _, f := range c.Feeds() {
		for n := range f.Archives() {
			ids = append(ids, f.ArchiveID(n+1))
		}
	}
	return ids
}

// splitArchive returns the feed and the number of an archive, whose id is one of the kind.
func splitArchive(id string) (feed string, number int) {
	at := strings.LastIndexByte(id, '-')
	number, _ = strconv.Atoi(id[at+1:])
	return id[:at], number
}

// feedForms declares both forms of a feed. part returns the feed and the number of the document with an id.
func feedForms(name, summary, atom, json string, part func(id string) (feed string, number int)) []form {
	document := func(r *renderer, id string) catalog.FeedPart {
		feed, number := part(id)
		f, _ := r.cat.Feed(feed) // ids are those of the kind
		return r.cat.FeedPart(f, number)
	}
	return []form{
		rawForm(operation("atom", name), atom, file.Atom,
			func(r *renderer, id string) ([]byte, error) { return r.metadata.Atom(document(r, id)), nil }).
			labelled("Atom feed", file.Atom, summary+" as Atom 1.0"),
		jsonForm(operation("json", name), json, "json-feed",
			func(r *renderer, id string) any { return r.metadata.JSONFeed(document(r, id)) }).
			labelled("JSON Feed", file.JSONFeed, summary+" as JSON Feed 1.1"),
	}
}

// operation returns the operation id of a form of a feed.
func operation(form, name string) string { return form + strings.ToUpper(name[:1]) + name[1:] }

// feeds returns the feeds of a page as its alternates.
func feeds(atom, json func(id string) string) func(id string) []file.Alternate {
	return func(id string) []file.Alternate {
		record, _ := paging.Split(id)
		return []file.Alternate{{Label: "Atom feed", Type: file.Atom, Path: atom(record)},
			{Label: "JSON Feed", Type: file.JSONFeed, Path: json(record)}}
	}
}

// allChanges returns the feed of the whole history as alternates of a page.
var allChanges = feeds(func(string) string { return catalog.AtomPath },
	func(string) string { return catalog.JSONFeedPath })
