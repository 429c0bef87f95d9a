package metadata

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/phrase"
)

// A feedItem is an event of the history as both forms of a feed show it. Its date is that of the change: feed readers
// sort by it, and the day on which a source was published would bury the readings of today among the news of ten years
// ago.
type feedItem struct {
	ID       string
	Page     string // address of the record on this site, or of its history when it is not published any more
	Markdown string // address of what happened as Markdown
	Source   string // address of the source, for library entries
	Title    string
	Text     string
	Date     string
	Labels   []string
}

// feedItems returns the events of a feed, newest first.
func (r *Renderer) feedItems(events []catalog.FeedEvent) []feedItem {
	items := make([]feedItem, len(events))
	for i, e := range events {
		id := catalog.HistoryPathID(e.Record)
		items[i] = feedItem{
			ID:       feedID(catalog.HistoryDayPath(e.Day) + "#" + e.Anchor),
			Page:     cmp.Or(e.HTMLURL, r.site.URL(catalog.RecordHistoryPath(id))),
			Markdown: r.site.URL(catalog.MarkdownPath(catalog.HistoryDayPath(e.Day))),
			Source:   e.Source,
			Title:    e.Title + ": " + strings.ReplaceAll(e.Change, "-", " "),
			Text:     eventText(e),
			Date:     eventTime(e),
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

// A Feed is a feed of the history or of news. Atom and JSON are the paths of its forms, Page that of the page about its subject.
type Feed struct {
	Title, Atom, JSON, Page string
	Updated                 catalog.Date
	Items                   []feedItem
}

// ChangeFeed returns a feed of the history. The catalog has it.
func (r *Renderer) ChangeFeed(id string) Feed {
	f := r.cat.Feed(id)
	events := r.cat.FeedEvents(f)
	d := Feed{Title: f.Title, Atom: f.Atom, JSON: f.JSON, Page: f.Page, Updated: catalog.DateOf(r.cat.Modified()), Items: r.feedItems(events)}
	if len(events) > 0 {
		d.Updated = events[0].Day
	}
	return d
}

// NewsFeed returns a feed of news; see catalog.Catalog.NewsFeedIDs.
func (r *Renderer) NewsFeed(id string) Feed {
	d := Feed{Title: "news", Atom: catalog.NewsAtomPath(id), JSON: catalog.NewsJSONFeedPath(id), Page: catalog.NewsPath}
	list := r.cat.News()
	if id != catalog.AllNews {
		list, d.Title, d.Page = r.cat.NewsAbout(id), "news about "+r.cat.ProtocolName(id), catalog.ProtocolPath(id)
	}
	for _, n := range list {
		d.Updated = max(d.Updated, n.Date)
		d.Items = append(d.Items, feedItem{
			ID: feedID(catalog.NewsItemPath(n.ID)), Page: r.site.URL(catalog.NewsItemPath(n.ID)),
			Markdown: r.site.URL(catalog.MarkdownPath(catalog.NewsPath)), Source: n.Source.URL, Title: n.Headline,
			Text: n.Text + "\n" + n.Why, Date: dayTime(n.Date), Labels: n.Protocols,
		})
	}
	return d
}

// JSONFeed returns a feed as JSON Feed 1.1 (jsonfeed.org).
func (r *Renderer) JSONFeed(d Feed) json.RawMessage { return r.Document("json-feed", d) }

// Atom returns a feed as Atom 1.0 (RFC 4287).
func (r *Renderer) Atom(d Feed) []byte { return r.Document("atom", d) }

// eventTime returns the timestamp of an event. Only its day is known: the seconds are its place among the events of the
// day, because feed readers sort entries by their time, and expect no two at once (RFC 4287, section 4.2.15).
func eventTime(e catalog.FeedEvent) string {
	return e.Day.Time().Add(time.Duration(e.Place) * time.Second).Format(time.RFC3339)
}

// dayTime returns the timestamp of the beginning of a day in UTC (RFC 3339).
func dayTime(d catalog.Date) string { return d.Time().Format(time.RFC3339) }

// calendarLine is the most octets of a line of iCalendar (RFC 5545, section 3.1).
const calendarLine = 75

// calendarText escapes the characters that have a meaning in the texts of iCalendar (RFC 5545, section 3.3.11).
var calendarText = strings.NewReplacer(`\`, `\\`, ";", `\;`, ",", `\,`, "\r\n", `\n`, "\n", `\n`)

// ICalendar returns the calendar as iCalendar (RFC 5545): an event of a whole day for each entry. Its UID is that of
// the statement, at any address of the site, so that a date that moves is not a second event; DTSTAMP is the day of the
// reading.
func (r *Renderer) ICalendar(d *catalog.CalendarDocument) []byte { return r.Document("calendar", d) }

// calendarID returns the UID of an event.
func calendarID(e catalog.CalendarEntry) string {
	return uuid.NewSHA1(feedNamespace, []byte(catalog.StatementPath(e.Record, e.Statement))).String()
}

// calendarDay returns a day as iCalendar writes it: 20270313.
func calendarDay(d catalog.Date) string { return strings.ReplaceAll(string(d), "-", "") }

// calendarProperty returns a property, folded between characters so that no line is longer than calendarLine octets.
func calendarProperty(name, value string) string {
	var folded strings.Builder
	line, limit := name+":"+value, calendarLine
	for len(line) > limit {
		cut := limit
		for !utf8.RuneStart(line[cut]) {
			cut--
		}
		folded.WriteString(line[:cut] + "\r\n ")
		line, limit = line[cut:], calendarLine-1 // of which the space is one
	}
	return folded.String() + line + "\r\n"
}
