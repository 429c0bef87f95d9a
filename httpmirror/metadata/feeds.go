package metadata

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"strings"
	"time"

	"almanac/catalog"
	"almanac/httpmirror/file"
)

// feedLimit is the most records a feed holds; the change feed by day holds them all.
const feedLimit = 250

// A feedItem is a change as both feeds show it. Its date is that of the verification: feed readers sort by it, and the day
// on which a source was published would bury what was read today among the news of ten years ago.
type feedItem struct {
	catalog.Change
	ID      string // of the event: the record on the day of its verification
	Page    string // address of the record on this site
	Source  string // address of the source, for library entries
	Summary string
	Tags    []string
}

// feedItems returns the newest changes.
func (r *Renderer) feedItems() []feedItem {
	var items []feedItem
	for _, day := range r.cat.ChangeDays() {
		for _, ch := range r.cat.Changes(day).Entries {
			if len(items) == feedLimit {
				return items
			}
			items = append(items, r.feedItem(ch))
		}
	}
	return items
}

func (r *Renderer) feedItem(ch catalog.Change) feedItem {
	item := feedItem{Change: ch, ID: r.site.URL(catalog.ChangesPath(ch.VerifiedAt)) + "#" + ch.ID, Page: ch.URL, Summary: cmp.Or(ch.Note, ch.Title)}
	_, slug, _ := strings.Cut(ch.ID, ":")
	switch ch.Kind {
	case "library":
		e, _ := r.cat.Entry(ch.ID) // the change feed is made of the records
		item.Page, item.Source = r.site.URL(catalog.EntryPath(e.ID)), e.URL
		item.Summary, item.Tags = e.Summary, e.Tags
	case "article":
		a, _ := r.cat.Article(slug)
		item.Summary, item.Tags = a.Summary, a.Tags
	case "dataset":
		d, _ := r.cat.Dataset(slug)
		item.Summary, item.Tags = d.Summary, d.Keywords
	}
	if ch.URL == r.site.URL(catalog.SupportJSONPath) { // readers of feeds are people
		item.Page = r.site.URL(catalog.SupportPath)
	}
	return item
}

type atomFeed struct {
	XMLName  xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	Lang     string      `xml:"xml:lang,attr"`
	ID       string      `xml:"id"`
	Title    string      `xml:"title"`
	Subtitle string      `xml:"subtitle"`
	Updated  string      `xml:"updated"`
	Author   atomPerson  `xml:"author"`
	Links    []atomLink  `xml:"link"`
	Rights   string      `xml:"rights"`
	Entries  []atomEntry `xml:"entry"`
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

// Atom returns the newest changes as Atom 1.0 (RFC 4287).
func (r *Renderer) Atom() ([]byte, error) {
	items := r.feedItems()
	feed := atomFeed{
		Lang: "en", ID: r.site.URL(catalog.AtomPath), Title: SiteName + ": changes", Subtitle: siteDescription, Updated: r.cat.GeneratedAt(),
		Author: atomPerson{SiteName, r.site.URL(catalog.HomePath)},
		Links: []atomLink{
			{"self", file.Atom, r.site.URL(catalog.AtomPath)},
			{"alternate", "text/html", r.site.URL(catalog.ChangesIndexPath)},
			{"license", "", licenseURL},
		},
		Rights: catalog.License,
	}
	if len(items) > 0 {
		feed.Updated = dayTime(items[0].VerifiedAt)
	}
	for _, item := range items {
		e := atomEntry{
			ID: item.ID, Title: item.Title, Updated: dayTime(item.VerifiedAt), Summary: item.Summary,
			Links:      []atomLink{{"alternate", "text/html", item.Page}},
			Categories: []atomCategory{{item.Kind}},
		}
		if item.Source != "" {
			e.Links = append(e.Links, atomLink{"related", "", item.Source})
		}
		if item.MDURL != "" {
			e.Links = append(e.Links, atomLink{"alternate", "text/markdown", item.MDURL})
		}
		for _, t := range item.Tags {
			e.Categories = append(e.Categories, atomCategory{t})
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

// JSONFeed returns the newest changes as JSON Feed 1.1 (jsonfeed.org).
func (r *Renderer) JSONFeed() any {
	items := r.feedItems()
	list := make([]object, len(items))
	for i, item := range items {
		o := object{{"id", item.ID}, {"url", item.Page}}
		if item.Source != "" {
			o = o.with("external_url", item.Source)
		}
		list[i] = append(o, object{
			{"title", item.Title}, {"content_text", item.Summary}, {"date_published", dayTime(item.VerifiedAt)},
			{"tags", append([]string{item.Kind}, item.Tags...)},
		}...)
	}
	return object{
		{"version", "https://jsonfeed.org/version/1.1"},
		{"title", SiteName + ": changes"},
		{"home_page_url", r.site.URL(catalog.HomePath)},
		{"feed_url", r.site.URL(catalog.JSONFeedPath)},
		{"description", siteDescription},
		{"language", "en"},
		{"authors", []object{{{"name", SiteName}, {"url", r.site.URL(catalog.HomePath)}}}},
		{"items", list},
	}
}

// dayTime returns the timestamp of the beginning of a day in UTC (RFC 3339).
func dayTime(d catalog.Date) string { return d.Time().Format(time.RFC3339) }
