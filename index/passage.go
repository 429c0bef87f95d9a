package index

import (
	"fmt"
	"regexp"
	"strings"

	"almanac/catalog"
)

// The kinds of passages.
const (
	PassageSummary = "summary" // of an entry, an article or a dataset
	PassageSection = "section" // of an article
	PassageFact    = "fact"    // of a protocol
	PassageColumn  = "column"  // of a dataset
	PassageRow     = "row"     // of a dataset
)

// A Passage is a part of a document with an address of its own.
type Passage struct {
	Kind       string       `json:"kind"`
	Title      string       `json:"title"` // name of the section, fact, column or row
	Text       string       `json:"text"`
	URL        string       `json:"url"`
	Source     string       `json:"source,omitempty"` // where it was read; "" if it is a text of this service
	VerifiedAt catalog.Date `json:"verified_at"`
}

// maxPassage is the length, in bytes, from which a section or a fact is more than one passage.
const maxPassage = 600

// entryPassage returns the only passage of a library entry.
func entryPassage(s catalog.Site, e *catalog.Entry) Passage {
	return Passage{
		Kind: PassageSummary, Title: "Summary", Text: e.Summary, URL: s.URL(catalog.EntryPath(e.ID)),
		Source: e.URL, VerifiedAt: e.VerifiedAt,
	}
}

func protocolPassages(s catalog.Site, p *catalog.Protocol) []Passage {
	var list []Passage
	for _, f := range p.Facts() {
		if f.Value == nil {
			continue
		}
		for _, text := range chunks(strings.Join(factLines(f.Value), "\n"), "\n") {
			list = append(list, Passage{
				Kind: PassageFact, Title: f.Label, Text: text, URL: s.URL(catalog.ProtocolPath(p.ID)) + "#" + f.Name,
				Source: f.Source, VerifiedAt: f.VerifiedAt,
			})
		}
	}
	return list
}

// factLines returns a fact's value as text, one line for each of its parts.
func factLines(v any) []string {
	var lines []string
	switch v := v.(type) {
	case []int:
		for _, n := range v {
			lines = append(lines, fmt.Sprint(n))
		}
	case []catalog.Header:
		for _, h := range v {
			lines = append(lines, fmt.Sprintf("%s (%s): %s", h.Name, h.Direction, h.Role))
		}
	case []catalog.Network:
		for _, n := range v {
			lines = append(lines, joinSet(", ", n.Name, deref(n.CAIP2), deref(n.Asset), deref(n.Contract)))
		}
	case []catalog.Link:
		for _, l := range v {
			lines = append(lines, l.Name+" "+l.URL)
		}
	case []catalog.Library:
		for _, l := range v {
			lines = append(lines, joinSet(" ", l.Name, deref(l.URL)))
		}
	case []string:
		lines = v
	default:
		lines = []string{fmt.Sprint(v)}
	}
	return lines
}

func articlePassages(s catalog.Site, a *catalog.Article) []Passage {
	page := s.URL(catalog.ArticlePath(a.ID))
	list := []Passage{{Kind: PassageSummary, Title: a.Title, Text: a.Summary, URL: page, VerifiedAt: a.VerifiedAt}}
	for _, sec := range sections(a.Body) {
		url, title := page, a.Title
		if sec.anchor != "" {
			url, title = page+"#"+sec.anchor, sec.title
		}
		for _, text := range chunks(plainText(sec.text), "\n\n") {
			list = append(list, Passage{Kind: PassageSection, Title: title, Text: text, URL: url, VerifiedAt: a.VerifiedAt})
		}
	}
	return list
}

func datasetPassages(s catalog.Site, d *catalog.Dataset) []Passage {
	page := s.URL(catalog.DatasetPath(d.ID))
	list := []Passage{{Kind: PassageSummary, Title: d.Title, Text: d.Summary, URL: page, VerifiedAt: d.VerifiedAt}}
	for _, col := range d.Columns {
		list = append(list, Passage{Kind: PassageColumn, Title: col.Name, Text: col.Description, URL: page + "#columns", VerifiedAt: d.VerifiedAt})
	}
	if !ownRows(d) {
		return list
	}
	return append(list, rowPassages(s, d)...)
}

// rowPassages returns the rows of a dataset, one after the other.
func rowPassages(s catalog.Site, d *catalog.Dataset) []Passage {
	list := make([]Passage, 0, d.RowCount)
	for row := range d.Rows() {
		i := len(list)
		p := Passage{Kind: PassageRow, Title: fmt.Sprintf("Row %d", i+1), VerifiedAt: d.VerifiedAt}
		// A fragment of a CSV file (RFC 7111) counts lines from 1, and the first is the header.
		p.URL = s.URL(catalog.DatasetFilePath(d.ID, "csv")) + fmt.Sprintf("#row=%d", i+2)
		var parts []string
		for j, v := range row {
			text := rowText(v)
			switch {
			case text == "":
			case d.Columns[j].Name == "source":
				p.Source = text
			case d.Columns[j].Name == "verified_at":
				p.VerifiedAt = catalog.Date(text)
			default:
				parts = append(parts, d.Columns[j].Name+": "+text)
			}
		}
		p.Text = strings.Join(parts, "; ")
		list = append(list, p)
	}
	return list
}

// rowText returns a value of a row as text, or "" for null. Lists are in no rows that are found.
func rowText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case int, bool:
		return fmt.Sprint(v)
	}
	return ""
}

// ownRows reports whether the rows of a dataset are found as its passages. Those of the library are
// its entries, which are documents themselves; evidence belongs to the facts that it shows, and a
// statement to its entry.
func ownRows(d *catalog.Dataset) bool {
	return d.ID != "evidence" && d.ID != "library" && d.ID != "questions" && d.ID != "statements"
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// joinSet joins the strings that are not empty.
func joinSet(sep string, list ...string) string {
	var set []string
	for _, s := range list {
		if s != "" {
			set = append(set, s)
		}
	}
	return strings.Join(set, sep)
}

// chunks splits a text at separators into parts of at most maxPassage bytes, as far as there are
// separators.
func chunks(text, sep string) []string {
	var list []string
	for _, part := range strings.Split(text, sep) {
		part = strings.Trim(part, "\n")
		switch n := len(list) - 1; {
		case strings.TrimSpace(part) == "":
		case n >= 0 && len(list[n])+len(part) < maxPassage:
			list[n] += sep + part
		default:
			list = append(list, part)
		}
	}
	return list
}

// A section is a part of an article under a heading.
type section struct{ title, anchor, text string }

// sections splits the Markdown of an article at its headings. What precedes the first has no title.
func sections(body string) []section {
	list := []section{{}}
	taken := map[string]bool{"main": true, "toc": true, "sources": true} // anchors of the page itself
	fenced := false
	for line := range strings.Lines(body) {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		title := strings.TrimSpace(strings.TrimLeft(line, "#"))
		if !fenced && strings.HasPrefix(line, "##") && title != "" {
			list = append(list, section{title: plainText(title), anchor: anchor(title, taken)})
			continue
		}
		list[len(list)-1].text += line
	}
	return list
}

// anchor returns the anchor that the page of an article gives a heading: its words in lower case,
// joined by hyphens, without leading numbers, and with a number if it is taken. A test compares it
// with the pages.
func anchor(title string, taken map[string]bool) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	for len(words) > 1 && words[0][0] <= '9' {
		words = words[1:]
	}
	if len(words) == 0 || words[0][0] <= '9' {
		words = append([]string{"section"}, words...)
	}
	id := strings.Join(words, "-")
	unique := id
	for n := 2; taken[unique]; n++ {
		unique = fmt.Sprintf("%s-%d", id, n)
	}
	taken[unique] = true
	return unique
}

var (
	markdownLink  = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
	markdownMarks = regexp.MustCompile("(?m)^```.*\n?|\\*\\*|`")
)

// plainText returns Markdown without links, emphasis and code marks.
func plainText(markdown string) string {
	return markdownMarks.ReplaceAllString(markdownLink.ReplaceAllString(markdown, "$1"), "")
}
