package catalog

import (
	"fmt"
	"regexp"
	"strings"
)

// A Citation is how a record is cited: of a library entry, its source; of any other, our page about it.
type Citation struct {
	Key, Title, Publisher, URL string
	Authors                    []string
	Issued                     Date   // "" if not known
	Accessed                   Date   // the day it was read; "" if it was not
	Source                     string // address of what our page about it follows; "" if it is the source, or follows several
}

// Citation returns the citation of the source of an entry, which was accessed if a reading is of the source itself.
func (c *Catalog) Citation(e *Entry) Citation {
	cited := Citation{Key: e.ID, Title: e.Title, Publisher: e.Publisher, URL: e.URL, Authors: e.Authors, Issued: e.Published()}
	if len(e.Authors) == 0 {
		cited.Authors = []string{e.Publisher}
	}
	if r, ok := c.EntryReading(e); ok && r.Class.OfSource() {
		cited.Accessed = e.VerifiedAt
	}
	return cited
}

var arXiv = regexp.MustCompile(`^https://arxiv\.org/abs/((\d\d)\d\d\.\d+)`)

// BibTeX returns the citation as an item of BibTeX.
func (c Citation) BibTeX() string {
	authors := Convert(c.Authors, func(a string) string { return "{" + TeX.Replace(a) + "}" })
	note, read := "Undated", ""
	if c.Accessed != "" {
		note, read = "Undated; read "+string(c.Accessed), fmt.Sprintf(",\n  urldate = {%s}", c.Accessed)
	}
	date := fmt.Sprintf("  year = {n.d.},\n  note = {%s},\n", note)
	if c.Issued != "" {
		date = fmt.Sprintf("  year = {%d},\n  date = {%s},\n", c.Issued.Time().Year(), c.Issued)
	}
	if c.Source != "" {
		date += fmt.Sprintf("  note = {Source: \\url{%s}},\n", c.Source)
	}
	if m := arXiv.FindStringSubmatch(c.URL); m != nil { // whose numbers begin with the year and the month
		date = fmt.Sprintf("  year = {20%s},\n  eprint = {%s},\n  eprinttype = {arxiv},\n", m[2], m[1])
	}
	return fmt.Sprintf("@misc{%s,\n  author = {%s},\n  title = {%s},\n  publisher = {%s},\n%s  url = {%s}%s\n}\n",
		c.Key, strings.Join(authors, " and "), TeX.Replace(c.Title), TeX.Replace(c.Publisher), date, c.URL, read)
}

// TeX escapes the characters that TeX reads as commands.
var TeX = strings.NewReplacer(`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "%", `\%`, "&", `\&`, "$", `\$`, "#", `\#`,
	"_", `\_`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`)
