package httpmirror

import (
	"almanac/catalog"
	"almanac/httpmirror/html"
)

// historyKinds are the changes by day and by record, and the evidence for each record.
var historyKinds = []*kind{
	{
		name: "historyDay", title: "History of a day", summary: "What changed on a day", tag: "facts",
		description: "What changed on a UTC day, member by member, with old and new values.",
		ids:         idsOf((*catalog.Catalog).HistoryDays, func(d catalog.Date) string { return string(d) }),
		open:        true,
		format:      "date",
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
		name: "history", title: "History", summary: "The days of the history", tag: "facts",
		description: "The days on which records were added, edited or read again, newest first.",
		day:         sharedDay((*catalog.Catalog).HistoryDay),
		forms: singleForms("history", "history-index",
			paths{json: catalog.HistoryJSONPath, page: catalog.HistoryPath},
			(*catalog.Catalog).HistoryIndex, (*html.Pages).History),
		also:       allChanges,
		navigation: "News",
		resource:   "library://history",
		llms: llmsLine("Interfaces", "History",
			"what changed, member by member; "+
				catalog.MarkdownPath(catalog.HistoryDayPath("YYYY-MM-DD"))+" has one day"),
	},
	{
		name: "recordHistory", title: "History of a record", summary: "What changed in a record", tag: "facts",
		description: "What changed in one record and when, member by member, with old and new values.",
		ids:         (*catalog.Catalog).HistoryRecordIDs,
		has:         (*catalog.Catalog).HasHistory,
		open:        true,
		day: recordDay((*catalog.Catalog).RecordHistory,
			func(_ *catalog.Catalog, h *catalog.RecordHistory) catalog.Date { return h.Events[0].Date }),
		forms: documentForms("recordHistory", "history-record",
			paths{json: catalog.RecordHistoryJSONPath("{record}"), page: catalog.RecordHistoryPath("{record}")},
			found((*catalog.Catalog).RecordHistory), (*html.Pages).RecordHistory),
	},
	// The ids are those of the history's addresses, with a dot for the colon.
	{
		name: "evidence", title: "Evidence", summary: "The evidence for a record", tag: "facts",
		description: "The evidence for one record: permanent addresses, copies, quotes, and sources that disagree.",
		ids:         (*catalog.Catalog).EvidenceIDs,
		has:         hasRecord((*catalog.Catalog).Evidence),
		open:        true,
		day: recordDay((*catalog.Catalog).Evidence,
			func(_ *catalog.Catalog, e *catalog.EvidenceRecord) catalog.Date { return e.ReadAt() }),
		record: "{id}",
		forms: documentForms("evidence", "evidence",
			paths{json: catalog.EvidenceJSONPath("{record}"), page: catalog.EvidencePath("{record}")},
			found((*catalog.Catalog).EvidenceDocument), (*html.Pages).Evidence),
		resource: "library://evidence/{record}",
	},
	// The page of the entry has them too.
	{
		name: "statements", title: "Statements", summary: "The statements about an entry", tag: "library",
		description: "Statements about the source of one entry, beyond its summary: dates, prices, names, limits and examples, each with a quote.",
		ids:         (*catalog.Catalog).StatementIDs,
		has:         hasRecord((*catalog.Catalog).StatementDocument),
		open:        true,
		day:         (*catalog.Catalog).StatementsDay,
		forms: []form{documentForm("statements", catalog.StatementsJSONPath("{id}"), "statements",
			found((*catalog.Catalog).StatementDocument))},
	},
}
