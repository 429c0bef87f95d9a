package html

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"go.almanac.example/catalog"
	"go.almanac.example/httpmirror/phrase"
	"go.almanac.example/index"
	"go.almanac.example/index/find"

	"github.com/a-h/templ"
)

// A findPage is the data of the search page.
type findPage struct {
	Query  string
	Found  find.Results
	Answer *index.Passage // nil for none

	Sells   bool // searches of all texts
	Terms   catalog.Terms
	Site    catalog.Site
	Problem *Problem // of the request for the paid search that the page answers; nil: it answers none
}

// A Problem is a problem document (RFC 9457) that a page shows instead.
type Problem struct {
	Document json.RawMessage `json:"-"`

	Title, Detail, Code, Invoice, Macaroon string
}

// findAddressOf returns the address of the search page with the results of a query.
func findAddressOf(query string) string { return catalog.FindPath + "?q=" + url.QueryEscape(query) }

// Find returns the search page before anything was asked. The browser searches as one types.
func (p *Pages) Find() Page { return p.findPage(findPage{}) }

// Found returns the search page with the first results of a query. Above them is the answer of the first, if a source has
// it or it defines a protocol. With a problem, the page answers a request for the paid search.
func (p *Pages) Found(query string, found find.Results, answers []index.Answered, problem *Problem) Page {
	found.Records = catalog.Convert(answers, func(a index.Answered) find.Record { return a.Record })
	var answer *index.Passage
	if len(answers) > 0 && len(answers[0].Passages) > 0 {
		answer = answers[0].Passages[0]
		text := strings.ToLower(answer.Text)
		lacks := func(word string) bool { return !strings.Contains(text, strings.ToLower(word)) }
		if answer.Source == "" && answers[0].Kind != "protocol" || slices.ContainsFunc(found.Unknown, lacks) {
			answer = nil // a description of ours, or of a part of the question alone
		}
	}
	if pair := p.pairOf(found.Protocols); pair != nil {
		found.Records, found.Total = slices.Insert(found.Records, min(1, len(found.Records)), *pair), found.Total+1
	}
	pg := p.findPage(findPage{Query: query, Found: found, Answer: answer, Problem: problem})
	pg.NoIndex = true
	return pg
}

// pairOf returns the comparison of the two protocols that a query names, or nil.
func (p *Pages) pairOf(ids []string) *find.Record {
	for _, id := range p.cat.PairIDs() {
		if a, b := p.cat.Pair(id); len(ids) == 2 && slices.Contains(ids, a.ID) && slices.Contains(ids, b.ID) {
			return &find.Record{ID: "compare", Kind: "compare", Title: shortName(a.ID, a.Name) + " vs " + shortName(b.ID, b.Name),
				Line: "Both protocols field by field, with the messages of a payment.", Path: catalog.PairPath(id)}
		}
	}
	return nil
}

func (p *Pages) findPage(d findPage) Page {
	d.Sells, d.Terms, d.Site = p.cat.Payments() != catalog.PaymentsOff, p.cat.Terms(), p.site
	return Page{
		Narrow:      true,
		Path:        catalog.FindPath,
		Title:       "Search",
		Description: "Find a record by title, ID, tag or question.",
		Search:      true,
		Style:       buyStyleAddress,
		content:     findContent(p, d),
	}
}

// NotFound returns the page of an address at which nothing is published, with the records that may have been meant. On
// a host of files, the browser finds them.
func (p *Pages) NotFound(near []find.Record) Page {
	return Page{
		Path:        catalog.NotFoundPath,
		Title:       "Nothing is published here",
		Description: "Nothing is published at this address.",
		Lede:        "Check the address for typos. We never remove published pages.",
		NoIndex:     true,
		content:     notFoundContent(p, near),
	}
}

// Withdrawn returns the page at the address of a record that is no longer published.
func (p *Pages) Withdrawn(w catalog.Withdrawal) Page {
	return Page{
		Path:        catalog.NotFoundPath,
		Title:       "Withdrawn: " + w.Title,
		Description: w.Title + " is no longer published.",
		Lede:        "We withdrew this record on " + phrase.LongDay(w.Day) + ". " + w.Reason,
		NoIndex:     true,
		content:     withdrawnContent(p, w),
	}
}

// summary returns the number of results, the words that were read as others, and those that nothing has.
func (d findPage) summary() string {
	if len(d.Found.Records) == 0 {
		return "No results for “" + d.Query + "”. Try fewer or different words."
	}
	s := phrase.Count(d.Found.Total, "result", "results") + " for “" + d.Query + "”."
	if n := len(d.Found.Records); n < d.Found.Total {
		s = strconv.Itoa(n) + " of " + s
	}
	if len(d.Found.ReadAs) > 0 {
		s += fmt.Sprintf(" Read %s.", strings.Join(d.Found.ReadAs, ", "))
	}
	if len(d.Found.Unknown) > 0 {
		s += " Nothing has “" + strings.Join(d.Found.Unknown, "”, “") + "” with the other words."
	}
	return s
}

// answerTitle returns the title of the record that answers and, if it says more, of its passage.
func (d findPage) answerTitle() string {
	switch {
	case d.Answer.Kind == index.PassageSummary && d.Answer.Source == "":
		return d.Found.Records[0].Title + ", each fact with its source"
	case d.Answer.Kind == index.PassageSummary:
		return d.Found.Records[0].Title
	}
	return d.Found.Records[0].Title + ": " + d.Answer.Title
}

// moreAddress returns the address of the search page with twice the records, or "" if it shows all that it can.
func (d findPage) moreAddress() templ.SafeURL {
	n := len(d.Found.Records)
	if n == min(d.Found.Total, find.MaxMore) {
		return ""
	}
	return templ.SafeURL(findAddressOf(d.Query) + "&n=" + strconv.Itoa(2*n))
}

// kindName returns the kind of a record as pages call it: of entries, which are most of all, and of pages of the site
// itself none.
func kindName(r find.Record) string {
	if r.Kind == "entry" || r.Kind == r.ID {
		return ""
	}
	return r.Kind
}
