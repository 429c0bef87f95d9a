package catalog

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
)

// New puts records in their published order and derives from them the contents of the documents. It takes the records
// over: texts get the addresses of the site in place of {base_url}, {api_url} and {mcp_url}, datasets get their rows
// and files. New does not check records; catalog/load does.
func New(r Records, o Options) *Catalog {
	if o.Terms == (Terms{}) {
		o.Terms = DefaultTerms
	}
	o.Terms.root = Root(o.Site.API)
	c := &Catalog{
		options: o, records: r, assets: assetsByKey(r.Assets), history: newHistory(r.History),
		evidence: index(r.Evidence,
			func(e *EvidenceRecord) (string, *EvidenceRecord) { return HistoryPathID(e.Record), e }),
		flows:      index(r.Flows, func(f *Flow) (string, *Flow) { return f.ID, f }),
		statements: index(r.Statements, func(s *StatementRecord) (string, []Statement) { return s.Record, s.Statements }),
		versions:   index(r.Versions, func(v *VersionRecord) (string, []ProtocolVersion) { return v.Protocol, v.Versions }),
		questions:  index(r.Questions, func(q *QuestionRecord) (string, *QuestionRecord) { return q.Record, q }),
	}
	slices.SortFunc(c.records.Bots, func(a, b *Bot) int { return cmp.Compare(a.ID, b.ID) })
	c.addEntries(r)
	c.sortProtocols()
	fields := make(map[string][]ProfileField)
	for _, id := range c.ProtocolPageIDs() {
		fields[id] = c.ProtocolFields(id)
	}
	c.fields = fields
	c.addTexts()
	c.addChanges()
	c.setNewest()
	c.addFeeds()
	c.readingCounts = sync.OnceValue(c.countReadings)
	c.payWays = sync.OnceValue(c.readPayWays)
	return c
}

// addEntries sorts the entries and lists them by category and by tag.
func (c *Catalog) addEntries(r Records) {
	c.byCategory, c.byTag = make(map[string][]*Entry), make(map[string][]*Entry)
	for _, k := range r.Categories {
		c.byCategory[k.ID] = []*Entry{} // the document of an empty one has [], not null
	}
	for _, e := range slices.SortedFunc(slices.Values(r.Entries), compareEntries) {
		c.byCategory[e.Category] = append(c.byCategory[e.Category], e)
	}
	c.records.Entries = make([]*Entry, 0, len(r.Entries))
	for _, k := range r.Categories {
		list := c.byCategory[k.ID]
		c.records.Entries = append(c.records.Entries, list...)
		c.categories = append(c.categories, Category{k, c.listing(len(list), CategoryPath(k.ID), CategoryJSONPath(k.ID))})
	}
	c.byID = index(c.records.Entries, func(e *Entry) (string, *Entry) { return e.ID, e })
	for _, e := range c.records.Entries {
		for _, t := range e.Tags {
			c.byTag[t] = append(c.byTag[t], e)
		}
	}
	for _, t := range r.Tags {
		if n := len(c.byTag[t.ID]); n > 0 {
			c.tags = append(c.tags, Tag{t, c.listing(n, TagPath(t.ID), TagJSONPath(t.ID))})
		}
	}
}

// sortProtocols puts protocols and profiles in their order: those that site.json names first, then the others by id.
func (c *Catalog) sortProtocols() {
	place := func(id string) uint { return uint(slices.Index(c.records.Identity.Protocols, id)) } // the last for others
	compare := func(a, b string) int { return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a, b)) }
	slices.SortFunc(c.records.Protocols, func(a, b *Protocol) int { return compare(a.ID, b.ID) })
	slices.SortFunc(c.records.Profiles, func(a, b *Profile) int { return compare(a.ID, b.ID) })
}

// linkCheckNote returns a sentence for texts about links, which begins with a space; "" once a round of the link
// checker has ended.
func (c *Catalog) linkCheckNote() string {
	if c.LinksChecked() {
		return ""
	}
	return " No link check has run in this installation."
}

func (c *Catalog) addTexts() {
	addresses := strings.NewReplacer("{base_url}", c.Site().Base, "{api_url}", c.Site().API, "{mcp_url}", c.Site().MCP, "{link_check}", c.linkCheckNote())
	slices.SortFunc(c.records.Articles, func(a, b *Article) int { // the newest first
		return cmp.Or(cmp.Compare(OrEmpty(b.DatePublished), OrEmpty(a.DatePublished)), cmp.Compare(a.ID, b.ID))
	})
	slices.SortFunc(c.records.News, func(a, b *NewsItem) int { return cmp.Or(cmp.Compare(b.Date, a.Date), cmp.Compare(a.ID, b.ID)) })
	slices.SortFunc(c.records.Datasets, func(a, b *Dataset) int { return cmp.Compare(a.ID, b.ID) })
	for _, a := range c.records.Articles {
		a.Body = addresses.Replace(a.Body)
	}
	for _, d := range c.records.Datasets {
		d.Readme, d.Note = addresses.Replace(d.Readme), addresses.Replace(d.Note)
		if t, ok := tables[d.ID]; ok {
			d.rows = func() [][]any { return t.rows(c) }
			d.rowCount = sync.OnceValue(func() int { return len(d.rows()) })
			d.Files = d.files()
			d.VerifiedAt = max(d.VerifiedAt, t.read(c))
		}
	}
}

// addChanges makes the change feed of every other record.
func (c *Catalog) addChanges() {
	c.changes = make(map[Date][]Change)
	for _, id := range c.feedIDs() {
		if r, ok := c.record(id); ok {
			c.changes[r.VerifiedAt] = append(c.changes[r.VerifiedAt], r.Change)
		}
	}
	c.changed = make(map[Date]Date, len(c.changes))
	for day, list := range c.changes {
		c.changed[day] = newestOf(list, func(ch Change) Date { return c.history.revised(ch.ID) })
	}
	days := slices.AppendSeq(slices.Clone(c.history.feedDays), maps.Keys(c.changes)) // a published day keeps its address
	slices.Sort(days)
	c.days = slices.Compact(days)
	slices.Reverse(c.days)
}
