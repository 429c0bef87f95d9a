package httpmirror

import (
	"almanac/catalog"
	"almanac/httpmirror/html"
	"almanac/httpmirror/markdown"
	"almanac/httpmirror/metadata"
	"almanac/problem"
)

// historyKinds are the changes by day and by record, and the evidence for each record.
func historyKinds() []*kind {
	return []*kind{historyDayKind(), historyKind(), recordHistoryKind(), evidenceKind(), statementsKind()}
}

func historyKind() *kind {
	return &kind{
		name: "history", title: "History", summary: "The days of the history", tag: "facts",
		description: "The days on which records were added, edited or read again, newest first.",
		day:         sharedDay((*catalog.Catalog).HistoryDay),
		forms: singleForms("history", "history-index",
			paths{catalog.HistoryJSONPath, catalog.HistoryMarkdownPath, catalog.HistoryPath},
			(*catalog.Catalog).HistoryIndex, (*markdown.Renderer).History, (*html.Pages).History),
		also:       allChanges,
		navigation: "News",
		resource:   "library://history",
		llms: func(*renderer, string) metadata.LLMLine {
			return metadata.LLMLine{Section: "Interfaces", Label: "History", Text: "what changed, member by member; " +
				catalog.HistoryDayMarkdownPath("YYYY-MM-DD") + " has one day"}
		},
	}
}

func historyDayKind() *kind {
	return &kind{
		name: "historyDay", title: "History of a day", summary: "What changed on a day", tag: "facts",
		description: "What changed on a UTC day, member by member, with old and new values.",
		ids: func(c *catalog.Catalog) []string {
			var ids []string
			for _, d := range c.HistoryDays() {
				ids = append(ids, string(d))
			}
			return ids
		},
		open:   true,
		format: "date",
		day:    func(_ *catalog.Catalog, id string) catalog.Date { return catalog.Date(id) },
		unlisted: func(id string) error {
			if _, err := catalog.ParseDate(id); err != nil {
				return problem.Errorf(problem.NotFound, "The history has no such day: %v.", err)
			}
			return nil
		},
		forms: documentForms("historyDay", "history-day",
			paths{catalog.HistoryDayJSONPath("{date}"), catalog.HistoryDayMarkdownPath("{date}"),
				catalog.HistoryDayPath("{date}")},
			func(c *catalog.Catalog, id string) *catalog.HistoryDayList { return c.History(catalog.Date(id)) },
			(*markdown.Renderer).HistoryDay, (*html.Pages).HistoryDay),
		resource: "library://history/{date}",
		latest:   func(c *catalog.Catalog) string { return string(c.HistoryDay()) },
	}
}

func recordHistoryKind() *kind {
	return &kind{
		name: "recordHistory", title: "History of a record", summary: "What changed in a record", tag: "facts",
		description: "What changed in one record and when, member by member, with old and new values.",
		ids:         (*catalog.Catalog).HistoryRecordIDs,
		has:         func(r *renderer, id string) bool { return r.cat.HasHistory(id) },
		open:        true,
		day: func(c *catalog.Catalog, id string) catalog.Date {
			doc, _ := c.RecordHistory(id) // ids are those of the kind
			return doc.Events[0].Date
		},
		forms: documentForms("recordHistory", "history-record",
			paths{catalog.RecordHistoryJSONPath("{record}"), catalog.RecordHistoryMarkdownPath("{record}"),
				catalog.RecordHistoryPath("{record}")},
			func(c *catalog.Catalog, id string) *catalog.RecordHistory {
				doc, _ := c.RecordHistory(id)
				return doc
			}, (*markdown.Renderer).RecordHistory, (*html.Pages).RecordHistory),
	}
}

// evidenceKind is the evidence for a record. Its ids are those of the history's addresses, with a dot for the colon.
func evidenceKind() *kind {
	return &kind{
		name: "evidence", title: "Evidence", summary: "The evidence for a record", tag: "facts",
		description: "What was read for the statements of one record: permanent addresses, copies, quotes, and readings that contradict them.",
		ids:         (*catalog.Catalog).EvidenceIDs,
		has: func(r *renderer, id string) bool {
			_, ok := r.cat.Evidence(id)
			return ok
		},
		open: true,
		day: func(c *catalog.Catalog, id string) catalog.Date {
			e, _ := c.Evidence(id) // ids are those of the kind
			return e.ReadAt()
		},
		record: catalog.HistoryPathRecord,
		forms: documentForms("evidence", "evidence",
			paths{catalog.EvidenceJSONPath("{record}"), catalog.EvidenceMarkdownPath("{record}"),
				catalog.EvidencePath("{record}")},
			func(c *catalog.Catalog, id string) *catalog.EvidenceDocument {
				doc, _ := c.EvidenceDocument(id)
				return doc
			}, (*markdown.Renderer).Evidence, (*html.Pages).Evidence),
		resource: "library://evidence/{record}",
	}
}

// statementsKind is the statements about a library entry, which stand on the entry's page too.
func statementsKind() *kind {
	return &kind{
		name: "statements", title: "Statements", summary: "The statements about an entry", tag: "library",
		description: "Statements about the source of one entry, beyond its summary: dates, prices, names, limits and examples, each with a quote.",
		ids:         (*catalog.Catalog).StatementIDs,
		has: func(r *renderer, id string) bool {
			_, ok := r.cat.StatementDocument(id)
			return ok
		},
		open: true,
		day:  (*catalog.Catalog).StatementsDay,
		forms: []form{jsonForm("statements", catalog.StatementsJSONPath("{id}"), "statements",
			func(r *renderer, id string) (any, error) {
				doc, _ := r.cat.StatementDocument(id) // ids are those of the kind
				return doc, nil
			})},
	}
}
