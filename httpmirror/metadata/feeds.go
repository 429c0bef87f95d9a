package metadata

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"almanac/catalog"
	"almanac/httpmirror/file"
	"almanac/httpmirror/phrase"
)

// A feedItem is an event of the history as both forms of a feed show it. Its date is that of the change: feed readers
// sort by it, and the day on which a source was published would bury the readings of today among the news of ten years
// ago.
type feedItem struct {
	ID       string
	Page     string // address of the record on this site, or of its history when it is not published any more
	Markdown string // the same of its history, as Markdown
	Source   string // address of the source, for library entries
	Title    string
	Text     string
	Date     string
	Labels   []string
}

// feedItems returns the events of a document of a feed, newest first.
func (r *Renderer) feedItems(part catalog.FeedPart) []feedItem {
	items := make([]feedItem, len(part.Events))
	for i, e := range part.Events {
		id := catalog.HistoryPathID(e.Record)
		items[i] = feedItem{
			ID:       feedID(catalog.HistoryDayPath(e.Day) + "#" + e.Anchor),
			Page:     cmp.Or(e.HTMLURL, r.site.URL(catalog.RecordHistoryPath(id))),
			Markdown: r.site.URL(catalog.RecordHistoryMarkdownPath(id)),
			Source:   e.Source,
			Title:    e.Title + ": " + strings.ReplaceAll(e.Change, "-", " "),
			Text:     eventText(e),
			Date:     dayTime(e.Day),
			Labels:   append([]string{e.Kind, e.Change}, e.Tags...),
		}
	}
	return items
}

// feedNamespace is the namespace of the ids in feeds (RFC 9562, section 6.5).
var feedNamespace = uuid.MustParse("ed2a7718-3218-474e-ac1d-215c7135602c")

// feedID returns the id of a feed or of an event, which is at a path: the same at any address of the site, and for
// ever.
func feedID(path string) string { return uuid.NewSHA1(feedNamespace, []byte(path)).URN() }

// eventText returns the changes of an event, a sentence on each line.
func eventText(e catalog.FeedEvent) string {
	if e.Change == "added" && e.Summary != "" {
		return e.Summary
	}
	return strings.Join(phrase.Sentences(e.Change, e.Members), ".\n") + "."
}

// A feedLinks is the addresses of the documents around one of a feed, in one of its forms.
type feedLinks struct {
	self, current, newer, older string // "" when there is none
}

// feedLinks returns the addresses around a document of a feed; current and archive are the paths of its form.
func (r *Renderer) feedLinks(part catalog.FeedPart, current string, archive func(id string) string) feedLinks {
	at := func(number int) string {
		if number == 0 {
			return ""
		}
		return r.site.URL(archive(part.ArchiveID(number)))
	}
	l := feedLinks{current: r.site.URL(current), newer: at(part.Newer), older: at(part.Older)}
	l.self = cmp.Or(at(part.Number), l.current)
	return l
}

// feedTitle returns the title of a document of a feed.
func (r *Renderer) feedTitle(part catalog.FeedPart) string {
	return r.identity.Name + ": " + part.Title
}

// A jsonFeed is a document of a feed in JSON Feed 1.1 (jsonfeed.org).
type jsonFeed struct {
	Version     string         `json:"version"`
	Title       string         `json:"title"`
	Page        string         `json:"home_page_url"`
	Self        string         `json:"feed_url"`
	Older       string         `json:"next_url,omitempty"`
	Description string         `json:"description"`
	Language    string         `json:"language"`
	Authors     []jsonAuthor   `json:"authors"`
	Items       []jsonFeedItem `json:"items"`
}

type jsonAuthor struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

type jsonFeedItem struct {
	ID        string   `json:"id"`
	URL       string   `json:"url"`
	Source    string   `json:"external_url,omitempty"`
	Title     string   `json:"title"`
	Text      string   `json:"content_text"`
	Published string   `json:"date_published"`
	Tags      []string `json:"tags"`
}

// JSONFeed returns a document of a feed as JSON Feed. Its next_url leads to older events.
func (r *Renderer) JSONFeed(part catalog.FeedPart) any {
	links := r.feedLinks(part, part.JSON, catalog.ArchiveJSONPath)
	items := []jsonFeedItem{}
	for _, item := range r.feedItems(part) {
		items = append(items, jsonFeedItem{item.ID, item.Page, item.Source, item.Title, item.Text, item.Date, item.Labels})
	}
	return jsonFeed{
		Version: "https://jsonfeed.org/version/1.1", Title: r.feedTitle(part), Page: r.site.URL(part.Page),
		Self: links.self, Older: links.older, Description: r.identity.Description, Language: "en",
		Authors: []jsonAuthor{{r.identity.Name, r.site.URL(catalog.HomePath)}}, Items: items,
	}
}

// dayTime returns the timestamp of the beginning of a day in UTC (RFC 3339).
func dayTime(d catalog.Date) string { return d.Time().Format(time.RFC3339) }

type atomFeed struct {
	XMLName  xml.Name     `xml:"http://www.w3.org/2005/Atom feed"`
	Lang     string       `xml:"xml:lang,attr"`
	ID       string       `xml:"id"`
	Title    string       `xml:"title"`
	Subtitle string       `xml:"subtitle"`
	Updated  string       `xml:"updated"`
	Author   atomPerson   `xml:"author"`
	Archive  *atomArchive // of an archive (RFC 5005, section 4)
	Links    []atomLink   `xml:"link"`
	Rights   string       `xml:"rights"`
	Entries  []atomEntry  `xml:"entry"`
}

type atomArchive struct {
	XMLName xml.Name `xml:"http://purl.org/syndication/history/1.0 archive"`
}

type atomPerson struct {
	Name string `xml:"name"`
	URI  string `xml:"uri"`
}

type atomLink struct {
	Rel  string `xml:"rel,attr"`
	Type string `xml:"type,attr,omitempty"`
	Href string `xml:"href,attr"`
}

type atomEntry struct {
	ID         string         `xml:"id"`
	Title      string         `xml:"title"`
	Updated    string         `xml:"updated"`
	Links      []atomLink     `xml:"link"`
	Categories []atomCategory `xml:"category"`
	Summary    string         `xml:"summary"`
}

type atomCategory struct {
	Term string `xml:"term,attr"`
}

// Atom returns a document of a feed as Atom 1.0 (RFC 4287), an archived feed (RFC 5005, section 4) when it has
// archives.
func (r *Renderer) Atom(part catalog.FeedPart) ([]byte, error) {
	links := r.feedLinks(part, part.Atom, catalog.ArchiveAtomPath)
	feed := atomFeed{
		Lang: "en", ID: feedID(part.Atom), Title: r.feedTitle(part), Subtitle: r.identity.Description,
		Updated: dayTime(part.Updated), Author: atomPerson{r.identity.Name, r.site.URL(catalog.HomePath)},
		Links: []atomLink{
			{"self", file.Atom, links.self},
			{"alternate", "text/html", r.site.URL(part.Page)},
			{"license", "", r.identity.License.URL},
		},
		Rights: r.identity.LicenseStatement(),
	}
	link := func(rel, address string) {
		if address != "" {
			feed.Links = append(feed.Links, atomLink{rel, file.Atom, address})
		}
	}
	if part.Number > 0 {
		feed.Archive = &atomArchive{}
		link("current", links.current)
	}
	link("prev-archive", links.older)
	link("next-archive", links.newer)
	for _, item := range r.feedItems(part) {
		e := atomEntry{
			ID: item.ID, Title: item.Title, Updated: item.Date, Summary: item.Text,
			Links: []atomLink{{"alternate", "text/html", item.Page}, {"alternate", "text/markdown", item.Markdown}},
		}
		if item.Source != "" {
			e.Links = append(e.Links, atomLink{"related", "", item.Source})
		}
		for _, label := range item.Labels {
			e.Categories = append(e.Categories, atomCategory{label})
		}
		feed.Entries = append(feed.Entries, e)
	}
	var x bytes.Buffer
	x.WriteString(xml.Header)
	enc := xml.NewEncoder(&x)
	enc.Indent("", "  ")
	if err := enc.Encode(feed); err != nil {
		return nil, fmt.Errorf("encode the Atom feed: %w", err)
	}
	x.WriteByte('\n')
	return x.Bytes(), nil
}
