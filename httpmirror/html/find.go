package html

import (
	"fmt"
	"strings"

	"almanac/httpmirror/phrase"
	"almanac/index/find"
)

// A findPage is what the search page shows.
type findPage struct {
	Query  string
	Found  []find.Found
	ReadAs []string
}

// Find returns the search page before anything was asked. The browser searches as one types.
func (p *Pages) Find() Page { return p.findPage(findPage{}) }

// Found returns the search page with what was found for a query.
func (p *Pages) Found(query string, found []find.Found, readAs []string) Page {
	return p.findPage(findPage{query, found, readAs})
}

func (p *Pages) findPage(d findPage) Page {
	return Page{
		Title:       "Search",
		Description: "Find a source, a protocol, an article or a dataset by what it is called.",
		Search:      true,
		content:     findContent(d),
	}
}

// summary returns how many records were found, and what was read as something else.
func (d findPage) summary() string {
	s := phrase.Count(len(d.Found), "record", "records") + " for “" + d.Query + "”."
	if len(d.ReadAs) > 0 {
		s += fmt.Sprintf(" Read %s.", strings.Join(d.ReadAs, ", "))
	}
	return s
}

// kindName returns the kind of a record as pages call it.
func kindName(kind string) string {
	if kind == "entry" {
		return "source"
	}
	return kind
}
