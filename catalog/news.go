package catalog

import "slices"

// A NewsItem is an event of the subject as a curator tells it, with the source that tells of it.
type NewsItem struct {
	ID        string     `json:"id" form:"slug"` // the day and a slug
	Date      Date       `json:"date"`           // of the event
	Headline  string     `json:"headline" form:"title"`
	Text      string     `json:"text" form:"paragraph"`
	Why       string     `json:"why" form:"summary"`    // why it matters
	Protocols []string   `json:"protocols" form:"list"` // ids of the protocols it is about
	Links     []NewsLink `json:"links"`
	Source    NewsSource `json:"source"`
}

// A NewsLink leads to more about an item of news: to a page of the site by its path, or to another site.
type NewsLink struct {
	Name string `json:"name" form:"title"`
	URL  string `json:"url"`
}

// A NewsSource is the text that tells of an item of news, and the copy of it that was read.
type NewsSource struct {
	URL      string `json:"url" form:"url"`
	Copy     string `json:"copy" form:"copy"` // one of CopyKinds
	CopyDate *Date  `json:"copy_date"`
	ReadAt   Date   `json:"read_at"`
	Quote    string `json:"quote" form:"paragraph"`
}

// Reading returns the source as a reading, which holds.
func (s NewsSource) Reading() SourceReading {
	return SourceReading{Holds: true, URL: s.URL, Copy: s.Copy, CopyDate: s.CopyDate, ReadAt: s.ReadAt, Quote: s.Quote}
}

// A NewsDocument is the news, newest first.
type NewsDocument struct {
	Head
	AtomURL string      `json:"atom_url"`
	HTMLURL string      `json:"html_url"`
	Count   int         `json:"count"`
	Entries []NewsEntry `json:"entries"`
}

// A NewsEntry is an item of news with its address. Its links are absolute.
type NewsEntry struct {
	*NewsItem
	Links []NewsLink `json:"links"`
	URL   string     `json:"html_url"`
}

// News returns the news, newest first.
func (c *Catalog) News() []*NewsItem { return c.records.News }

// NewsAbout returns the news about a protocol, newest first.
func (c *Catalog) NewsAbout(protocol string) []*NewsItem {
	isElsewhere := func(n *NewsItem) bool { return !slices.Contains(n.Protocols, protocol) }
	return slices.DeleteFunc(slices.Clone(c.records.News), isElsewhere)
}

// NewsDay returns the newest day of the news.
func (c *Catalog) NewsDay() Date {
	return newestOf(c.records.News, func(n *NewsItem) Date { return max(n.Date, n.Source.ReadAt) })
}

// NewsEntry returns an item of news as documents have it.
func (c *Catalog) NewsEntry(n *NewsItem) NewsEntry {
	links := Convert(n.Links, func(l NewsLink) NewsLink {
		if l.URL[0] == '/' {
			l.URL = c.Site().URL(l.URL)
		}
		return l
	})
	return NewsEntry{n, links, c.Site().URL(NewsItemPath(n.ID))}
}

// NewsDocument returns the document of the news.
func (c *Catalog) NewsDocument() *NewsDocument {
	entries := Convert(c.records.News, c.NewsEntry)
	return &NewsDocument{c.head("news", c.NewsDay()), c.Site().URL(NewsAtomPath(AllNews)), c.Site().URL(NewsPath), len(entries), entries}
}

// AllNews is the id of the feed of all news; other feeds have that of a protocol.
const AllNews = "feed"

// NewsFeedIDs returns the ids of the feeds of the news: that of all, and one for each protocol with news.
func (c *Catalog) NewsFeedIDs() (ids []string) {
	if len(c.records.News) > 0 {
		ids = append(ids, AllNews)
	}
	for _, id := range c.ProtocolPageIDs() {
		if len(c.NewsAbout(id)) > 0 {
			ids = append(ids, id)
		}
	}
	return ids
}
