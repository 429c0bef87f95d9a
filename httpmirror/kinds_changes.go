package httpmirror

import (
	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/file"
	"go.almanac.example/httpmirror/html"
	"go.almanac.example/httpmirror/markdown"
	"go.almanac.example/httpmirror/metadata"
	"go.almanac.example/internal/problem"
)

// changeKinds are the change feed, of which the history has the pages, and the calendar.
var changeKinds = []*kind{
	{
		name: "changes", title: "Changes of a day",
		description: "The records checked on a UTC day.",
		ids:         idsOf((*catalog.Catalog).ChangeDays, func(d catalog.Date) string { return string(d) }),
		// A day on which nothing was verified is a document too: a program may ask for any day.
		unlisted: anyDay("change feed"),
		day:      func(c *catalog.Catalog, id string) catalog.Date { return c.ChangesDay(catalog.Date(id)) },
		forms: []form{
			documentForm(catalog.ChangesJSONPath("{date}"), "change-list",
				func(c *catalog.Catalog, id string) *catalog.ChangeList { return c.Changes(catalog.Date(id)) }),
			markdownForm(catalog.ChangesMarkdownPath("{date}"), func(r *renderer, id string) []byte {
				return r.markdown.Document("changes", r.changes(id))
			}),
		},
		resource: "library://changes/{date}",
		latest:   func(c *catalog.Catalog) string { return string(c.FeedDay()) },
	},
	{
		name: "changeDays", title: "Days with changes",
		description: "The days of checks, newest first, with counts and addresses.",
		day:         sharedDay((*catalog.Catalog).FeedDay),
		forms: []form{
			documentForm(catalog.ChangesIndexJSONPath, "change-index",
				func(c *catalog.Catalog, _ string) *catalog.ChangeIndex { return c.ChangeIndex() }),
			markdownForm(catalog.ChangesIndexMarkdownPath, func(r *renderer, _ string) []byte {
				return r.markdown.Document("changeDays", r.cat.ChangeIndex())
			}),
		},
		resource: "library://changes",
		llms: llmsLine("Interfaces", "Changes",
			"the days with changes; "+
				catalog.ChangesMarkdownPath("YYYY-MM-DD")+" has what was verified on a day"),
	},
	// The calendar, which only sites have whose statements tell of a day.
	{
		name: "calendar", title: "Calendar",
		description: "The days on which drafts expire, laws apply, consultations close and support ends, each with its source.",
		only:        func(c *catalog.Catalog, _ Options) bool { return c.HasCalendar() },
		day:         sharedDay((*catalog.Catalog).CalendarDay),
		forms: append(singleForms("calendar", "calendar",
			paths{json: catalog.CalendarJSONPath, page: catalog.CalendarPath},
			(*catalog.Catalog).Calendar, (*html.Pages).Calendar),
			rawForm(catalog.CalendarICSPath, file.Calendar, func(r *renderer, _ string) ([]byte, error) {
				return r.metadata.ICalendar(r.cat.Calendar()), nil
			}).labelled("iCalendar", file.Calendar)),
		resource: "library://calendar",
		llms: llmsLine("Facts", "Calendar",
			"days on which drafts expire, laws apply and support ends; "+catalog.CalendarICSPath+" to subscribe"),
	},
}

// anyDay returns the unlisted function of a kind that has a document for every day.
func anyDay(list string) func(id string) error {
	return func(id string) error {
		if _, err := catalog.ParseDate(id); err != nil {
			return problem.Errorf(problem.NotFound, "The %s has no such day: %v.", list, err)
		}
		return nil
	}
}

// changes returns the change feed of a day: its head, its entries, and its changes that are not entries.
func (r *renderer) changes(id string) markdown.Day {
	d := markdown.Day{ChangeList: r.cat.Changes(catalog.Date(id))}
	for _, ch := range d.ChangeList.Entries {
		if e, ok := r.cat.Entry(ch.ID); ok && ch.Kind == "library" {
			d.Entries = append(d.Entries, e)
		} else {
			d.Others = append(d.Others, ch)
		}
	}
	return d
}

// newsKinds are the news and their feeds.
var newsKinds = []*kind{
	{
		name: "news", title: "News",
		description: "What happened, as the curators tell it, newest first, each with its source and why it matters.",
		only:        having((*catalog.Catalog).News),
		day:         sharedDay((*catalog.Catalog).NewsDay),
		forms: singleForms("news", "news", paths{json: catalog.NewsJSONPath, page: catalog.NewsPath},
			(*catalog.Catalog).NewsDocument, (*html.Pages).News),
		also: func(c *catalog.Catalog, _ string) []file.Alternate {
			return feeds("news", catalog.NewsAtomPath, catalog.NewsJSONFeedPath)(c, catalog.AllNews)
		},
		navigation: "News",
		resource:   "library://news",
		llms:       llmsLine("Facts", "News", "releases, laws and changes of substance, each with its source"),
	},
	{
		name: "newsFeed", title: "News",
		ids:   (*catalog.Catalog).NewsFeedIDs,
		forms: feedForms(catalog.NewsAtomPath("{feed}"), catalog.NewsJSONFeedPath("{feed}"), (*metadata.Renderer).NewsFeed),
	},
}

// historyKinds are the changes by day and by record, and the evidence for each record.
var historyKinds = []*kind{
	{
		name: "historyDay", title: "History of a day",
		description: "What changed on a UTC day, member by member, with old and new values.",
		ids:         idsOf((*catalog.Catalog).HistoryDays, func(d catalog.Date) string { return string(d) }),
		day:         func(_ *catalog.Catalog, id string) catalog.Date { return catalog.Date(id) },
		unlisted:    anyDay("history"),
		forms: documentForms("historyDay", "history-day",
			paths{json: catalog.HistoryDayJSONPath("{date}"), page: catalog.HistoryDayPath("{date}")},
			func(c *catalog.Catalog, id string) *catalog.HistoryDayList { return c.History(catalog.Date(id)) },
			(*html.Pages).HistoryDay),
		resource: "library://history/{date}",
		latest:   func(c *catalog.Catalog) string { return string(c.HistoryDay()) },
	},
	{
		name: "history", title: "History",
		description: "The days on which records were added, edited or read again, newest first.",
		day:         sharedDay((*catalog.Catalog).HistoryDay),
		forms: singleForms("history", "history-index",
			paths{json: catalog.HistoryJSONPath, page: catalog.HistoryPath},
			(*catalog.Catalog).HistoryIndex, (*html.Pages).History),
		also:     allChanges,
		resource: "library://history",
		llms: llmsLine("Interfaces", "History",
			"what changed, member by member; "+
				catalog.MarkdownPath(catalog.HistoryDayPath("YYYY-MM-DD"))+" has one day"),
	},
	// The ids are those of the history's addresses, with a dot for the colon.
	{
		name: "evidencePage", title: "Evidence and history",
		ids:  (*catalog.Catalog).EvidencePageIDs,
		has:  hasRecord((*catalog.Catalog).EvidenceDay),
		day:  found((*catalog.Catalog).EvidenceDay),
		also: evidenceForms,
		forms: []form{pageForm(catalog.EvidencePath("{record}"),
			func(r *renderer, id string) html.Page { return r.html.Evidence(id) })},
	},
	{
		name: "evidence", title: "Evidence and history",
		description: "The evidence for one record, unless it is a library entry, which has its own: permanent addresses, copies, quotes, and sources that disagree; and what changed in it.",
		ids:         (*catalog.Catalog).EvidenceDocumentIDs,
		forms:       []form{documentForm(catalog.EvidenceJSONPath("{record}"), "evidence", (*catalog.Catalog).EvidenceDocument)},
		resource:    "library://evidence/{record}",
	},
}

// feedKinds are the feeds of the history.
var feedKinds = []*kind{
	newestFeedKind("feed", catalog.AtomPath, catalog.JSONFeedPath, "all", nil),
	newestFeedKind("protocolFeed",
		catalog.ProtocolAtomPath("{protocol}"), catalog.ProtocolJSONFeedPath("{protocol}"), "protocol-",
		(*catalog.Catalog).ProtocolPageIDs),
	newestFeedKind("tagFeed",
		catalog.TagAtomPath("{tag}"), catalog.TagJSONFeedPath("{tag}"), "tag-", tagIDs),
}

// newestFeedKind declares feeds with their newest events. The id of a feed is a prefix and the id of the document.
func newestFeedKind(name, atom, json, prefix string, ids func(*catalog.Catalog) []string) *kind {
	return &kind{
		name: name, title: "Newest changes", ids: ids,
		forms: feedForms(atom, json, func(r *metadata.Renderer, id string) metadata.Feed { return r.ChangeFeed(prefix + id) }),
	}
}

// feedForms declares both forms of a feed, whose document with an id feed returns.
func feedForms(atom, json string, feed func(*metadata.Renderer, string) metadata.Feed) []form {
	return []form{
		rawForm(atom, file.Atom, func(r *renderer, id string) ([]byte, error) { return r.metadata.Atom(feed(r.metadata, id)), nil }).
			labelled("Atom feed", file.Atom),
		jsonForm(json, "json-feed", func(r *renderer, id string) any { return r.metadata.JSONFeed(feed(r.metadata, id)) }).
			labelled("JSON Feed", file.JSONFeed),
	}
}

// feeds returns the feeds of a page as its alternates. what names their contents.
func feeds(what string, atom, json func(id string) string) func(*catalog.Catalog, string) []file.Alternate {
	return func(_ *catalog.Catalog, id string) []file.Alternate {
		return []file.Alternate{{Label: what + " as Atom", Type: file.BareType(file.Atom), Path: atom(id)},
			{Label: "JSON Feed", Type: file.JSONFeed, Path: json(id)}}
	}
}

// evidenceForms are the documents that have the evidence for a record.
func evidenceForms(c *catalog.Catalog, id string) []file.Alternate {
	return []file.Alternate{{Label: "JSON", Type: file.JSON, Path: c.EvidenceJSONPath(id)}, {Label: "Markdown of the record", Type: file.BareType(file.Markdown),
		Path: c.RecordMarkdownPath(catalog.HistoryPathRecord(id))}}
}

// allChanges returns the feed of the whole history as alternates of a page.
var allChanges = feeds("edits", func(string) string { return catalog.AtomPath },
	func(string) string { return catalog.JSONFeedPath })
