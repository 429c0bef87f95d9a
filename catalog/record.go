package catalog

import (
	"slices"
	"strings"
)

// The kinds of records that answer questions, as their ids begin in the change feed; those of library entries begin
// with none.
const (
	kindLibrary  = "library"
	kindProtocol = "protocol"
	kindArticle  = "article"
	kindDataset  = "dataset"
)

// The support documents as the history names them.
const (
	supportRecord = "support:support-document"
	trustRecord   = "support:trust-checklist"
)

// A record is a published record as lists, pages and feeds name it.
type record struct {
	Change         // as the change feed has it; records about protocols are not in that
	summary string // "" if it has none
	source  string // address of the source, of a library entry
	tags    []string
}

// record returns the record with an id, as the history has it; ok is false if it is not published.
func (c *Catalog) record(id string) (r record, ok bool) {
	kind, slug := HistoryRecord(id)
	page, document := recordPaths(id)
	r.Change = Change{ID: id, Kind: kind, URL: c.Site().URL(page)}
	switch kind {
	case kindLibrary:
		if e, ok := c.byID[slug]; ok {
			r.Title, r.URL, r.Category, r.DatePublished, r.VerifiedAt = e.Title, e.URL, e.Category, e.DatePublished, e.VerifiedAt
			r.summary, r.source, r.tags = e.Summary, e.URL, e.Tags
		}
	case kindArticle:
		if a, ok := c.Article(slug); ok {
			r.Title, r.MDURL, r.DatePublished, r.VerifiedAt = a.Title, c.Site().URL(MarkdownPath(page)), a.DatePublished, a.VerifiedAt
			r.summary, r.tags = a.Summary, a.Tags
		}
	case kindDataset:
		if d, ok := c.Dataset(slug); ok {
			r.Title, r.MDURL, r.DatePublished, r.VerifiedAt = d.Title, c.Site().URL(DatasetReadmePath(slug)), d.DatePublished, d.VerifiedAt
			r.summary, r.Note = d.Summary, d.Note
		}
	case "bot":
		if b, ok := find(c.records.Bots, func(b *Bot) bool { return b.ID == slug }); ok {
			r.Title, r.DatePublished, r.VerifiedAt, r.Note = b.Title, b.DatePublished, b.VerifiedAt, b.Note
		}
	case "support":
		if t := c.records.Trust; id == trustRecord {
			r.Title, r.MDURL, r.DatePublished, r.VerifiedAt, r.Note = t.Title, c.Site().URL(MarkdownPath(page)), t.DatePublished, t.VerifiedAt, t.Note
		} else if s := c.records.Support; c.TakesTips() {
			r.Title, r.URL, r.VerifiedAt, r.Note = "Support document", c.Site().URL(document), s.Updated, s.Note
		}
	case kindProtocol:
		if slices.Contains(c.ProtocolPageIDs(), slug) {
			r.Title = c.ProtocolName(slug)
		}
	case "profile":
		if p, ok := c.Profile(slug); ok {
			r.Title = p.Name + ", profile"
		}
	case "flow":
		if f, ok := c.Flow(slug); ok {
			r.Title = f.Title + ", flow"
		}
	}
	return r, r.Title != ""
}

// feedIDs returns the ids of the records of the change feed in the order in which it lists them: by kind and id, then the
// entries newest first (docs/contract.md, "Ordering").
func (c *Catalog) feedIDs() []string {
	ids := slices.Concat([]string{supportRecord, trustRecord},
		Convert(c.records.Articles, func(a *Article) string { return "article:" + a.ID }),
		Convert(c.records.Bots, func(b *Bot) string { return "bot:" + b.ID }),
		Convert(c.records.Datasets, func(d *Dataset) string { return "dataset:" + d.ID }))
	slices.Sort(ids)
	newestFirst := slices.SortedFunc(slices.Values(c.records.Entries), compareEntries)
	return append(ids, Convert(newestFirst, func(e *Entry) string { return e.ID })...)
}

// AnsweringRecords returns the records that can answer questions, each with its id, kind, title and page, in their
// published order.
func (c *Catalog) AnsweringRecords() []Change {
	ids := slices.Concat(Convert(c.records.Entries, func(e *Entry) string { return e.ID }),
		Convert(c.ProtocolPageIDs(), func(id string) string { return "protocol:" + id }),
		Convert(c.records.Articles, func(a *Article) string { return "article:" + a.ID }),
		Convert(c.records.Datasets, func(d *Dataset) string { return "dataset:" + d.ID }))
	return Convert(ids, func(id string) Change {
		r, _ := c.record(id)
		page, _ := recordPaths(id)
		return Change{ID: id, Kind: r.Kind, Title: r.Title, URL: c.Site().URL(page)}
	})
}

// RecordMarkdownPath returns the path of the Markdown that shows a record of the history; for one that is not published,
// that of the history.
func (c *Catalog) RecordMarkdownPath(id string) string {
	kind, slug := HistoryRecord(id)
	page, _ := recordPaths(id)
	if _, ok := c.record(id); !ok {
		page = HistoryPath
	} else if kind == kindDataset {
		return DatasetReadmePath(slug)
	}
	return MarkdownPath(page)
}

// EvidenceJSONPath returns the path of the document with the evidence for a record, which is given as its addresses have it;
// for a library entry that is not published, that of the history.
func (c *Catalog) EvidenceJSONPath(pathID string) string {
	if strings.Contains(pathID, ".") {
		return EvidenceJSONPath(pathID)
	} else if _, ok := c.Entry(pathID); !ok {
		return HistoryJSONPath
	}
	return EntryJSONPath(pathID)
}

// recordPaths returns the paths of the page and of the document of a record.
func recordPaths(record string) (page, document string) {
	switch kind, id := HistoryRecord(record); kind {
	case kindLibrary:
		return EntryPath(id), EntryJSONPath(id)
	case kindArticle:
		return ArticlePath(id), ArticleJSONPath(id)
	case kindDataset:
		return DatasetPath(id), DatasetCardPath(id)
	case "bot":
		return BotPath, BotJSONPath
	case "support":
		if record == trustRecord {
			return TrustPath, TrustJSONPath
		}
		return SupportPath, SupportJSONPath
	default: // about a protocol
		return ProtocolPath(id), ProtocolJSONPath(id)
	}
}
