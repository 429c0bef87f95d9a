package catalog

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// New puts records in their published order and derives from them the contents of the documents. It takes the records
// over: texts get the addresses of the site in place of {base_url}, {api_url} and {mcp_url}, datasets get their rows
// and files. New does not check records; catalog/load does.
func New(r Records, o Options) *Catalog {
	if o.Terms == (Terms{}) {
		o.Terms = DefaultTerms
	}
	o.Terms.root = Root(o.Site.API)
	c := &Catalog{options: o, identity: r.Identity, support: r.Support, trust: r.Trust, links: r.Links, lexicon: r.Lexicon}
	c.addEntries(r)
	c.addProtocols(r)
	c.assets = assetsByKey(r.Assets)
	c.evidence = make(map[string]*EvidenceRecord)
	for _, e := range r.Evidence {
		c.evidence[HistoryPathID(e.Record)] = e
	}
	c.repositories, c.statements = r.Sites, make(map[string]*StatementRecord)
	for _, s := range r.Statements {
		c.statements[s.Record] = s
	}
	c.versions = make(map[string]*VersionRecord)
	for _, v := range r.Versions {
		c.versions[v.Protocol] = v
	}
	c.bots = slices.SortedFunc(slices.Values(r.Bots), func(a, b *Bot) int { return cmp.Compare(a.ID, b.ID) })
	c.questions = make(map[string][]string)
	for _, q := range r.Questions {
		c.questions[q.Record] = q.Questions
	}
	c.history, c.withdrawn, c.sum = newHistory(r.History), r.Withdrawn, r.Sum
	c.addClients(r)
	c.addTexts(r)
	c.addChanges()
	c.setNewest()
	c.addFeeds()
	return c
}

// addEntries sorts the entries and lists them by category and by tag.
func (c *Catalog) addEntries(r Records) {
	of := make(map[string][]*Entry) // by category
	for _, e := range r.Entries {
		of[e.Category] = append(of[e.Category], e)
	}
	c.entries, c.byCategory = make([]*Entry, 0, len(r.Entries)), make(map[string][]*Entry)
	for _, k := range r.Categories {
		list := of[k.ID]
		slices.SortFunc(list, compareEntries)
		from := len(c.entries)
		c.entries = append(c.entries, list...)
		c.byCategory[k.ID] = c.entries[from:len(c.entries):len(c.entries)]
		c.categories = append(c.categories, k.category(c.Site(), len(list)))
	}
	c.byID = make(map[string]*Entry, len(c.entries))
	for _, e := range c.entries {
		c.byID[e.ID] = e
	}
	c.addTags(r)
}

// addTags lists the entries that carry each tag.
func (c *Catalog) addTags(r Records) {
	count := make(map[string]int)
	for _, e := range c.entries {
		for _, t := range e.Tags {
			count[t]++
		}
	}
	c.byTag = make(map[string][]*Entry, len(count))
	for t, n := range count {
		c.byTag[t] = make([]*Entry, 0, n)
	}
	for _, e := range c.entries {
		for _, t := range e.Tags {
			c.byTag[t] = append(c.byTag[t], e)
		}
	}
	for _, t := range r.Tags {
		if n := count[t.ID]; n > 0 {
			c.tags = append(c.tags, t.tag(c.Site(), n))
		}
	}
}

// addProtocols puts protocols and profiles in their order: those that site.json names first, then the others by id.
func (c *Catalog) addProtocols(r Records) {
	place := func(id string) uint { return uint(slices.Index(r.Identity.Protocols, id)) } // the last for others
	compare := func(a, b string) int { return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a, b)) }
	c.protocols = slices.SortedFunc(slices.Values(r.Protocols), func(a, b *Protocol) int { return compare(a.ID, b.ID) })
	c.profiles = slices.SortedFunc(slices.Values(r.Profiles), func(a, b *Profile) int { return compare(a.ID, b.ID) })
	c.flows = make(map[string]*Flow)
	for _, f := range r.Flows {
		c.flows[f.ID] = f
	}
}

// rowsDay returns the newest day on which a row of a dataset was read.
func (c *Catalog) rowsDay(dataset string) Date {
	switch dataset {
	case "library":
		return newestOf(c.entries, func(e *Entry) Date { return e.VerifiedAt })
	case "evidence":
		return newestOf(c.EvidenceIDs(), func(id string) Date { return c.evidence[id].ReadAt() })
	case "statements":
		return newestOf(c.StatementIDs(), c.StatementsDay)
	case "protocol-choices":
		return newestOf(c.profiles, (*Profile).VerifiedAt)
	case "payment-http", "payment-networks":
		return newestOf(c.protocols, (*Protocol).VerifiedAt)
	case ClientDataset:
		return newestOf(c.clients, func(k *Client) Date { return k.Day })
	}
	return ""
}

// linkCheckNote returns a sentence for texts about links, which begins with a space; "" once a round of the link
// checker has ended.
func (c *Catalog) linkCheckNote() string {
	if c.LinksChecked() {
		return ""
	}
	return " No link check has run in this installation."
}

func (c *Catalog) addTexts(r Records) {
	addresses := strings.NewReplacer("{base_url}", c.Site().Base, "{api_url}", c.Site().API, "{mcp_url}", c.Site().MCP, "{link_check}", c.linkCheckNote())
	c.articles = slices.SortedFunc(slices.Values(r.Articles), compareArticles)
	c.datasets = slices.SortedFunc(slices.Values(r.Datasets), func(a, b *Dataset) int { return cmp.Compare(a.ID, b.ID) })
	for _, a := range c.articles {
		a.Body = addresses.Replace(a.Body)
	}
	for _, d := range c.datasets {
		d.Readme, d.Note = addresses.Replace(d.Readme), addresses.Replace(d.Note)
		if t, ok := tables[d.ID]; ok {
			d.rows = func() [][]any { return t.rows(c) }
			d.RowCount = len(d.rows())
			d.Files = d.files()
			d.VerifiedAt = max(d.VerifiedAt, c.rowsDay(d.ID))
		}
	}
}

// addChanges makes the change feed of every other record.
func (c *Catalog) addChanges() {
	c.changes = make(map[Date][]Change)
	add := func(ch Change) { c.changes[ch.VerifiedAt] = append(c.changes[ch.VerifiedAt], ch) }
	for _, a := range c.articles {
		add(a.change(c.Site()))
	}
	for _, b := range c.bots {
		add(b.change(c.Site()))
	}
	for _, d := range c.datasets {
		add(d.change(c.Site()))
	}
	if c.TakesTips() {
		add(c.support.change(c.Site()))
	}
	add(c.trust.change(c.Site()))
	for _, list := range c.changes {
		slices.SortFunc(list, compareChanges)
	}
	for _, e := range slices.SortedFunc(slices.Values(c.entries), compareEntries) {
		add(e.change())
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
