package catalog

import (
	"cmp"
	"time"
)

// The documents carry the newest day on which something that they show was read, checked or changed, and not the moment
// of their rendering. So their bytes change only when their content does: two processes, a restart and a reload of the
// same data publish the same files, and one edited record changes only the files that show it.

// An Envelope is the members that JSON data documents have in common (docs/contract.md, "Documents").
type Envelope struct {
	SchemaVersion string `json:"schema_version"`
	GeneratedAt   string `json:"generated_at"`
}

func (c *Catalog) envelope(d Date) Envelope { return Envelope{SchemaVersion, c.Timestamp(d)} }

// A Head is an envelope with the address of the schema of the document.
type Head struct {
	Envelope
	Schema string `json:"$schema"`
}

func (c *Catalog) head(schema string, d Date) Head {
	return Head{c.envelope(d), c.Site().URL(SchemaPath(schema))}
}

// GeneratedAt returns the timestamp of documents about the whole catalogue, RFC 3339 in UTC.
func (c *Catalog) GeneratedAt() string { return c.Modified().Format(time.RFC3339) }

// Modified returns the moment of the newest change to the catalogue: Options.GeneratedAt, if it is set, and otherwise
// the beginning of the newest day of its records.
func (c *Catalog) Modified() time.Time { return c.moment(c.newest) }

// ModifiedByDay reports whether Modified is known to the day only: two versions of a file may have the same day.
func (c *Catalog) ModifiedByDay() bool { return c.options.GeneratedAt.IsZero() }

// Timestamp returns generated_at of a document whose newest day is d.
func (c *Catalog) Timestamp(d Date) string { return c.moment(d).Format(time.RFC3339) }

func (c *Catalog) moment(d Date) time.Time {
	if !c.ModifiedByDay() {
		return c.options.GeneratedAt.UTC()
	}
	return cmp.Or(d, c.newest).Time()
}

// EntryDay returns the newest day of an entry.
func (c *Catalog) EntryDay(e *Entry) Date {
	return max(e.VerifiedAt, e.LastChecked, c.history.revised(e.ID))
}

// EntriesDay returns the newest day of some entries.
func (c *Catalog) EntriesDay(entries []*Entry) Date {
	return newestOf(entries, c.EntryDay)
}

// ProtocolDay returns the newest day of a protocol.
func (c *Catalog) ProtocolDay(p *Protocol) Date {
	return max(p.VerifiedAt(), c.history.revised("protocol:"+p.ID))
}

// ProfilesDay returns the newest day of the profiles.
func (c *Catalog) ProfilesDay() Date {
	return newestOf(c.records.Profiles, func(p *Profile) Date { return max(p.VerifiedAt(), c.history.revised("profile:"+p.ID)) })
}

// FlowsDay returns the newest day of the flows.
func (c *Catalog) FlowsDay() Date { return newestOf(c.records.Flows, c.FlowDay) }

// FlowDay returns the newest day of a flow.
func (c *Catalog) FlowDay(f *Flow) Date { return max(f.VerifiedAt(), c.history.revised("flow:"+f.ID)) }

// ProtocolPageDay returns the newest day of a protocol: facts, profile and flow.
func (c *Catalog) ProtocolPageDay(id string) (newest Date) {
	if p, ok := c.Protocol(id); ok {
		newest = c.ProtocolDay(p)
	}
	if p, ok := c.Profile(id); ok {
		newest = max(newest, p.VerifiedAt(), c.history.revised("profile:"+id))
	}
	if f, ok := c.Flow(id); ok {
		newest = max(newest, c.FlowDay(f))
	}
	return max(newest, newestOf(c.Payers(id), func(p Payer) Date { return p.Day }))
}

// ProtocolsDay returns the newest day of the protocol facts.
func (c *Catalog) ProtocolsDay() Date { return newestOf(c.records.Protocols, c.ProtocolDay) }

// ArticleDay returns the newest day of an article.
func (c *Catalog) ArticleDay(a *Article) Date {
	return max(a.VerifiedAt, c.history.revised("article:"+a.ID))
}

// ArticlesDay returns the newest day of the articles.
func (c *Catalog) ArticlesDay() Date { return newestOf(c.records.Articles, c.ArticleDay) }

// DatasetDay returns the newest day of a dataset: of its card, and of the records that its rows are derived from.
func (c *Catalog) DatasetDay(d *Dataset) Date {
	revised := max(d.VerifiedAt, c.history.revised("dataset:"+d.ID))
	switch d.ID {
	case "library":
		return max(revised, c.EntriesDay(c.records.Entries))
	case "protocol-choices":
		return max(revised, c.ProfilesDay())
	case "payment-http", "payment-networks":
		return max(revised, c.ProtocolsDay())
	}
	return revised
}

// DatasetsDay returns the newest day of the datasets.
func (c *Catalog) DatasetsDay() Date { return newestOf(c.records.Datasets, c.DatasetDay) }

// ChangesDay returns the newest day of the change feed of a day: the day itself, or that of a later change to its
// records.
func (c *Catalog) ChangesDay(day Date) Date {
	day = min(day, c.newest)
	return max(day, c.changed[day])
}

// FeedDay returns the newest day of the change feed.
func (c *Catalog) FeedDay() Date { return cmp.Or(c.days...) }

// TrustDay returns the newest day of the trust checklist.
func (c *Catalog) TrustDay() Date {
	return max(c.records.Trust.VerifiedAt, c.history.revised(trustRecord))
}

// SupportDay returns the newest day of the support document.
func (c *Catalog) SupportDay() Date {
	return max(c.records.Support.Updated, c.history.revised("support:support-document"))
}

// LinksDay returns the day of the link checker's last round, or before the first that of the checker's description.
func (c *Catalog) LinksDay() Date {
	if c.records.Links != nil && len(c.records.Links.CheckedAt) >= len("2006-01-02") {
		return Date(c.records.Links.CheckedAt[:len("2006-01-02")])
	}
	return newestOf(c.records.Bots, func(b *Bot) Date { return b.VerifiedAt })
}

// BotDay returns the newest day of the link checker's description and observations.
func (c *Catalog) BotDay() Date {
	b := c.LinkChecker()
	if b == nil {
		return ""
	}
	return max(b.VerifiedAt, c.LinksDay(), c.history.revised("bot:"+b.ID))
}

// CountsDay returns the day of documents that only count records and link to them: the newest on which the history has
// one added, or without a history the newest day of all.
func (c *Catalog) CountsDay() Date { return c.history.added }

// HistoryDay returns the newest day of the history, or "".
func (c *Catalog) HistoryDay() Date { return cmp.Or(c.history.days...) }

func newestOf[T any](list []T, day func(T) Date) (newest Date) {
	for _, v := range list {
		newest = max(newest, day(v))
	}
	return newest
}

// setNewest finds the newest day of all records.
func (c *Catalog) setNewest() {
	c.newest = max(c.EntriesDay(c.records.Entries), c.ProtocolsDay(), c.ProfilesDay(), c.FlowsDay(), c.ArticlesDay(), c.DatasetsDay(),
		c.TrustDay(), c.SupportDay(), c.LinksDay(), c.FeedDay(), c.HistoryDay(), c.NewsDay())
}

// FreshnessDay returns the newest day of the records that have been read, and of the trust checklist.
func (c *Catalog) FreshnessDay() Date {
	return max(c.TrustDay(), c.EntriesDay(c.records.Entries), c.ProtocolsDay(), c.ProfilesDay(), c.FlowsDay(), c.ArticlesDay())
}
