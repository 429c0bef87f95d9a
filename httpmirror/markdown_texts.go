package httpmirror

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	"almanac/catalog"
)

func (b *builder) trustMarkdown() []byte {
	doc := b.cat.Trust()
	var w mdWriter
	w.printf("# %s\n\n%s\n\n", mdText(doc.Title), mdText(doc.Summary))
	w.item("JSON", mdAddress(b.site.URL(catalog.TrustJSONPath)))
	w.item("HTML", mdAddress(b.site.URL(catalog.TrustPath)))
	w.item("Verified at", string(doc.VerifiedAt))
	w.printf("\n## Checks\n")
	for _, c := range doc.Checks {
		w.printf("\n### %s\n\n%s\n\nTest: %s\n", mdText(c.Title), mdText(c.Promise), mdText(c.Test))
	}
	w.printf("\n## Stable addresses\n\n")
	for _, a := range doc.Stable {
		w.item(mdCode(a.URL), mdText(a.What))
	}
	w.printf("\n## Error codes\n\n| code | status | title | what to do |\n|---|---|---|---|\n")
	for _, c := range doc.ErrorCodes {
		w.printf("| %s | %d | %s | %s |\n", mdCode(string(c.Code)), c.Status, mdText(c.Title), mdText(c.Remedy))
	}
	l := doc.Credits
	w.printf("\n## Credit limits\n\n")
	w.item("Price of one payment", countOf(int(l.PriceSats), "satoshi", "satoshis"))
	w.item("Credits per payment", strconv.Itoa(l.Credits))
	w.item("Credits per request", strconv.Itoa(l.CreditsPerRequest))
	w.item("Validity", countOf(l.ValidDays, "day", "days"))
	w.printf("\n%s\n", mdText(l.Note))
	return w.Bytes()
}

// articleMarkdown is the article as a file of its own: with its title, and with links that work
// wherever it is read.
func (b *builder) articleMarkdown(a *catalog.Article) []byte {
	var w mdWriter
	w.printf("# %s\n\n%s\n\n", mdText(a.Title), mdText(a.Summary))
	w.item("HTML", mdAddress(b.site.URL(catalog.ArticlePath(a.ID))))
	w.item("Published", dateOrUnknown(a.DatePublished))
	w.item("Verified at", string(a.VerifiedAt))
	w.item("Tags", b.mdTags(a.Tags))
	w.printf("\n%s", absoluteLinks(withoutLinks(a.Body, b.absent()), b.site.Base))
	if len(a.Entries) > 0 {
		w.printf("\n## Sources\n\n")
		for _, id := range a.Entries {
			e, _ := b.cat.Entry(id) // Load refuses ids that do not exist
			w.printf("- %s\n", mdLink(e.Title, e.URL))
		}
	}
	return w.Bytes()
}

// readmeMarkdown is the README of a dataset: its curated text, then the tables that follow from
// the data.
func (b *builder) readmeMarkdown(d *catalog.Dataset) []byte {
	card := b.cat.DatasetCard(d)
	var w mdWriter
	w.printf("# %s\n\n%s\n\n", mdText(d.Title), mdText(d.Summary))
	w.item("Card", mdAddress(b.site.URL(catalog.DatasetCardPath(d.ID))))
	w.item("Croissant", mdAddress(card.CroissantURL))
	w.item("HTML", mdAddress(card.URL))
	w.item("Rows", strconv.Itoa(card.RowCount))
	w.item("Licence", mdAddress(d.License))
	w.item("Verified at", string(d.VerifiedAt))
	w.printf("\n%s", absoluteLinks(d.Readme, b.site.Base))
	w.printf("\n## Columns\n\n| column | type | meaning |\n|---|---|---|\n")
	for _, c := range d.Columns {
		w.printf("| %s | %s | %s |\n", mdCode(c.Name), mdText(c.Type), mdText(c.Description))
	}
	w.printf("\n## Addresses, sizes and checksums\n\n| file | media type | bytes | SHA-256 |\n|---|---|---|---|\n")
	for _, f := range card.Files {
		w.printf("| %s | %s | %d | %s |\n", mdAddress(f.URL), mdText(f.MediaType), f.Bytes, mdCode(f.SHA256))
	}
	return w.Bytes()
}

// absent gives the paths of the site that this installation does not publish.
func (b *builder) absent() []string {
	var paths []string
	if b.cat.Payments() == catalog.PaymentsOff {
		paths = append(paths, catalog.L402Path)
	}
	if b.o.Contact == "" {
		paths = append(paths, catalog.SecurityPath)
	}
	return paths
}

// withoutLinks leaves the words of links to paths that are absent.
func withoutLinks(text string, absent []string) string {
	for _, path := range absent {
		link := regexp.MustCompile(`\[([^\[\]]*)\]\(` + regexp.QuoteMeta(path) + `\)`)
		text = link.ReplaceAllString(text, "$1")
	}
	return text
}

// absoluteLinks puts the base before the links of a Markdown text that begin with a slash. What
// stands in code stays as it is.
func absoluteLinks(text, base string) []byte {
	var out bytes.Buffer
	fence := ""
	for line := range strings.Lines(text) {
		mark := strings.TrimLeft(line, " ")
		switch {
		case fence != "":
			if strings.HasPrefix(mark, fence) && strings.Trim(mark, fence[:1]+" \n") == "" {
				fence = ""
			}
		case strings.HasPrefix(mark, "```"), strings.HasPrefix(mark, "~~~"):
			fence = mark[:len(mark)-len(strings.TrimLeft(mark, mark[:1]))]
		default:
			line = absoluteLine(line, base)
		}
		out.WriteString(line)
	}
	return out.Bytes()
}

// rootLink is a link to a path, and not one to another host ("//host").
var rootLink = regexp.MustCompile(`\]\(/([^/])`)

// absoluteLine does so for a line that is no code block. Every other part between backticks is
// code.
func absoluteLine(line, base string) string {
	if strings.HasPrefix(line, "[") {
		line = strings.Replace(line, "]: /", "]: "+base+"/", 1)
	}
	parts := strings.Split(line, "`")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = rootLink.ReplaceAllString(parts[i], "]("+strings.ReplaceAll(base, "$", "$$")+"/$1")
	}
	return strings.Join(parts, "`")
}
