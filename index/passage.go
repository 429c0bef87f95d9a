package index

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"go.almanac.example/catalog"
)

// The kinds of passages.
const (
	PassageSummary = "summary" // of an entry, a protocol, an article or a dataset
	PassageSection = "section" // of an article
	PassageFact    = "fact"    // of a protocol: a fact, a reading or a release
	PassageRow     = "row"     // of a dataset

	PassageStatement = "statement" // about a library entry
)

// A Passage is a part of a document with an address of its own.
type Passage struct {
	Kind       string       `json:"kind"`
	Title      string       `json:"title"` // name of the section, fact or row
	Text       string       `json:"text"`
	URL        string       `json:"url"`
	Source     string       `json:"source,omitempty"` // where it was read; "" if it is a text of this service
	VerifiedAt catalog.Date `json:"verified_at"`

	lead      string // the beginning of Text that names the protocol and the fact
	topic     string // a subject of the lexicon's line asks, or ""
	addresses string // contracts and addresses in Text, which are found apart from its words
	bare      string // the words of Text that find it, without addresses; "": all
	asked     string // the question that it answers, or ""
	silent    bool   // it says that nothing is stated, and answers a query that names its protocol
}

// Asks reports whether a question of its own may lead to the passage: not to an example, the beginning of an article, or a
// fact that has its question from its field.
func (p *Passage) Asks() bool {
	return p.asked == "" && p.Title != "Example" && (p.Kind != PassageSection || strings.Contains(p.URL, "#"))
}

// maxPassage is the most bytes of a passage.
const maxPassage = 600

// entryPassages returns the summary of a library entry and the statements about it.
func entryPassages(s catalog.Site, e *catalog.Entry, statements []catalog.Statement) []Passage {
	list := make([]Passage, 1, 1+len(statements))
	list[0] = Passage{
		Kind: PassageSummary, Title: "Summary", Text: e.Summary, URL: s.URL(catalog.EntryPath(e.ID)),
		Source: e.URL, VerifiedAt: e.VerifiedAt, addresses: e.URL,
	}
	for _, st := range statements {
		p := Passage{
			Kind: PassageStatement, Title: strings.ToUpper(st.About[:1]) + st.About[1:], Text: st.Text,
			URL:    s.URL(catalog.StatementPath(e.ID, st.ID)),
			Source: st.Readings[0].URL, VerifiedAt: st.Readings[0].ReadAt, topic: st.About,
		}
		p.bare, p.addresses = cutAddresses(p.Text)
		list = append(list, p)
		if st.Example == nil {
			continue
		}
		for _, text := range chunks(st.Example.Text, "\n", maxPassage) {
			p.Title, p.Text, p.bare, p.addresses = "Example", text, "", ""
			list = append(list, p)
		}
	}
	return list
}

var addressPattern = regexp.MustCompile(`https?://\S+|\b0x[0-9a-fA-F]{8,}\b`)

// cutAddresses returns a text without addresses and contracts, and these.
func cutAddresses(text string) (bare, addresses string) {
	if !strings.Contains(text, "://") && !strings.Contains(text, "0x") { // as most texts
		return "", ""
	}
	found := addressPattern.FindAllString(text, -1)
	if found == nil {
		return "", ""
	}
	return addressPattern.ReplaceAllString(text, " "), strings.Join(found, " ")
}

// appendParts appends the passage once for each chunk of a text, each after its lead, with the addresses in it before
// its own.
func (p Passage) appendParts(list []Passage, text, sep string) []Passage {
	own := p.addresses
	for _, chunk := range chunks(text, sep, maxPassage-len(p.lead)) {
		p.Text = p.lead + chunk
		p.bare, p.addresses = cutAddresses(p.Text)
		p.addresses += own
		list = append(list, p)
	}
	return list
}

func articlePassages(s catalog.Site, a *catalog.Article) []Passage {
	page := s.URL(catalog.ArticlePath(a.ID))
	list := []Passage{{Kind: PassageSummary, Title: a.Title, Text: a.Summary, URL: page, VerifiedAt: a.VerifiedAt}}
	for _, sec := range sections(a.Body) {
		url, title := page, a.Title
		if sec.anchor != "" {
			url, title = page+"#"+sec.anchor, sec.title
		}
		for _, text := range chunks(plainText(sec.text), "\n\n", maxPassage) {
			list = append(list, Passage{Kind: PassageSection, Title: title, Text: text, URL: url,
				VerifiedAt: a.VerifiedAt})
		}
	}
	return list
}

// datasetPassages returns the summary of a dataset, and its rows as sentences. Rows that are records themselves, or
// passages of one, are not repeated.
func datasetPassages(c *catalog.Catalog, d *catalog.Dataset) []Passage {
	list := []Passage{{Kind: PassageSummary, Title: d.Title, Text: d.Summary,
		URL: c.Site().URL(catalog.DatasetPath(d.ID)), VerifiedAt: d.VerifiedAt}}
	if d.ID == catalog.ClientDataset { // whose rows are too alike: a sentence for each client
		for _, k := range c.Clients() {
			list = append(list, Passage{Kind: PassageRow, Title: k.Name, Text: c.ClientSentence(k),
				URL: c.Site().URL(catalog.ClientPath(k.ID)), Source: deref(k.URL), VerifiedAt: k.Day})
		}
	}
	sentence := rowSentences[d.ID]
	if sentence == nil {
		return list
	}
	line := 1
	for row := range d.Rows() {
		line++ // a fragment of a CSV file (RFC 7111) counts lines from 1, and the first is the header
		values := make(map[string]string, len(row))
		for i, v := range row {
			values[d.Columns[i].Name] = rowText(v)
		}
		p := Passage{Kind: PassageRow, Source: values["source"], VerifiedAt: catalog.Date(values["verified_at"]),
			topic: rowTopics[d.ID]}
		p.Title, p.Text = sentence(values)
		if p.Text == "" {
			continue
		}
		p.URL = c.Site().URL(catalog.DatasetFilePath(d.ID, "csv")) + fmt.Sprintf("#row=%d", line)
		p.VerifiedAt = cmp.Or(p.VerifiedAt, d.VerifiedAt)
		p.bare, p.addresses = cutAddresses(p.Text)
		for _, text := range chunks(p.Text, " ", maxPassage) {
			p.Text = text
			list = append(list, p)
		}
	}
	return list
}

// rowSentences say the rows of datasets, each as a title and a sentence.
var rowSentences = map[string]func(v map[string]string) (title, text string){
	"payment-http": func(v map[string]string) (title, text string) {
		if v["element"] == "status" || v["direction"] == "" {
			return v["protocol_name"], fmt.Sprintf("%s uses the HTTP status %s.", v["protocol_name"], v["name"])
		}
		return v["name"], fmt.Sprintf("%s, header %s (%s): %s", v["protocol_name"], v["name"], v["direction"], v["role"])
	},
	"payment-networks": func(v map[string]string) (title, text string) {
		text = v["protocol_name"] + " on " + named(v["network"], v["caip2"])
		for _, part := range []struct{ label, value string }{
			{"asset", v["asset"]}, {"contract", v["contract"]}, {"symbol", v["symbol"]}, {"decimals", v["decimals"]},
			{"EIP-712 name", v["eip712_name"]}, {"EIP-712 version", v["eip712_version"]},
			{"transfer by", v["transfer_method"]},
		} {
			if part.value != "" {
				text += ", " + part.label + " " + part.value
			}
		}
		if v["testnet"] == "true" {
			text += "; a test network"
		}
		return v["network"], text + "."
	},
}

// rowTopics are the subjects of the rows of datasets.
var rowTopics = map[string]string{"payment-http": "names", "payment-networks": "networks"}

// rowText returns a value of a row as text, or "" for null.
func rowText(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// chunks splits a text at separators into parts of at most so many bytes. A part that is longer is cut after a
// sentence, or else after a word.
func chunks(text, sep string, most int) []string {
	var list []string
	for part := range strings.SplitSeq(text, sep) {
		part = strings.Trim(part, "\n")
		for len(part) > most {
			at := strings.LastIndex(part[:most], ". ") + 1
			if at < most/4 {
				at = max(strings.LastIndexAny(part[:most], " \n"), 1)
			}
			list, part = append(list, strings.TrimSpace(part[:at])), strings.TrimSpace(part[at:])
		}
		switch n := len(list) - 1; {
		case strings.TrimSpace(part) == "":
		case n >= 0 && len(list[n])+len(sep)+len(part) <= most:
			list[n] += sep + part
		default:
			list = append(list, part)
		}
	}
	return list
}

// A section is a part of an article under a heading.
type section struct{ title, anchor, text string }

// sections splits the Markdown of an article at its headings. The text before the first has no title.
func sections(body string) []section {
	list := []section{{}}
	anchors := catalog.NewAnchors()
	fenced := false
	for line := range strings.Lines(body) {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		title := strings.TrimSpace(strings.TrimLeft(line, "#"))
		if !fenced && strings.HasPrefix(line, "##") && title != "" {
			list = append(list, section{title: plainText(title), anchor: anchors.Add("", title)})
			continue
		}
		list[len(list)-1].text += line
	}
	return list
}

var (
	markdownLink  = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
	markdownRule  = regexp.MustCompile(`^\|[ :|-]+\|$`)
	markdownMarks = regexp.MustCompile("\\*\\*|`|^(?:[-*>]|#+) ")
	listItem      = regexp.MustCompile(`^(?:[-*]|\d+\.) `)
)

// plainText returns Markdown as paragraphs of plain text: without links, emphasis and marks, each row of a table as
// sentences. Programs and commands are left out, and read on the page; HTTP and JSON stay.
func plainText(markdown string) string {
	var b strings.Builder
	for i, part := range strings.Split(markdown, "```") {
		if i%2 == 0 {
			b.WriteString(prose(part))
			continue
		}
		if language, code, _ := strings.Cut(part, "\n"); language != "python" && language != "sh" {
			b.WriteString(code)
		}
	}
	return b.String()
}

// prose returns Markdown without code as plain text, each paragraph on one line.
func prose(markdown string) string {
	var b strings.Builder
	var header []string
	within := false // a paragraph, which the next line continues
	for line := range strings.SplitSeq(markdownLink.ReplaceAllString(markdown, "$1"), "\n") {
		if markdownRule.MatchString(line) {
			continue
		}
		between := "\n"
		if within && line != "" && !listItem.MatchString(line) {
			line, between = strings.TrimLeft(line, " "), " "
		}
		line = markdownMarks.ReplaceAllString(line, "")
		if strings.HasPrefix(line, "|") {
			if cells := tableCells(line); header == nil {
				header = cells
			} else {
				b.WriteString("\n\n" + rowSentence(header, cells))
			}
			within = false
			continue
		}
		header, within = nil, line != ""
		if b.Len() > 0 || line == "" {
			b.WriteString(between)
		}
		b.WriteString(line)
	}
	return b.String()
}

// tableCells returns the cells of a row. The first may be empty.
func tableCells(row string) []string {
	cells := strings.Split(strings.TrimSuffix(strings.TrimPrefix(row, "|"), "|"), " | ")
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	return cells
}

// rowSentence says a row of a table: its first cell, and the others after their headings if there are several.
func rowSentence(header, cells []string) string {
	if len(header) == 2 && len(cells) == 2 {
		return cells[0] + ": " + cells[1]
	}
	text := strings.TrimSuffix(cells[0], ".") + "."
	for i, cell := range cells[1:] {
		if i+1 < len(header) && header[i+1] != "" && cell != "" {
			text += " " + strings.ToUpper(header[i+1][:1]) + header[i+1][1:] + ": " + strings.TrimSuffix(cell, ".") + "."
		}
	}
	return text
}
