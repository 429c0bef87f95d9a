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
	Issued                     Date // "" if not known
	Accessed                   Date // the day it was read
}

// Citation returns the citation of the source.
func (e *Entry) Citation() Citation {
	authors := e.Authors
	if len(authors) == 0 {
		authors = []string{e.Publisher}
	}
	return Citation{e.ID, e.Title, e.Publisher, e.URL, authors, e.Published(), e.VerifiedAt}
}

var arXiv = regexp.MustCompile(`^https://arxiv\.org/abs/((\d\d)\d\d\.\d+)`)

// BibTeX returns the citation as an item of BibTeX.
func (c Citation) BibTeX() string {
	authors := Convert(c.Authors, func(a string) string { return "{" + TeX.Replace(a) + "}" })
	date := fmt.Sprintf("  year = {n.d.},\n  note = {Undated; read %s},\n", c.Accessed)
	if c.Issued != "" {
		date = fmt.Sprintf("  year = {%d},\n  date = {%s},\n", c.Issued.Time().Year(), c.Issued)
	}
	if m := arXiv.FindStringSubmatch(c.URL); m != nil { // whose numbers begin with the year and the month
		date = fmt.Sprintf("  year = {20%s},\n  eprint = {%s},\n  eprinttype = {arxiv},\n", m[2], m[1])
	}
	return fmt.Sprintf("@misc{%s,\n  author = {%s},\n  title = {%s},\n  publisher = {%s},\n%s  url = {%s},\n  urldate = {%s}\n}\n",
		c.Key, strings.Join(authors, " and "), TeX.Replace(c.Title), TeX.Replace(c.Publisher), date, c.URL, c.Accessed)
}

// TeX escapes the characters that TeX reads as commands.
var TeX = strings.NewReplacer(`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "%", `\%`, "&", `\&`, "$", `\$`, "#", `\#`,
	"_", `\_`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`)
