package metadata

import (
	"bytes"
	"encoding/xml"
	"fmt"

	"almanac/catalog"
	"almanac/httpmirror/file"
)

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

// Atom returns a document of a feed as Atom 1.0 (RFC 4287), an archived feed (RFC 5005, section 4) when it has archives.
func (r *Renderer) Atom(part catalog.FeedPart) ([]byte, error) {
	links := r.feedLinks(part, part.Atom, catalog.ArchiveAtomPath)
	feed := atomFeed{
		Lang: "en", ID: links.current, Title: r.feedTitle(part), Subtitle: r.identity.Description, Updated: dayTime(part.Updated),
		Author: atomPerson{r.identity.Name, r.site.URL(catalog.HomePath)},
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
